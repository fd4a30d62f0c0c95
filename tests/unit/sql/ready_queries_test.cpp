// SPDX-License-Identifier: Apache-2.0
// Tests the ready queries of the SQL panel: each runs without an error on full, sparse and no reports, and
// its rows agree with the reports.
#include "core/sql/ready_queries.h"

#include <set>

#include "core/analysis/table_header.h"
#include "core/sql/sql_query.h"
#include "tests/support/made_reports.h"
#include "tests/support/rank_report.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int kGroupRanks = 2;

// Two ranks with everything that a timeline shows, one with lost data, and two ranks with collectives.
ScenePtr makeFullScene()
{
    Workspace workspace;
    workspace.add(madeRank({.rank = 0}));
    workspace.add(madeRank({.rank = 1, .losesRows = true}));
    for (int rank = 0; rank < kGroupRanks; ++rank) {
        RankReport made(rank, "node1", 0);
        CollectiveOp op;
        op.groupSize = kGroupRanks;
        for (const int size_bytes : {1024, 1024, 4096}) {
            op.message_bytes = uint64_t(size_bytes);
            op.sequence = op.sequence == CollectiveOp::kAbsentCount ? 1 : op.sequence + 1;
            const auto start = int64_t(op.sequence) * 100'000;
            made.addCollective(start, start + 10 * size_bytes, "allreduce", "dp", op);
        }
        workspace.add(made.finish());
    }
    return makeHeadlessScene(workspace, alignReports(workspace, {}));
}

const ScenePtr& fullScene()
{
    static const ScenePtr kScene = makeFullScene();
    return kScene;
}

Table answer(std::string_view title, const ScenePtr& scene = ::fullScene())
{
    for (const ReadyQuery& ready : readyQueries()) {
        if (ready.title != title) continue;
        auto tables = runQuery(ready.query, scene, {}, Progress());
        if (!tables) qFatal("%s", tables.error().message.c_str());
        return std::move(tables->front());
    }
    qFatal("no query %s", std::string(title).c_str());
}

// Returns the column with this header, such as "total_ns".
size_t columnOf(const Table& table, std::string_view header)
{
    for (size_t i = 0; i < table.columnCount(); ++i) {
        if (fileHeader(table, i) == header) return i;
    }
    qFatal("no column %s", std::string(header).c_str());
}

std::vector<int64_t> numbers(const Table& table, std::string_view column)
{
    return table.column(columnOf(table, column)).numbers;
}

std::vector<std::string> cells(const Table& table, std::string_view column)
{
    std::vector<std::string> all;
    for (size_t row = 0; row < table.rowCount(); ++row)
        all.push_back(table.cell(columnOf(table, column), row));
    return all;
}

int64_t sum(const Table& table, std::string_view column)
{
    int64_t all = 0;
    for (const int64_t number : numbers(table, column))
        all += number == kNoNumber ? 0 : number;
    return all;
}

bool isDescending(const Table& table, std::string_view column)
{
    return table.rowCount() > 1 && std::ranges::is_sorted(numbers(table, column), std::greater());
}

struct Total {
    int64_t count = 0, duration_ns = 0, longest_ns = 0;
};

// Counts the slices of these kinds in all reports.
Total total(std::initializer_list<RowKind> kinds)
{
    Total all;
    for (const ReportKey key : fullScene()->shown.keys()) {
        const SliceTable& slices = fullScene()->shown.report(key).slices;
        for (size_t i = 0; i < slices.size(); ++i) {
            if (std::ranges::find(kinds, slices.kind[i]) == kinds.end()) continue;
            const int64_t duration_ns = slices.duration(SliceId(uint32_t(i))).ns;
            ++all.count;
            all.duration_ns += duration_ns;
            all.longest_ns = std::max(all.longest_ns, duration_ns);
        }
    }
    return all;
}

// Returns true if each row links to a slice with the duration in this column.
bool linksToDuration(const Table& table, std::string_view column)
{
    const std::vector<int64_t> durations = numbers(table, column);
    for (size_t row = 0; row < table.rowCount(); ++row) {
        const SliceRef slice = table.longest(row);
        if (!fullScene()->holds(slice)) return false;
        const SliceTable& slices = fullScene()->shown.report(slice.report).slices;
        if (slices.duration(slice.slice).ns != durations[row]) return false;
    }
    return table.rowCount() > 0;
}

} // namespace

class ReadyQueriesTest : public QObject {
    Q_OBJECT

  private slots:
    void titlesAreUniqueAndGroupsAdjacent()
    {
        std::set<std::string_view> titles, groups;
        std::string_view group;
        for (const ReadyQuery& ready : readyQueries()) {
            QVERIFY(titles.insert(ready.title).second);
            if (ready.group != group) QVERIFY(groups.insert(ready.group).second);
            group = ready.group;
        }
    }

    void everyQueryRuns_data()
    {
        QTest::addColumn<QByteArray>("title");
        for (const ReadyQuery& ready : readyQueries()) {
            const QByteArray title(ready.title.data(), qsizetype(ready.title.size()));
            QTest::newRow(title) << title;
        }
    }
    void everyQueryRuns()
    {
        QFETCH(QByteArray, title);
        QVERIFY(answer(title.constData()).rowCount() > 0);
        Workspace sparse; // a report without kernels, links, counters and steps
        RankReport made(0, "node0", 0);
        made.addRange(0, 100, "only");
        sparse.add(made.finish());
        answer(title.constData(), makeHeadlessScene(sparse, alignReports(sparse, {})));
        QCOMPARE(answer(title.constData(), makeHeadlessScene({}, {})).rowCount(), size_t(0));
    }

