// SPDX-License-Identifier: Apache-2.0
// Records the same program alternately with the real nsys and with our own library. The ranges must have the
// same names, threads, domains, nesting and counts. Prints the cost of a push/pop pair under each.
#include "tests/capture/captured_run.h"
#include "tests/support/real_nsys.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// Thread ids differ between runs, so rows are matched by the thread name that the program sets.
std::vector<std::string> comparable(const Report& report)
{
    std::map<std::string, std::string> names;
    for (const Thread& thread : report.threads)
        names[std::to_string(thread.tid)] = report.strings.at(thread.name);
    std::vector<std::string> lines;
    for (const std::string& line : rangeLines(report)) {
        const size_t tab = line.find('\t');
        lines.push_back(names[line.substr(0, tab)] + line.substr(tab));
    }
    std::ranges::sort(lines);
    return lines;
}

double costUnderNsys(const std::filesystem::path& folder, int threads)
{
    const NsysRun run =
        profile(folder, "cost",
                {"--trace=nvtx", "--sample=none", "--cpuctxsw=none", "--force-overwrite=true",
                 builtProgram("capture-push_pop_bench_nvtx3"), "300000", QString::number(threads), "5000"});
    for (const QByteArray& line : run.output.split('\n')) {
        bool isNumber = false;
        const double cost = line.trimmed().toDouble(&isNumber);
        if (isNumber) return cost;
    }
    return -1;
}

} // namespace

class CaptureCompareTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase()
    {
        if (!realNsys().problem.empty()) QSKIP(realNsys().problem.c_str());
        if (!std::filesystem::exists(builtProgram("capture-ranges_nvtx3").toStdString()))
            QSKIP("NVIDIA's NVTX headers are not here");
    }

    void sameRanges()
    {
        const TempDir folder;
        const NsysRun profiled = profile(folder.path(), "ranges",
                                         {"--trace=nvtx", "--sample=none", "--cpuctxsw=none",
                                          builtProgram("capture-ranges_nvtx3"), "short", "/dev/null"});
        QVERIFY2(profiled.status == 0, profiled.output.constData());
        const NsysRun exported =
            runNsys(folder.path(), {"export", "--type=sqlite", "-o", "ranges.sqlite", "ranges.nsys-rep"});
        QVERIFY2(exported.status == 0, exported.output.constData());
        const auto theirs = readReport(folder.path() / "ranges.sqlite", Progress());
        QVERIFY(theirs.has_value());
        const CapturedRun ours =
            runCaptured(builtProgram("capture-ranges_nvtx3"), {"short", "/dev/null"}, folder.path() / "out");
        QCOMPARE(ours.reports.size(), 1u);
        const std::vector<std::string> a = comparable(**theirs), b = comparable(*ours.reports[0]);
        QCOMPARE(a.size(), b.size());
        const auto [x, y] = std::ranges::mismatch(a, b);
        QVERIFY2(x == a.end(), x == a.end() ? "" : (*x + " / " + *y).c_str());
    }

    // nsys contains CUPTI 10.0 to 11.8. Each one loads; on a machine without a device there is only a
    // message.
    void nsysCuptisLoad()
    {
        if (!std::filesystem::exists(builtProgram("capture-cuda_init").toStdString()))
            QSKIP("CUPTI's headers are not here");
        int found = 0;
        for (const auto& entry : std::filesystem::directory_iterator(realNsys().folder)) {
            const std::string name = entry.path().filename().string();
            if (!name.starts_with("libcupti.so.1")) continue;
            ++found;
            const TempDir folder;
            const CapturedRun run =
                runCaptured(builtProgram("capture-cuda_init"), {}, folder.path(),
                            {{"LOCKSTEP_CAPTURE_CUPTI", QString::fromStdString(entry.path().string())}});
            QCOMPARE(run.status, 0);
            QCOMPARE(countOf(*run.reports.at(0), "nvtx_pushpop"), 2u);
            QVERIFY2(factOf(*run.reports[0], "CUDA").find(name) != std::string::npos, name.c_str());
        }
        if (found == 0) QSKIP("this nsys was fetched without its CUPTIs");
        QVERIFY(found >= 10);
    }

    void costOfAPair_data()
    {
        QTest::addColumn<int>("threads");
        QTest::newRow("1 thread") << 1;
        QTest::newRow("4 threads") << 4;
    }

    void costOfAPair()
    {
        QFETCH(int, threads);
        const TempDir folder;
        const double theirs = costUnderNsys(folder.path(), threads);
        const CapturedRun run =
            runCaptured(builtProgram("capture-push_pop_bench_nvtx3"),
                        {"300000", QString::number(threads), "5000"}, folder.path() / "out");
        qInfo("ns a pair of push and pop, %d threads: nsys %.1f, lockstep %.1f", threads, theirs,
              run.output.toDouble());
        QVERIFY(theirs > 0 && run.output.toDouble() > 0);
    }
};

LOCKSTEP_TEST(CaptureCompareTest, "capture_compare_test")
#include "capture_compare_test.moc"
