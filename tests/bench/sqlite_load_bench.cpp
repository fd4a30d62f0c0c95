// SPDX-License-Identifier: Apache-2.0
// Measures how long an nsys export of 5,000,000 kernels takes to load, as a ratio to a plain scan by one
// thread that steps through the same table and reads the same columns. Both read a file that is in the page
// cache. Target: 0.7 on two cores.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "core/readers/reader.h"
#include "tests/bench/bench.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workers.h"

namespace lockstep::sqlite_load_bench {

namespace {

constexpr int kNames = 500;
constexpr int kStreams = 8;

double secondsOf(auto&& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The columns of schema 3.20, with values of the sizes found in real exports.
bool generate(const std::filesystem::path& path, int64_t rows)
{
    const std::string sql =
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
        "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
        "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId "
        "INTEGER NOT "
        "NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId "
        "INTEGER, "
        "globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, "
        "launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, "
        "gridZ "
        "INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, "
        "dynamicSharedMemory "
        "INTEGER, localMemoryPerThread INTEGER, localMemoryTotal INTEGER, gridId INTEGER, "
        "sharedMemoryExecuted "
        "INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < " +
        std::to_string(kNames) +
        ") INSERT INTO StringIds SELECT 2 * i, 'void model::layer' || i || '<float, 128, 4>(float const*, "
        "float*)' "
        "FROM n UNION ALL SELECT 2 * i + 1, 'layer' || i FROM n;"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < " +
        std::to_string(rows) +
        ") INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1000000 + i * 2000, 1000000 + i * 2000 + 1200 + i % "
        "700, "
        "0, 1, 0, 7 + i % " +
        std::to_string(kStreams) + ", 100 + i, 281641842900992, 2 * (i * 7919 % " + std::to_string(kNames) +
        "), 2 * (i * 7919 % " + std::to_string(kNames) +
        ") + 1, NULL, 1, 0, 40, 1024, 1, 1, 256, 1, 1, 0, 16384, 0, 83886080, i, 32768, NULL, 0 FROM n; "
        "COMMIT;";
    return test::runSql(path, sql);
}

// Steps through the table on one thread and reads every column. The sum keeps the compiler from removing the
// work.
int64_t bareScan(const std::filesystem::path& path)
{
    sqlite3* database = nullptr;
    sqlite3_stmt* statement = nullptr;
    const char* const sql =
        "SELECT rowid, start, end, deviceId, contextId, greenContextId, streamId, correlationId, "
        "globalPid, demangledName, shortName FROM CUPTI_ACTIVITY_KIND_KERNEL";
    int64_t sum = 0;
    sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
    sqlite3_prepare_v2(database, sql, -1, &statement, nullptr);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int column = 0; column < 11; ++column)
            sum += sqlite3_column_int64(statement, column);
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return sum;
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::string_view(argv[1]) == "--smoke";
    const int64_t rows = isSmoke ? 20'000 : 5'000'000;
    const int rounds = isSmoke ? 1 : 3;
    const test::TempDir folder;
    const std::filesystem::path path = folder.path() / "kernels.sqlite";
    if (!generate(path, rows)) return 1;
    double scan = 1e9, load = 1e9;
    for (int round = 0; round < rounds; ++round) {
        int64_t sum = 0;
        scan = std::min(scan, secondsOf([&] { sum = bareScan(path); }));
        size_t slices = 0;
        load = std::min(load, secondsOf([&] {
                            const auto report = readReport(path, Progress(test::machineWorkers()));
                            if (report) slices = (*report)->slices.size();
                        }));
        if (sum == 0 || slices != static_cast<size_t>(rows)) {
            std::fprintf(stderr, "read %zu slices of %lld rows\n", slices, static_cast<long long>(rows));
            return 1;
        }
    }
    std::printf("%lld kernel rows: bare one-thread scan %.3f s, load on %zu workers %.3f s, ratio %.2f "
                "(target 0.70)\n",
                static_cast<long long>(rows), scan, test::machineWorkers().count(), load, load / scan);
    return 0;
}

const test::Bench kBench("sqlite_load_bench", bench);

} // namespace

} // namespace lockstep::sqlite_load_bench
