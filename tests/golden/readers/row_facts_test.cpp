// SPDX-License-Identifier: Apache-2.0
// Tests facts that files record about rows beyond a report's columns: from every format that has them, for
// rows in any order, plain and compressed; absent where not recorded; and the result for files that are
// deleted, changed or too long.
#include "core/trace/row_facts.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "core/readers/reader.h"
#include "tests/support/gzip_text.h"
#include "tests/support/launch_run.h"
#include "tests/support/made_spool.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;
using enum RowFact;

namespace {

constexpr RowFactSet kAllFacts = (RowFactSet(1) << static_cast<unsigned>(RowFact::count)) - 1;

std::vector<SliceId> rowsOf(const Report& report, RowKind kind)
{
    std::vector<SliceId> rows;
    for (uint32_t row = 0; row < report.slices.size(); ++row) {
        if (report.slices.kind[row] == kind) rows.push_back(SliceId(row));
    }
    return rows;
}

RowFacts factsOf(const Report& report, std::span<const SliceId> rows, RowFactSet wanted = kAllFacts)
{
    RowFacts facts(wanted);
    const auto reader = openRowFacts(report);
    if (!reader) qFatal("%s", reader.error().message.c_str());
    const Status read = (*reader)->read(rows, facts, Progress());
    if (!read) qFatal("%s", read.error().message.c_str());
    return facts;
}

using Number = std::optional<int64_t>;

LaunchRun variedRun(int64_t rows)
{
    LaunchRun run;
    for (int64_t n = 0; n < rows; ++n)
        run.rows.push_back(variedLaunch(n));
    return run;
}

std::shared_ptr<const Report> opened(const std::filesystem::path& path)
{
    return readReport(path, Progress(test::workers())).value();
}

// Each row has the facts of the launch that its correlation id names.
void compareFacts(const Report& report, const LaunchRun& run, std::span<const SliceId> rows)
{
    const RowFacts facts = factsOf(report, rows);
    for (size_t i = 0; i < rows.size(); ++i) {
        const auto id = static_cast<size_t>(facts.number(i, correlation).value());
        const LaunchedRow& row = run.rows.at(id - 1);
        QCOMPARE(report.slices.start_ns[rows[i].value], row.start_ns);
        const bool isKernel = !row.name.empty();
        const auto ofKernel = [&](int64_t value) { return isKernel ? Number(value) : Number(); };
        QVERIFY(facts.number(i, gridX) == ofKernel(row.grid[0]));
        QVERIFY(facts.number(i, gridY) == ofKernel(row.grid[1]));
        QVERIFY(facts.number(i, blockX) == ofKernel(row.block[0]));
        QVERIFY(facts.number(i, blockZ) == ofKernel(row.block[2]));
        QVERIFY(facts.number(i, registers) == ofKernel(row.registers));
        QVERIFY(facts.number(i, size) == (isKernel ? Number() : Number(row.size_bytes)));
        QVERIFY(facts.number(i, context) == Number(1));
        QVERIFY(!facts.number(i, dynamicShared) && !facts.number(i, address) && !facts.number(i, result));
    }
}

std::vector<SliceId> workOf(const Report& report)
{
    std::vector<SliceId> rows = rowsOf(report, RowKind::kernel);
    const std::vector<SliceId> copies = rowsOf(report, RowKind::memcpy);
    rows.insert(rows.end(), copies.begin(), copies.end());
    return rows;
}

} // namespace

class RowFactsTest : public QObject {
    Q_OBJECT

