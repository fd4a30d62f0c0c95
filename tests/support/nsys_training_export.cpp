// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nsys_training_export.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "tests/support/sqlite_file.h"

namespace lockstep::test {

namespace {

constexpr int kLayers = 48, kOperations = 40, kOperators = 6;
constexpr int64_t kGlobalPid = (int64_t(1) << 48) | (int64_t(4711) << 24), kGlobalTid = kGlobalPid | 4711;

// Columns and order of a 2026.2 export.
constexpr const char* kTrainingSchema = R"(
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_VERSION', '2026.2.1.1'), ('EXPORT_SCHEMA_VERSION', '3.25.0'),
  ('EXPORT_SCHEMA_VERSION_MAJOR', '3'), ('EXPORT_SCHEMA_VERSION_MINOR', '25');
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INT, utcTime TEXT, localTime TEXT, systemClockNs INT);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1700000000000000000, NULL, NULL, 5000);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
  contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER,
  registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,
  blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,
  dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL,
  gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER,
  qmdBulkReleaseInfo INTEGER, clusterX INTEGER, clusterY INTEGER, clusterZ INTEGER, clusterSchedulingPolicy INTEGER,
  maxPotentialClusterSize INTEGER, maxActiveClusters INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);
CREATE TABLE NVTX_EVENTS(start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
  category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER,
  uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, floatValue REAL,
  jsonTextId INTEGER, jsonText TEXT, binaryData TEXT);
BEGIN;
)";

class TrainingExport {
  public:
    explicit TrainingExport(sqlite3* database) : m_database(database)
    {
        m_kernel =
            prepared("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?1,?2,0,1,0,7,?3,?4,?5,?6,?7,0,0,168,"
                     "264,1,1,384,1,1,1024,229376,0,?8,?3,233472,NULL,0,0,2,1,1,1,16,8)");
        m_call = prepared("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?1,?2,?3,?4,?5,?6,0,NULL)");
        m_range = prepared("INSERT INTO NVTX_EVENTS(start,end,eventType,globalTid,textId,text,domainId) "
                           "VALUES(?1,?2,59,?3,?4,?5,0)");
        for (auto& duration : m_durations)
            duration = std::uniform_int_distribution(3000, 400'000)(m_random);
    }
    TrainingExport(const TrainingExport&) = delete;
    TrainingExport& operator=(const TrainingExport&) = delete;
    ~TrainingExport()
    {
        for (sqlite3_stmt* statement : {m_kernel, m_call, m_range})
            sqlite3_finalize(statement);
    }

    void step()
    {
        const int64_t begin = m_now;
        for (int layer = 0; layer < kLayers; ++layer)
            addLayer(layer);
        const int64_t end = std::max(m_now + 20'000, m_gpu);
        addCall(m_now, end, 3, ++m_correlation); // waits for the GPU
        addRange(begin, m_now = end, "", 100);
    }
    bool names()
    {
        std::string sql =
            "INSERT INTO StringIds VALUES(1,'cudaLaunchKernelExC_v11060'),(2,'cudaEventRecord_v3020'),"
            "(3,'cudaStreamSynchronize_v3020'),(100,'step')";
        for (int i = 0; i < kOperations; ++i) {
            const std::string tile = std::to_string(64 + 8 * i);
            sql += ",(" + std::to_string(1000 + i) +
                   ",'void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<" + tile +
                   "x128x64_warpspecialized>>(T1::Params)'),(" + std::to_string(2000 + i) +
                   ",'device_kernel_" + tile + "'),(" + std::to_string(3000 + i) +
                   ",'_ZN7cutlass13device_kernelI" + tile + "EEv')";
        }
        return sqlite3_exec(m_database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    }
    const TrainingExportSize& size() const { return m_size; }

  private:
    sqlite3_stmt* prepared(const char* sql)
    {
        sqlite3_stmt* statement = nullptr;
        sqlite3_prepare_v2(m_database, sql, -1, &statement, nullptr);
        return statement;
    }
    int64_t about(double mean, double deviation, int64_t least)
    {
        return std::max(least, static_cast<int64_t>(std::normal_distribution(mean, deviation)(m_random)));
    }
    void run(sqlite3_stmt* statement, std::initializer_list<int64_t> values)
    {
        int place = 0;
        for (const int64_t value : values)
            sqlite3_bind_int64(statement, ++place, value);
        sqlite3_step(statement);
        sqlite3_reset(statement);
    }
    void addCall(int64_t start, int64_t end, int64_t name, int64_t correlation)
    {
        run(m_call, {start, end, 0, kGlobalTid, correlation, name});
        ++m_size.calls;
    }
    void addRange(int64_t start, int64_t end, const std::string& text, int64_t textId)
    {
        if (text.empty())
            sqlite3_bind_null(m_range, 5);
        else
            sqlite3_bind_text(m_range, 5, text.c_str(), -1, SQLITE_TRANSIENT);
        if (text.empty())
            run(m_range, {start, end, kGlobalTid, textId});
        else
            run(m_range, {start, end, kGlobalTid});
        ++m_size.ranges;
    }
    void addLayer(int layer)
    {
        const int64_t begin = m_now;
        for (int i = 0; i < kOperations; ++i) {
            const int64_t called = about(5'800, 900, 2'000);
            addCall(m_now, m_now + called, 1, ++m_correlation);
            m_gpu = std::max(m_gpu + about(1'300, 200, 800), m_now + called + about(2'500, 500, 1'500));
            // GPU timestamps have a resolution of 32 ns.
            const int64_t took =
                about(m_durations[size_t(i)], m_durations[size_t(i)] * 0.01, 1'200) / 32 * 32;
            run(m_kernel,
                {m_gpu, m_gpu + took, m_correlation, kGlobalPid, 1000 + i, 2000 + i, 3000 + i, 129'761'280});
            ++m_size.kernels;
            m_gpu += took;
            m_now += called + about(5'000, 1'500, 2'000);
        }
        addCall(m_now, m_now + about(900, 100, 500), 2, ++m_correlation);
        m_now += 1'500;
        addRange(begin, m_now, "decoder layer " + std::to_string(layer), 0);
        for (int i = 0; i < kOperators; ++i) {
            const int64_t at = begin + i * 30'000 + about(1'500, 400, 0);
            addRange(at, at + about(21'000, 800, 1'000), "aten::linear, op " + std::to_string(i), 0);
        }
    }

    sqlite3* m_database;
    sqlite3_stmt *m_kernel = nullptr, *m_call = nullptr, *m_range = nullptr;
    std::mt19937 m_random{7};
    std::array<double, kOperations> m_durations{};
    int64_t m_now = 1'000'000'000, m_gpu = 0, m_correlation = 100;
    TrainingExportSize m_size;
};

} // namespace

bool writeTrainingExport(const std::filesystem::path& path, int steps, TrainingExportSize& size)
{
    sqlite3* database = nullptr;
    bool isDone = sqlite3_open(path.c_str(), &database) == SQLITE_OK &&
                  sqlite3_exec(database, kTrainingSchema, nullptr, nullptr, nullptr) == SQLITE_OK;
    if (isDone) {
        TrainingExport made(database);
        isDone = made.names();
        for (int step = 0; step < steps; ++step)
            made.step();
        size = made.size();
    }
    isDone = isDone && sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK;
    sqlite3_close(database);
    return isDone;
}

} // namespace lockstep::test
