// SPDX-License-Identifier: Apache-2.0
// Measures queries over 10^7 kernels and as many API calls that launched them: a group-by on names, a window
// of 10 ms, and a join of calls and kernels. The baseline is plain SQLite, in the same run, on a table of the
// same rows with indexes on name, start and correlation. Arguments: [--smoke] [kernels].
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sqlite3.h>

#include "core/sql/sql_query.h"
#include "core/trace/report_builder.h"
#include "tests/bench/bench.h"
#include "tests/support/workers.h"

namespace lockstep::sql_bench {

namespace {

constexpr int kNames = 200;
constexpr int64_t kEvery_ns = 2'000;

double msOf(const auto& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

int64_t durationOf(uint64_t i)
{
    return int64_t(200 + i * 7919 % 1'500);
}

std::string nameOf(uint64_t i)
{
    return "void namespace_of_kernels::kernel_" + std::to_string(i * 31 % kNames) +
           "<float, 128>(T1 *, T2 const *)";
}

std::shared_ptr<const Report> manyKernels(uint64_t count)
{
    ReportBuilder builder;
    const ProcessId process = builder.process(1, 1);
    const DeviceId device = builder.device(process, 0);
    const ThreadId thread = builder.thread(process, 1);
    std::vector<StringId> names;
    for (uint64_t i = 0; i < kNames; ++i)
        names.push_back(builder.intern(nameOf(i)));
    const StringId call = builder.intern("cudaLaunchKernel");
    SliceBatch batch;
    for (uint64_t i = 0; i < count; ++i) {
        SliceRow row;
        row.start_ns = int64_t(i) * kEvery_ns;
        row.duration_ns = durationOf(i);
        row.name = names[i % kNames];
        row.kind = RowKind::kernel;
        row.category = SliceCategory::compute;
        row.source = SourceRow::of(0, i + 1);
        row.correlation = uint32_t(i + 1);
        batch.add(builder.track({TrackKind::gpuStream, process, {}, device, 7, 1}), row);
        row.start_ns -= 1'000;
        row.duration_ns = 500;
        row.name = call;
        row.kind = RowKind::runtimeApi;
        row.category = SliceCategory::cudaApi;
        row.source = SourceRow::of(1, i + 1);
        batch.add(builder.track({TrackKind::cudaApi, process, thread, {}, 0, 0}), row);
    }
    builder.adopt(std::move(batch));
    return builder.freeze(Progress(test::workers())).value();
}

class PlainTable {
  public:
    explicit PlainTable(uint64_t count)
    {
        sqlite3_open(":memory:", &m_database);
        run("CREATE TABLE name(id INTEGER PRIMARY KEY, value TEXT); CREATE TABLE kernel(start INTEGER, end INTEGER, "
            "correlation INTEGER, name INTEGER); CREATE TABLE api(start INTEGER, end INTEGER, correlation INTEGER); "
            "BEGIN");
        for (uint64_t i = 0; i < kNames; ++i)
            run("INSERT INTO name VALUES (" + std::to_string(i) + ", '" + nameOf(i) + "')");
        sqlite3_stmt *kernel = nullptr, *api = nullptr;
        sqlite3_prepare_v2(m_database, "INSERT INTO kernel VALUES (?, ?, ?, ?)", -1, &kernel, nullptr);
        sqlite3_prepare_v2(m_database, "INSERT INTO api VALUES (?, ?, ?)", -1, &api, nullptr);
        for (uint64_t i = 0; i < count; ++i) {
            const int64_t start = int64_t(i) * kEvery_ns;
            insert(kernel, {start, start + durationOf(i), int64_t(i + 1), int64_t(i % kNames)});
            insert(api, {start - 1'000, start - 500, int64_t(i + 1)});
        }
        sqlite3_finalize(kernel);
        sqlite3_finalize(api);
        run("COMMIT; CREATE INDEX a ON kernel(name); CREATE INDEX b ON kernel(start); CREATE INDEX c ON "
            "api(correlation); ANALYZE");
    }
    ~PlainTable() { sqlite3_close(m_database); }
    PlainTable(const PlainTable&) = delete;

    void run(const std::string& sql)
    {
        char* message = nullptr;
        if (sqlite3_exec(m_database, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK)
            std::fprintf(stderr, "%s\n", message);
        sqlite3_free(message);
    }

  private:
    static void insert(sqlite3_stmt* statement, std::initializer_list<int64_t> values)
    {
        int at = 0;
        for (const int64_t value : values)
            sqlite3_bind_int64(statement, ++at, value);
        sqlite3_step(statement);
        sqlite3_reset(statement);
    }

    sqlite3* m_database = nullptr;
};

int bench(int argc, char** argv)
{
    uint64_t count = 10'000'000;
    for (int i = 1; i < argc; ++i)
        count = std::strcmp(argv[i], "--smoke") == 0 ? 20'000 : std::strtoull(argv[i], nullptr, 10);
    Workspace workspace;
    workspace.add(manyKernels(count));
    const ScenePtr scene = makeHeadlessScene(workspace, alignReports(workspace, {}));
    PlainTable plain(count);
    const std::string middle = std::to_string(int64_t(count) / 2 * kEvery_ns);
    const std::string window = " WHERE start_ns < " + middle + " + 10000000 AND end_ns > " + middle;
    const std::string plainWindow = " WHERE start < " + middle + " + 10000000 AND end > " + middle;
    const std::vector<std::array<std::string, 3>> questions{
        {"group by name",
         "SELECT name, count(*), sum(duration_ns), max(duration_ns) FROM kernel GROUP BY name",
         "SELECT (SELECT value FROM name WHERE id = name), count(*), sum(end - start), max(end - start) FROM kernel "
         "GROUP BY name"},
        {"10 ms window", "SELECT count(*), sum(duration_ns) FROM kernel" + window,
         "SELECT count(*), sum(end - start) FROM kernel" + plainWindow},
        {"calls joined to kernels",
         "SELECT count(*), sum(k.start_ns - a.start_ns) FROM link l JOIN kernel k ON k.id = l.effect JOIN api a ON a.id "
         "= l.cause",
         "SELECT count(*), sum(k.start - a.start) FROM kernel k JOIN api a ON a.correlation = k.correlation"}};
    for (const auto& [what, ours, theirs] : questions) {
        double best = 1e300, plainBest = 1e300;
        for (int i = 0; i < 3; ++i) {
            bool isAnswered = false;
            best =
                std::min(best, msOf([&] { isAnswered = runQuery(ours, scene, {}, Progress()).has_value(); }));
            if (!isAnswered) return 1;
            plainBest = std::min(plainBest, msOf([&] { plain.run(theirs); }));
        }
        std::printf("%-24s %10.2f ms, plain SQLite %10.2f ms: %.2f times faster\n", what.c_str(), best,
                    plainBest, plainBest / best);
    }
    return 0;
}

const test::Bench kBench("sql_bench", bench);

} // namespace

} // namespace lockstep::sql_bench