  private slots:
    void everyFormat_data()
    {
        QTest::addColumn<QString>("format");
        for (const char* const format : {"sqlite", "json", "json.gz"})
            QTest::newRow(format) << format;
    }
    void everyFormat()
    {
        QFETCH(QString, format);
        const LaunchRun run = variedRun(4'000);
        const TempDir folder;
        const std::filesystem::path path = folder.path() / ("run." + format.toStdString());
        if (format == "sqlite") QVERIFY(runSql(path, run.nsysSql()));
        if (format == "json") folder.write(path.filename(), run.kinetoText());
        if (format == "json.gz") folder.write(path.filename(), gzipped(run.kinetoText()));
        const auto report = opened(path);
        std::vector<SliceId> rows = workOf(*report);
        QCOMPARE(rows.size(), run.rows.size());
        compareFacts(*report, run, rows);
        // Rows in random order, some twice, few and far apart.
        std::mt19937 random(11);
        std::ranges::shuffle(rows, random);
        rows.insert(rows.end(), rows.begin(), rows.begin() + 100);
        compareFacts(*report, run, rows);
        compareFacts(*report, run, std::span(rows).first(9));
        compareFacts(*report, run, {});
        const RowFacts few = factsOf(*report, std::span(rows).first(3), rowFacts({gridX}));
        QVERIFY(!few.number(0, correlation));
    }

    void onlyNsys()
    {
        const LaunchRun run = variedRun(30);
        const TempDir folder;
        const std::filesystem::path path = folder.path() / "run.sqlite";
        QVERIFY(runSql(path, run.nsysSql()));
        const auto report = opened(path);
        const std::vector<SliceId> kernels = rowsOf(*report, RowKind::kernel);
        const RowFacts ofKernels = factsOf(*report, kernels);
        QCOMPARE(ofKernels.number(0, staticShared), Number(2000));
        for (size_t i = 0; i < kernels.size(); ++i) {
            const auto id = static_cast<size_t>(ofKernels.number(i, correlation).value());
            QCOMPARE(ofKernels.text(i, mangledName), "_Z" + run.rows[id - 1].name);
        }
        const RowFacts ofCopies = factsOf(*report, rowsOf(*report, RowKind::memcpy));
        QCOMPARE(ofCopies.number(0, sourceKind), Number(0));
        QCOMPARE(ofCopies.number(0, destinationKind), Number(2));
        QVERIFY(!ofCopies.number(0, gridX));
        const RowFacts ofCalls = factsOf(*report, rowsOf(*report, RowKind::runtimeApi));
        QCOMPARE(ofCalls.number(3, result), Number(0));
        QCOMPARE(ofCalls.number(3, priority), Number(20));
    }

    // Values that the writer recorded; a field that an older writer did not have is absent, not 0.
    void captures()
    {
        MadeSpool spool;
        spool.meta().thread(7);
        const uint64_t name = spool.text("_Z4gemmPf");
        spool.record(LOCKSTEP_KIND_KERNEL,
                     {1'000'000'100, 50, 0, 1, 7, 21, name, 4, 3, 2, 128, 1, 1, 40, 512, 0});
        spool.record(LOCKSTEP_KIND_MEMCPY, {1'000'000'200, 50, 0, 1, 7, 22, 1, 1, 3, 4096});
        const uint64_t call = spool.text("cudaLaunchKernel");
        spool.record(LOCKSTEP_KIND_API, {1'000'000'050, 9, 7, 21, 0, call, 700});
        spool.closeBlock().finish();
        const TempDir folder;
        const auto report = opened(folder.write("a.lsc", spool.bytes()));
        const RowFacts kernel = factsOf(*report, rowsOf(*report, RowKind::kernel));
        QCOMPARE(kernel.number(0, correlation), Number(21));
        QCOMPARE(kernel.number(0, gridX), Number(4));
        QCOMPARE(kernel.number(0, gridZ), Number(2));
        QCOMPARE(kernel.number(0, staticShared), Number(512));
        QCOMPARE(kernel.number(0, dynamicShared), Number(0));
        QVERIFY(!kernel.number(0, graphNode));
        QVERIFY(!kernel.number(0, size));
        QCOMPARE(factsOf(*report, rowsOf(*report, RowKind::memcpy)).number(0, size), Number(4096));
        QCOMPARE(factsOf(*report, rowsOf(*report, RowKind::runtimeApi)).number(0, result), Number(700));
    }

    void changedFiles()
    {
        const LaunchRun run = variedRun(50);
        const TempDir folder;
        const std::filesystem::path path = folder.path() / "run.sqlite", json = folder.path() / "run.json";
        QVERIFY(runSql(path, run.nsysSql()));
        folder.write("run.json", run.kinetoText());
        const auto nsys = opened(path), kineto = opened(json);
        const auto failure = [](const Report& report) {
            RowFacts facts(kAllFacts);
            const auto reader = openRowFacts(report);
            if (!reader) return reader.error().kind;
            const Status read = (*reader)->read(rowsOf(report, RowKind::kernel), facts, Progress());
            return read ? ErrorKind::unsupported : read.error().kind; // never the report's own
        };
        QVERIFY(runSql(path, "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId = 40"));
        QCOMPARE(failure(*nsys), ErrorKind::corrupt);
        QVERIFY(runSql(path, "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL"));
        QCOMPARE(failure(*nsys), ErrorKind::corrupt);
        // The text changed but not its length.
        std::string other = run.kinetoText();
        std::ranges::replace(other.begin() + static_cast<ptrdiff_t>(other.size() / 2), other.end(), '{', ' ');
        folder.write("run.json", other);
        QCOMPARE(failure(*kineto), ErrorKind::corrupt);
        folder.write("run.json", other + " ");
        QCOMPARE(failure(*kineto), ErrorKind::corrupt);
        std::filesystem::remove(json);
        QCOMPARE(failure(*kineto), ErrorKind::notFound);
        std::filesystem::remove(path);
        QCOMPARE(failure(*nsys), ErrorKind::notFound);
    }

    void stopsWhenAsked()
    {
        const LaunchRun run = variedRun(50);
        const TempDir folder;
        const std::filesystem::path path = folder.path() / "run.sqlite";
        QVERIFY(runSql(path, run.nsysSql()));
        folder.write("run.json", run.kinetoText());
        std::stop_source stop;
        stop.request_stop();
        for (const auto& report : {opened(path), opened(folder.path() / "run.json")}) {
            RowFacts facts(kAllFacts);
            const auto reader = openRowFacts(*report).value();
            const Status read = reader->read(workOf(*report), facts, Progress(stop.get_token()));
            QVERIFY(!read && read.error().kind == ErrorKind::canceled);
        }
    }
};

LOCKSTEP_TEST(RowFactsTest, "row_facts_test")
#include "row_facts_test.moc"
