// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <sqlite3.h>

#include "tests/support/demo_files.h"

namespace lockstep::test {

namespace {

constexpr const char* kSchema = R"(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);
CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT,
 systemClockNs INTEGER);
CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER, duration INTEGER, startTime INTEGER, stopTime INTEGER);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, busLocation TEXT, totalMemory INTEGER, smCount INTEGER, uuid TEXT);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER,
 streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER,
 registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER,
 streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER, globalTid INTEGER,
 correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER, rangeId INTEGER, color INTEGER, text TEXT,
 globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER);
)";

// One database while it is written; the first failure is stored and later calls do nothing.
class Export {
  public:
    Export(const DemoPart& part, const std::filesystem::path& path) : m_part(part)
    {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
        m_ok = sqlite3_open(path.c_str(), &m_database) == SQLITE_OK;
        run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;");
        run(kSchema);
    }
    Export(const Export&) = delete;
    Export& operator=(const Export&) = delete;
    ~Export() { sqlite3_close(m_database); }

    void run(const std::string& sql)
    {
        m_ok = m_ok && sqlite3_exec(m_database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    }
    bool commit()
    {
        run("COMMIT;");
        return m_ok;
    }
    std::string stringId(const std::string& text)
    {
        const auto [entry, isNew] = m_strings.try_emplace(text, m_strings.size() + 1);
        if (isNew) run("INSERT INTO StringIds VALUES(" + std::to_string(entry->second) + ",'" + text + "');");
        return std::to_string(entry->second);
    }
    // Session time: zero at the begin of the part, as in a capture range.
    std::string at(int64_t run_ns) const { return std::to_string(run_ns - m_part.begin_ns); }
    std::string globalPid() const { return std::to_string((int64_t(1) << 48) | (m_part.pid << 24)); }
    std::string globalTid() const
    {
        return std::to_string((int64_t(1) << 48) | (m_part.pid << 24) | m_part.pid);
    }

  private:
    const DemoPart& m_part;
    sqlite3* m_database = nullptr;
    bool m_ok = false;
    std::map<std::string, size_t> m_strings;
};

void writeFacts(Export& out, const DemoPart& part)
{
    const std::string node = "node" + std::to_string(part.node), pid = std::to_string(part.pid);
    const int64_t utc = kDemoStart_utc_ns + part.begin_ns + (part.node == 1 ? kDemoClockError_ns : 0);
    const auto variable = [&](const std::string& text) {
        out.run("INSERT INTO META_DATA_CAPTURE VALUES('PROCESS_0:ENVIRONMENT_VARIABLE','" + text + "');");
    };
    out.run("INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_NAME','NVIDIA Nsight Systems'),"
            "('EXPORT_PRODUCT_VERSION','2025.3.1.90'),('EXPORT_SCHEMA_VERSION','3.20.2'),"
            "('EXPORT_PARAM_TIME_NORMALIZE','false'),('EXPORT_PARAM_TIME_SHIFT','0');");
    // Both captures of a node read its system clock, which counts from its boot.
    const int64_t system = part.begin_ns + (part.node == 1 ? 86'400'000'000'000 : 7'200'000'000'000);
    out.run("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(" + std::to_string(utc) + ",NULL,NULL," +
            std::to_string(system) + ");");
    out.run("INSERT INTO ANALYSIS_DETAILS VALUES(281474976710656," +
            std::to_string(part.end_ns - part.begin_ns) + ",0,0);");
    out.run("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(281474976710656,'Local (CLI)','Hostname',0,'" + node +
            "'),(281474976710656,'Local (CLI)','NvDriverVersion',0,'580.95.05');");
    variable("RANK=\"" + std::to_string(part.rank) + "\"");
    variable("WORLD_SIZE=\"" + std::to_string(kDemoRanks) + "\"");
    variable("LOCAL_RANK=\"" + std::to_string(part.rank % 2) + "\"");
    out.run("INSERT INTO PROCESSES VALUES(" + out.globalPid() + "," + pid + ",'ray::WorkerDict');");
    out.run("INSERT INTO ThreadNames VALUES(" + out.stringId("python") + ",0," + out.globalTid() + ");");
    out.run("INSERT INTO TARGET_INFO_GPU VALUES(" + std::to_string(part.rank % 2) +
            ",'NVIDIA H100 80GB HBM3','0000:1b:00.0',85029158912,132,NULL);");
    out.run("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(" + std::to_string(part.rank % 2) + ",0," + pid +
            ");");
}

void writeCall(Export& out, const char* name, int64_t start_ns, int64_t duration_ns,
               const std::string& correlation)
{
    out.run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(" + out.at(start_ns) + "," +
            out.at(start_ns + duration_ns) + ",0," + out.globalTid() + "," + correlation + "," +
            out.stringId(name) + ",0);");
}

} // namespace

Status writeNsysExport(const DemoPart& part, const std::filesystem::path& path)
{
    Export out(part, path);
    writeFacts(out, part);
    int64_t correlation = 100;
    for (const DemoKernel& kernel : part.kernels) {
        const std::string id = std::to_string(++correlation);
        writeCall(out, "cudaLaunchKernel_v7000", kernel.launch_ns, 5'800, id);
        out.run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(" + out.at(kernel.start_ns) + "," +
                out.at(kernel.start_ns + kernel.duration_ns) + ",0,1," + std::to_string(kernel.stream) + "," +
                id + "," + out.globalPid() + "," + out.stringId(kernel.name) + "," +
                out.stringId(kernel.shortName) + ",168,264,1,1,128,1,1);");
    }
    for (const DemoCopy& copy : part.copies) {
        const std::string id = std::to_string(++correlation);
        writeCall(out, "cudaMemcpyAsync_v3020", copy.launch_ns, 8'900, id);
        out.run("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(" + out.at(copy.start_ns) + "," +
                out.at(copy.start_ns + copy.duration_ns) + ",0,1,13," + id + "," + out.globalPid() + "," +
                std::to_string(copy.size_bytes) + "," + std::to_string(copy.kind) +
                (copy.kind == 1 ? ",1,2);" : ",2,1);"));
    }
    for (const DemoRange& range : part.ranges) {
        out.run("INSERT INTO NVTX_EVENTS VALUES(" + out.at(range.start_ns) + "," + out.at(range.end_ns) +
                "," + (range.isStartEnd ? "60" : "59") + ",NULL," +
                (range.rgb != 0 ? std::to_string(range.rgb | 0xFF000000u) : "NULL") + ",'" + range.name +
                "'," + out.globalTid() + ",NULL,NULL,0);");
    }
    if (!out.commit()) return makeError(ErrorKind::io, path.string() + ": cannot write");
    return {};
}

} // namespace lockstep::test