    void kernels()
    {
        const Total kernels = total({RowKind::kernel});
        const Table byName = answer("Kernels by total time");
        QCOMPARE(sum(byName, "n"), kernels.count);
        QCOMPARE(sum(byName, "total_ns"), kernels.duration_ns);
        QVERIFY(isDescending(byName, "total_ns"));
        QVERIFY(linksToDuration(byName, "longest_ns"));
        double share = 0;
        for (size_t row = 0; row < byName.rowCount(); ++row)
            share += byName.value(columnOf(byName, "share_percent"), row);
        QVERIFY(std::abs(share - 100) < 1);
        const Table longest = answer("Longest kernels");
        QCOMPARE(longest.rowCount(), size_t(100));
        QCOMPARE(numbers(longest, "duration_ns").front(), kernels.longest_ns);
        QVERIFY(isDescending(longest, "duration_ns"));
        QVERIFY(linksToDuration(longest, "duration_ns"));
        const Table byRank = answer("Kernel time by rank and category");
        QCOMPARE(sum(byRank, "total_ns"), kernels.duration_ns);
        QCOMPARE(cells(byRank, "rank").front(), std::string("0"));
        QVERIFY(linksToDuration(byRank, "longest_ns"));
    }

    void launches()
    {
        const Table slowest = answer("Slowest launch calls");
        QVERIFY(isDescending(slowest, "duration_ns"));
        QVERIFY(linksToDuration(slowest, "duration_ns"));
        for (const std::string& call : cells(slowest, "call"))
            QCOMPARE(call, std::string("cudaLaunchKernel"));
        const Table delays = answer("Longest delays from launch to kernel start");
        QVERIFY(isDescending(delays, "waited_ns"));
        QVERIFY(numbers(delays, "waited_ns").back() > 0);
        const Total calls = total({RowKind::runtimeApi, RowKind::driverApi});
        const Table byName = answer("CUDA calls by total time");
        QCOMPARE(sum(byName, "n"), calls.count);
        QCOMPARE(sum(byName, "total_ns"), calls.duration_ns);
    }

    void ranges()
    {
        const Total ranges = total({RowKind::nvtxPushPop, RowKind::nvtxStartEnd, RowKind::userAnnotation});
        const Table byName = answer("NVTX ranges and annotations by name");
        QCOMPARE(sum(byName, "n"), ranges.count);
        QCOMPARE(sum(byName, "total_ns"), ranges.duration_ns);
        QVERIFY(linksToDuration(byName, "longest_ns"));
        QVERIFY(
            QString::fromStdString(cells(answer("Longest NVTX ranges"), "name").front()).startsWith("step "));
    }

    // The made copies have 20 bytes per nanosecond.
    void copies()
    {
        const Total copies = total({RowKind::memcpy});
        const Table byDirection = answer("Copies by direction, with throughput");
        QCOMPARE(byDirection.rowCount(), size_t(1));
        QCOMPARE(sum(byDirection, "n"), copies.count);
        QCOMPARE(sum(byDirection, "bytes"), copies.duration_ns * 20);
        QCOMPARE(byDirection.value(columnOf(byDirection, "gb_per_s"), 0), 20.0);
        const Table largest = answer("Largest copies");
        QVERIFY(isDescending(largest, "bytes"));
        QCOMPARE(numbers(largest, "bytes").front(), copies.longest_ns * 20);
    }

    void collectives()
    {
        const Table bySize = answer("Collectives by communicator and size");
        QCOMPARE(cells(bySize, "group_name"), (std::vector<std::string>{"dp", "dp"}));
        QCOMPARE(cells(bySize, "bytes"), (std::vector<std::string>{"4096", "1024"}));
        QCOMPARE(cells(bySize, "n"), (std::vector<std::string>{"2", "4"}));
        QCOMPARE(cells(bySize, "mean_ns"), (std::vector<std::string>{"40960", "10240"}));
        QVERIFY(linksToDuration(bySize, "longest_ns"));
        const Table byRank = answer("Collectives by rank");
        QCOMPARE(cells(byRank, "rank"), (std::vector<std::string>{"0", "1"}));
        QCOMPARE(cells(byRank, "bytes"), (std::vector<std::string>{"6144", "6144"}));
    }

    void countersAndSteps()
    {
        const Table peaks = answer("Memory peaks");
        QCOMPARE(cells(peaks, "name"), (std::vector<std::string>{"memory used", "memory used"}));
        for (size_t row = 0; row < peaks.rowCount(); ++row) {
            const double bytes = peaks.value(columnOf(peaks, "peak"), row);
            QVERIFY(bytes > 50e9 && bytes < 62e9);
        }
        QCOMPARE(answer("Mean and peak of each counter").rowCount(), size_t(4));
        const Table steps = answer("Steps of each report");
        QCOMPARE(cells(steps, "number"), (std::vector<std::string>{"0", "0", "1", "1"}));
        const Table across = answer("Step durations across ranks");
        QCOMPARE(cells(across, "n"), (std::vector<std::string>{"2", "2"}));
        const Table inStep = answer("Kernel time in each step");
        QCOMPARE(inStep.rowCount(), steps.rowCount());
        QVERIFY(sum(inStep, "kernels") > 400);
        QVERIFY(sum(inStep, "kernels") <= total({RowKind::kernel}).count);
    }

    void reports()
    {
        QCOMPARE(answer("Clock error bound of each report").rowCount(), fullScene()->shown.size());
        QCOMPARE(sum(answer("Time covered by role and step"), "reports"), int64_t(fullScene()->shown.size()));
        const Table lost = answer("Reports with lost data");
        QCOMPARE(lost.rowCount(), size_t(1));
        QCOMPARE(cells(lost, "rank").front(), std::string("1"));
    }
};

LOCKSTEP_TEST(ReadyQueriesTest, "ready_queries_test")
#include "ready_queries_test.moc"
