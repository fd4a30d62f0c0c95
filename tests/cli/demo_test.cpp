// SPDX-License-Identifier: Apache-2.0
// Tests `lockstep --demo` without a display: real processes, recorded and aligned to one axis. Also tests
// what remains when a part of the demo dies, is stopped or is forbidden.
#include <csignal>
#include <map>
#include <set>

#include <QProcess>
#include <QTest>

#include "core/align/alignment.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/csv_rows.h"
#include "tests/support/places.h"
#include "tests/support/processes_below.h"
#include "tests/support/slowness.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace fs = std::filesystem;

namespace {

QString pathText(const fs::path& path)
{
    return QString::fromStdString(path.string());
}

class Demo {
  public:
    // isHeld: the last step does not begin before release().
    explicit Demo(const fs::path& folder, const QStringList& settings = {}, bool isHeld = false)
        : m_folder(folder)
    {
        if (isHeld) m_home.write("hold", "");
        QProcessEnvironment environment;
        environment.insert("HOME", pathText(m_home.path()));
        environment.insert("PATH", "/usr/local/bin:/usr/bin:/bin");
        environment.insert("LC_ALL", "C");
        environment.insert("LOCKSTEP_DEMO_HOLD", pathText(m_home.path() / "hold"));
        addSanitizerOptions(environment);
        for (const QString& setting : settings)
            environment.insert(setting.section('=', 0, 0), setting.section('=', 1));
        m_process.setProcessEnvironment(environment);
        m_process.setWorkingDirectory("/"); // where most users have no write permission
        m_process.start(builtProgram("lockstep"), {"--demo", pathText(folder)});
    }
    void release() { fs::remove(m_home.path() / "hold"); }
    // The folder belongs to a test, and so do all processes that run below it.
    ~Demo()
    {
        m_process.kill();
        m_process.waitForFinished(kPatience_ms);
        for (const pid_t pid : processesBelow(m_folder))
            ::kill(pid, SIGKILL);
    }

    bool hasSaid(const QByteArray& text)
    {
        return waitUntil([&] {
                   m_output += m_process.readAllStandardOutput();
                   return m_output.contains(text) || m_process.state() == QProcess::NotRunning;
               }) &&
               m_output.contains(text);
    }
    // -1: the process did not end by itself.
    int status()
    {
        const bool hasEnded = waitUntil([this] { return m_process.state() == QProcess::NotRunning; });
        m_output += m_process.readAllStandardOutput();
        m_errors += m_process.readAllStandardError();
        return hasEnded && m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1;
    }
    void signal(int number) { ::kill(static_cast<pid_t>(m_process.processId()), number); }
    const QByteArray& output() const { return m_output; }
    const QByteArray& errors() const { return m_errors; }
    fs::path runs() const { return m_home.path() / ".local/state/lockstep/runs"; }

  private:
    const TempDir m_home;
    const fs::path m_folder;
    QProcess m_process;
    QByteArray m_output, m_errors;
};

// Rank -> its report, in the workspace of a demo.
std::map<int, ReportKey> captures(const Workspace& workspace)
{
    std::map<int, ReportKey> found;
    for (const ReportKey key : workspace.keys()) {
        if (workspace.report(key).provenance.kind == "lockstep capture")
            found.emplace(workspace.identity(key).rank.value.value_or(-1), key);
    }
    return found;
}

// Returns a value of the first row after the header.
std::string cell(const std::vector<Row>& rows, std::string_view column)
{
    const auto at = std::ranges::find(rows.at(0), column) - rows.at(0).begin();
    return rows.at(1).at(static_cast<size_t>(at));
}

std::set<std::string> rangesCalled(const Report& report, std::string_view begin)
{
    std::set<std::string> names;
    for (uint32_t i = 0; i < report.slices.size(); ++i) {
        if (report.nameOf(SliceId{i}).starts_with(begin)) names.emplace(report.nameOf(SliceId{i}));
    }
    return names;
}

} // namespace

class DemoTest : public QObject {
    Q_OBJECT

