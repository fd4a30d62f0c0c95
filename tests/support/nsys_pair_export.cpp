// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nsys_pair_export.h"

#include <algorithm>
#include <random>
#include <string>

#include "tests/support/sqlite_file.h"

namespace lockstep::test {

namespace {

constexpr int64_t kPause_ns = 40'000'000;

const std::string kPairSchema = R"(
CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_VERSION', '2025.3.1.90'), ('EXPORT_SCHEMA_VERSION', '3.20.2'),
  ('EXPORT_SCHEMA_VERSION_MAJOR', '3'), ('EXPORT_SCHEMA_VERSION_MINOR', '20');
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES(1, 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)'),
  (2, 'ncclDevKernel_SendRecv'), (3, 'gemm(float*)'), (4, 'gemm');
CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INT, utcTime TEXT, localTime TEXT);
CREATE TABLE TARGET_INFO_SYSTEM_ENV(globalVid INT, devStateName TEXT, name TEXT, nameEnum INT, value TEXT);
CREATE TABLE TARGET_INFO_GPU(id INT, name TEXT, totalMemory INT, smCount INT);
INSERT INTO TARGET_INFO_GPU VALUES(0, 'NVIDIA H100', 85899345920, 132), (1, 'NVIDIA H100', 85899345920, 132);
CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INT, cudaId INT, pid INT);
CREATE TABLE PROCESSES(globalPid INT, pid INT, name TEXT);
CREATE TABLE ANALYSIS_DETAILS(globalVid INT, duration INT, startTime INT, stopTime INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT,
  correlationId INT, globalPid INT, demangledName INT, shortName INT, registersPerThread INT);
)";

int64_t globalPid(int process)
{
    return (int64_t(1) << 48) | (int64_t(4100 + process) << 24);
}

// True ns since the session's start, for both processes of every pair, whichever of them is written.
std::string kernelsOf(int process, const PairExportOptions& options)
{
    std::mt19937_64 random(7);
    const auto between = [&](int64_t least, int64_t most) {
        return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
    };
    std::string sql;
    const auto add = [&](int64_t start, int64_t end, const char* names, int stream, int correlation) {
        sql += "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(" + std::to_string(start + options.ahead_ns) +
               "," + std::to_string(end + options.ahead_ns) + "," + std::to_string(process) + ",1," +
               std::to_string(stream) + "," + std::to_string(correlation) + "," +
               std::to_string(globalPid(process)) + "," + names + ",40);";
    };
    int64_t at = 5'000'000;
    for (int i = 0; i < options.pairs; ++i) {
        const int64_t starts[2] = {at + between(0, 900'000), at + between(0, 900'000)};
        const int64_t met = std::max(starts[0], starts[1]) + between(150'000, 400'000);
        // Distances around the given median, alternating sides: i * 5 covers all of 0 .. 10.
        const int64_t apart = options.separation_ns * (5 + i * 5 % 11) / 10;
        const int64_t ends[2] = {met + (i % 2 == 0 ? apart : 0), met + (i % 2 == 0 ? 0 : apart)};
        add(starts[process], ends[process], "1,2", 21, 100 + 2 * i);
        add(ends[process] + 500'000, ends[process] + 900'000, "3,4", 7, 101 + 2 * i);
        at += kPause_ns + between(0, kPause_ns);
    }
    return sql;
}

} // namespace

bool writePairExport(const std::filesystem::path& path, const std::vector<int>& processes,
                     const PairExportOptions& options)
{
    std::string sql = kPairSchema + "BEGIN;INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(" +
                      std::to_string(options.utc_ns) + ",NULL,NULL);";
    sql += "INSERT INTO TARGET_INFO_SYSTEM_ENV(name, value) VALUES('Hostname', '" +
           std::string(options.host) + "');INSERT INTO ANALYSIS_DETAILS VALUES(281474976710656," +
           std::to_string((options.pairs + 2) * 2 * kPause_ns) + ",0,0);";
    for (const int process : processes) {
        const std::string pid = std::to_string(4100 + process), gpu = std::to_string(process);
        sql += "INSERT INTO PROCESSES VALUES(" + std::to_string(globalPid(process)) + "," + pid +
               ",'python');INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(" + gpu + "," + gpu + "," + pid + ");" +
               kernelsOf(process, options);
    }
    return runSql(path, sql + "COMMIT;");
}

} // namespace lockstep::test
