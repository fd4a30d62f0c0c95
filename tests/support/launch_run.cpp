// SPDX-License-Identifier: Apache-2.0
#include "tests/support/launch_run.h"

#include <cstdio>
#include <map>

namespace lockstep::test {

namespace {

constexpr const char* kTables = R"(
CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_VERSION', '2025.3.1.90'), ('EXPORT_SCHEMA_VERSION', '3.20.2'),
  ('EXPORT_SCHEMA_VERSION_MAJOR', '3'), ('EXPORT_SCHEMA_VERSION_MINOR', '20');
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INT, utcTime TEXT, localTime TEXT);
CREATE TABLE TARGET_INFO_GPU(id INT, name TEXT, totalMemory INT, smCount INT);
INSERT INTO TARGET_INFO_GPU VALUES(0, 'Made GPU', 85899345920, 132);
CREATE TABLE PROCESSES(globalPid INT, pid INT, name TEXT);
INSERT INTO PROCESSES VALUES(281476654432256, 100, 'python');
CREATE TABLE ThreadNames(nameId INT, priority INT, globalTid INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT,
  correlationId INT, globalPid INT, demangledName INT, shortName INT, mangledName INT, registersPerThread INT,
  gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, end INT, deviceId INT, contextId INT, streamId INT,
  correlationId INT, globalPid INT, bytes INT, copyKind INT, srcKind INT, dstKind INT, virtualAddress INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, eventClass INT, globalTid INT, correlationId INT,
  nameId INT, returnValue INT);
CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT, globalTid INT, domainId INT);
)";
constexpr const char* kThread = "281476654432357"; // 100, 101
constexpr const char* kProcess = "281476654432256";

std::string list(std::initializer_list<int64_t> numbers)
{
    std::string text;
    for (const int64_t number : numbers)
        text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
}

std::string micro(int64_t ns)
{
    char text[40];
    std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                  static_cast<long long>(ns % 1000));
    return text;
}

const char* callName(const LaunchedRow& row)
{
    return row.name.empty() ? "cudaMemcpyAsync" : "cudaLaunchKernel";
}

} // namespace

std::string LaunchRun::nsysSql() const
{
    std::map<std::string, size_t> strings;
    const auto id = [&](const std::string& text) {
        return std::to_string(strings.try_emplace(text, strings.size() + 1).first->second);
    };
    std::string sql = std::string("BEGIN;") + kTables, process = kProcess;
    for (size_t i = 0; i < rows.size(); ++i) {
        const LaunchedRow& row = rows[i];
        const auto correlation = static_cast<int64_t>(i) + 1;
        sql += "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(" +
               list({row.call_ns, row.call_ns + row.callLength_ns, 0}) + "," + kThread + "," +
               std::to_string(correlation) + "," + id(callName(row)) + ",0);";
        const std::string head =
            list({row.start_ns, row.start_ns + row.length_ns, 0, 1, row.stream, correlation}) + "," +
            process + ",";
        if (row.name.empty()) {
            sql += "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(" + head + list({row.size_bytes, 1, 0, 2}) +
                   ",NULL);";
        } else {
            sql += "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(" + head + id(row.name + "(int)") + "," +
                   id(row.name) + "," + id("_Z" + row.name) + "," +
                   list({row.registers, row.grid[0], row.grid[1], row.grid[2], row.block[0], row.block[1],
                         row.block[2]}) +
                   ",2000,NULL);";
        }
    }
    for (size_t i = 0; i < ranges.size(); ++i) {
        sql += "INSERT INTO NVTX_EVENTS VALUES(" + list({ranges[i].first, ranges[i].second, 59}) +
               ",'range " + std::to_string(i) + "'," + kThread + ",0);";
    }
    sql += "INSERT INTO ThreadNames VALUES(" + id("main thread") + ",20," + kThread + ");";
    for (const auto& [text, number] : strings)
        sql += "INSERT INTO StringIds VALUES(" + std::to_string(number) + ",'" + text + "');";
    return sql + "COMMIT;";
}

std::string LaunchRun::kinetoText() const
{
    std::string text =
        R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Made GPU"}], "traceEvents": [
{"ph": "M", "name": "process_name", "pid": 100, "tid": 0, "ts": 0, "args": {"name": "python"}},
{"ph": "M", "name": "thread_name", "pid": 100, "tid": 101, "ts": 0, "args": {"name": "main thread"}})";
    for (size_t i = 0; i < rows.size(); ++i) {
        const LaunchedRow& row = rows[i];
        const std::string correlation = std::to_string(i + 1);
        text += ",\n{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"" + std::string(callName(row)) +
                "\", \"pid\": 100, \"tid\": 101, \"ts\": " + micro(row.call_ns) +
                ", \"dur\": " + micro(row.callLength_ns) +
                ", \"args\": {\"cbid\": 211, \"correlation\": " + correlation + "}}";
        const std::string stream = std::to_string(row.stream);
        const std::string place =
            "\"device\": 0, \"context\": 1, \"stream\": " + stream + ", \"correlation\": " + correlation;
        const auto triple = [](const std::array<int64_t, 3>& of) {
            return "[" + list({of[0], of[1], of[2]}) + "]";
        };
        const bool isCopy = row.name.empty();
        text += ",\n{\"ph\": \"X\", \"cat\": \"" + std::string(isCopy ? "gpu_memcpy" : "kernel") +
                "\", \"name\": \"" + (isCopy ? "Memcpy HtoD (Pageable -> Device)" : row.name + "(int)") +
                "\", \"pid\": 0, \"tid\": " + stream + ", \"ts\": " + micro(row.start_ns) +
                ", \"dur\": " + micro(row.length_ns) + ", \"args\": {" + place +
                (isCopy ? ", \"bytes\": " + std::to_string(row.size_bytes)
                        : ", \"registers per thread\": " + std::to_string(row.registers) +
                              ", \"shared memory\": 2000, \"grid\": " + triple(row.grid) +
                              ", \"block\": " + triple(row.block)) +
                "}}";
    }
    return text + "\n]}\n";
}

LaunchedRow variedLaunch(int64_t n)
{
    LaunchedRow row;
    row.call_ns = 1'000 + n * 100;
    row.callLength_ns = 40 + n % 7;
    // Some kernels start before their call ends, some long after; on three streams, so that work overlaps.
    row.start_ns = row.call_ns + 30 + n % 5 * 20;
    row.length_ns = 1 + n * 7919 % 310;
    row.stream = 7 + n % 3;
    if (n % 11 == 0) {
        row.size_bytes = 512 + n * 37;
        return row;
    }
    row.name = "kernel_" + std::to_string(n % 6);
    row.grid = {1 + n % 4, 1 + n % 2, 1};
    row.block = {32 * (1 + n % 3), 1, 1};
    row.registers = 16 + n % 64;
    return row;
}

} // namespace lockstep::test