  private slots:
    void fourRanksOnTwoHosts()
    {
        const TempDir folder;
        const fs::path out = folder.path() / "the demo";
        Demo demo(out);
        const int status = demo.status();
        QVERIFY2(status == 0, demo.errors().constData());
        QVERIFY2(demo.errors().contains("two hosts, both of them this machine"), demo.errors().constData());
        QVERIFY(fs::file_size(out / "timeline.png") > 10'000);
        const auto contents = openWorkspaceFile(out / "demo.lockstep", Progress());
        QVERIFY(contents.has_value());
        const Workspace& workspace = contents->workspace;
        const auto reports = captures(workspace);
        QCOMPARE(reports.size(), size_t(4));
        std::set<std::string> hosts;
        for (const auto& [rank, key] : reports) {
            const Report& report = workspace.report(key);
            hosts.insert(*workspace.identity(key).host.value);
            QCOMPARE(*workspace.identity(key).host.value, std::string(rank < 2 ? "demo-a" : "demo-b"));
            QCOMPARE(rangesCalled(report, "step "), (std::set<std::string>{"step 1", "step 2", "step 3"}));
            QCOMPARE(report.collectives.size(), size_t(33)); // eleven per step
            for (const char* stage : {"rollout_generate", "compute_rm_score", "ref_compute_log_prob",
                                      "critic_update", "actor_update"})
                QVERIFY2(!rangesCalled(report, stage).empty(), stage);
            // Each report records that the hosts are one machine.
            QVERIFY(std::ranges::any_of(report.notes.all(), [](const ImportNote& note) {
                return note.kind == "spool.host_by_setting";
            }));
        }
        QCOMPARE(hosts.size(), size_t(2));
        // All clocks are the same, so the alignment can be compared with the truth.
        const Alignment alignment = alignReports(workspace, {});
        QVERIFY(alignment.collectives != nullptr);
        for (const auto& [rank, key] : reports) {
            const ClockMap& map = alignment.map(key);
            const ClockMap& first = alignment.map(reports.at(0));
            QVERIFY(map.method == AlignMethod::reference || map.bound_ns.has_value());
            const auto at = TraceTime{workspace.report(key).session.begin.ns + 2'000'000'000};
            const int64_t off_ns = std::abs(map.alignedFromTrace(at).ns - first.alignedFromTrace(at).ns);
            QVERIFY2(off_ns <= map.bound_ns.value_or(0) + first.bound_ns.value_or(0),
                     qPrintable(QString("rank %1 is off by %2 ns").arg(rank).arg(off_ns)));
        }
        // Rank 2 takes half as long again as the others.
        const std::vector<Row> rows = csvRows(contentOf(out / "tables/stragglers.csv"));
        QCOMPARE(rows.size(), size_t(5));
        QCOMPARE(cell(rows, "rank"), std::string("2"));
        QVERIFY2(std::stod(cell(rows, "caused_share_%")) > 50, cell(rows, "caused_share_%").c_str());
        QVERIFY(contentOf(out / "tables/alignment.csv").find("bound_ns") != std::string::npos);
        nothingIsLeft(demo, out);
    }

    // A driver that is found at run time gets kernels. A driver that fails is reported, and the run
    // continues.
    void kernelsWithADriver_data()
    {
        QTest::addColumn<bool>("fails");
        QTest::newRow("works") << false;
        QTest::newRow("fails") << true;
    }

    void kernelsWithADriver()
    {
        QFETCH(bool, fails);
        const TempDir folder;
        const fs::path log = folder.path() / "launches";
        QStringList settings{"LD_LIBRARY_PATH=" + builtProgram("../lib/cuda_standin"),
                             "LOCKSTEP_STANDIN_LOG=" + pathText(log)};
        if (fails) settings << "LOCKSTEP_STANDIN_FAILS=1";
        Demo demo(folder.path() / "out", settings);
        const int status = demo.status();
        QVERIFY2(status == 0, demo.errors().constData());
        for (const char* rank : {"rank 0", "rank 1", "rank 2", "rank 3"})
            QVERIFY2(demo.output().contains(QByteArray(rank) + " computes on CUDA device"),
                     demo.output().constData());
        const std::string launches = contentOf(log);
        QCOMPARE(launches.find_first_not_of('k'), std::string::npos);
        if (fails) {
            QCOMPARE(launches.size(), size_t(4 * 10));
            QVERIFY2(demo.output().contains("continues on the CPU: launch: CUDA error 700"),
                     demo.output().constData());
        } else {
            QVERIFY(launches.size() > 4 * 100);
        }
        nothingIsLeft(demo, folder.path() / "out");
    }

    void killedRankIsReportedAndTheRestOpens()
    {
        const TempDir folder;
        Demo demo(folder.path(), {}, true);
        QVERIFY2(demo.hasSaid("step 1"), demo.output().constData());
        const auto ranks = processesBelow(folder.path(), "RANK=2");
        QCOMPARE(ranks.size(), size_t(1));
        ::kill(ranks.front(), SIGKILL);
        demo.release();
        QCOMPARE(demo.status(), 3);
        const QByteArray said = demo.output() + demo.errors();
        QVERIFY2(said.contains("rank 2 was killed by signal 9"), said.constData());
        QVERIFY2(said.contains("rank 2 has exited in "), said.constData());
        QVERIFY2(demo.errors().contains("the process ended before the capture could"),
                 demo.errors().constData());
        const auto contents = openWorkspaceFile(folder.path() / "demo.lockstep", Progress());
        QVERIFY(contents.has_value());
        const auto reports = captures(contents->workspace);
        QCOMPARE(reports.size(), size_t(4));
        for (const auto& [rank, key] : reports)
            QVERIFY(rangesCalled(contents->workspace.report(key), "step ").contains("step 1"));
        nothingIsLeft(demo, folder.path());
    }

    void interruptedDemoLeavesNothing()
    {
        const TempDir folder;
        Demo demo(folder.path(), {}, true);
        QVERIFY(demo.hasSaid("step 1"));
        demo.signal(SIGINT);
        QCOMPARE(demo.status(), 130);
        QVERIFY(!fs::exists(folder.path() / "demo.lockstep"));
        nothingIsLeft(demo, folder.path());
    }

    // The demo's processes end by themselves after the program, and its folder is deleted without another
    // start.
    void killedDemoLeavesNothing()
    {
        const TempDir folder;
        Demo killed(folder.path(), {}, true);
        QVERIFY(killed.hasSaid("step 1"));
        QVERIFY(fs::exists(folder.path() / "hosts"));
        killed.signal(SIGKILL);
        QCOMPARE(killed.status(), -1);
        QVERIFY2(waitUntil([&] { return !fs::exists(folder.path() / "hosts"); }), "its hosts' folder stays");
        nothingIsLeft(killed, folder.path());
    }

    // If the process that deletes the folder was killed as well, the next demo deletes it.
    void killedDemoIsCleanedUpByTheNext()
    {
        const TempDir folder;
        Demo killed(folder.path(), {}, true);
        QVERIFY(killed.hasSaid("step 1"));
        size_t sweepers = 0;
        for (const pid_t pid : processesBelow(folder.path())) {
            const fs::path process = "/proc/" + std::to_string(pid);
            if (procFile(process / "cmdline").find("--sweep-demo") == std::string::npos) continue;
            ::kill(pid, SIGKILL);
            ++sweepers;
        }
        QCOMPARE(sweepers, size_t(1));
        killed.signal(SIGKILL);
        QCOMPARE(killed.status(), -1);
        QVERIFY2(waitUntil([&] { return processesBelow(folder.path()).empty(); }), "its processes go on");
        QVERIFY(fs::exists(folder.path() / "hosts"));
        Demo next(folder.path(), {"LOCKSTEP_STATE_HOME=" + pathText(killed.runs().parent_path())}, true);
        QVERIFY(next.hasSaid("running"));
        next.signal(SIGINT);
        QCOMPARE(next.status(), 130);
        nothingIsLeft(killed, folder.path());
    }

    void twoAtOnce()
    {
        const TempDir folder;
        Demo first(folder.path()), second(folder.path());
        const int statusOfFirst = first.status(), statusOfSecond = second.status();
        QVERIFY2(statusOfFirst == 0, first.errors().constData());
        QVERIFY2(statusOfSecond == 0, second.errors().constData());
        nothingIsLeft(first, folder.path());
        nothingIsLeft(second, folder.path());
        const auto contents = openWorkspaceFile(folder.path() / "demo.lockstep", Progress());
        QVERIFY(contents.has_value());
        QCOMPARE(captures(contents->workspace).size(), size_t(4));
    }

    void unwritableFolder()
    {
        const TempDir folder;
        const fs::path file = folder.write("file", "in the way");
        Demo demo(file / "demo");
        QCOMPARE(demo.status(), 1);
        QVERIFY2(demo.errors().contains("cannot write the demo"), demo.errors().constData());
        QCOMPARE(filesIn(folder.path()), size_t(1));
    }

    // Where the demo cannot run, simulated data is shown and labeled as such.
    void syntheticDataWhereItCannotRun()
    {
        const TempDir folder;
        Demo demo(folder.path(), {"LOCKSTEP_AGENT=/bin/false"});
        QCOMPARE(demo.status(), 3);
        QVERIFY2(demo.errors().contains("writing SYNTHETIC data instead"), demo.errors().constData());
        QVERIFY(fs::exists(folder.path() / "made-up/timeline.png"));
        QVERIFY(fs::exists(folder.path() / "made-up/tables/inventory.csv"));
        QVERIFY(!fs::exists(folder.path() / "demo.lockstep"));
        QVERIFY(!fs::exists(folder.path() / "timeline.png"));
        nothingIsLeft(demo, folder.path());
    }

  private:
    void nothingIsLeft(const Demo& demo, const fs::path& folder)
    {
        QVERIFY2(waitUntil([&] { return processesBelow(folder).empty(); }), "a process is left");
        QVERIFY(!fs::exists(folder / "hosts"));
        QVERIFY(!fs::exists(demo.runs()) || fs::is_empty(demo.runs()));
    }
};

LOCKSTEP_TEST(DemoTest, "demo_test")
#include "demo_test.moc"
