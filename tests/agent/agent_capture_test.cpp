// SPDX-License-Identifier: Apache-2.0
// Tests how the agent handles Lockstep's own captures on its node: complete, still being written, or left by
// a killed process. Also tests the probe of the C library.
#include <algorithm>
#include <csignal>
#include <fstream>
#include <set>

#include <QTest>

#include "capture/agent/host_probe.h"
#include "capture/agent/report_scan.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/agent_run.h"
#include "tests/support/places.h"
#include "tests/support/slowness.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

// Puts capture-rank and the capture library into a folder of their own.
class RankProgram {
  public:
    explicit RankProgram(const QStringList& more = {}) : m_folder()
    {
        m_process.setWorkingDirectory(QString::fromStdString(m_folder.path().string()));
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("NVTX_INJECTION64_PATH", builtProgram("../lib/liblockstep_capture.so"));
        environment.insert("LOCKSTEP_OUTPUT", QString::fromStdString(reports().string()));
        environment.insert("LOCKSTEP_ALL_RANKS", "1");
        for (const QString& variable : more)
            environment.insert(variable.section('=', 0, 0), variable.section('=', 1));
        m_process.setProcessEnvironment(environment);
    }
    ~RankProgram()
    {
        m_process.kill();
        m_process.waitForFinished(kPatience_ms);
    }
    fs::path reports() const { return m_folder.path() / "reports"; }
    void mark(const char* file) { std::ofstream(m_folder.path() / file) << ""; }
    void unmark(const char* file) { fs::remove(m_folder.path() / file); }
    void start() { m_process.start(builtProgram("capture-rank"), {"2"}); }
    bool waitForEnd() { return m_process.waitForFinished(kPatience_ms); }
    void run()
    {
        start();
        waitForEnd();
    }
    std::vector<fs::path> spools() const
    {
        std::vector<fs::path> files;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(reports(), error)) {
            if (entry.path().extension() == ".lsc") files.push_back(entry.path());
        }
        std::ranges::sort(files);
        return files;
    }

  private:
    TempDir m_folder;
    QProcess m_process;
};

agent::FoundReport examinedSpool(const fs::path& path)
{
    return agent::examineReport(path, agent::Examination::whole);
}

} // namespace

class AgentCaptureTest : public QObject {
    Q_OBJECT

  private slots:
    void completeTruncatedAndDamaged()
    {
        RankProgram program;
        program.run();
        const auto spools = program.spools();
        QCOMPARE(spools.size(), size_t(2));
        const agent::FoundReport whole = examinedSpool(spools[0]);
        QCOMPARE(whole.kind, "capture spool");
        QVERIFY2(whole.isComplete && whole.reason.empty(), whole.reason.c_str());
        // A byte of a block is changed: the length is complete, and the error is reported.
        {
            std::fstream file(spools[1], std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(64 + 56 + 3);
            file.put('\x55');
        }
        const agent::FoundReport damaged = examinedSpool(spools[1]);
        QVERIFY2(damaged.isComplete && damaged.reason.starts_with("damaged: "), damaged.reason.c_str());
        // The index is missing and no process is left that could write one, so the agent doesn't wait.
        fs::resize_file(spools[0], fs::file_size(spools[0]) - 16);
        const agent::FoundReport cut = examinedSpool(spools[0]);
        QVERIFY(!cut.isComplete && cut.isFinal && !cut.isFlushing);
        QVERIFY2(cut.reason.find("ended before it could finish its report; ") != std::string::npos &&
                     cut.reason.find(" of records") != std::string::npos,
                 cut.reason.c_str());
        for (const auto size : {uintmax_t(63), uintmax_t(10), uintmax_t(0)}) {
            fs::resize_file(spools[0], size);
            const agent::FoundReport stub = examinedSpool(spools[0]);
            QVERIFY(!stub.isComplete && !stub.reason.empty());
            QCOMPARE(stub.kind, "capture spool");
        }
    }

    void runningProcessIsFlushing()
    {
        RankProgram program;
        program.mark("hold_1");
        program.start();
        QVERIFY(waitUntil([&] { return program.spools().size() == 2; }));
        const auto haveHeaders = [&] {
            return std::ranges::all_of(program.spools(),
                                       [](const fs::path& spool) { return fs::file_size(spool) > 64; });
        };
        QVERIFY(waitUntil(haveHeaders));
        const TempDir home;
        const auto answer =
            runAgent(home.path(), {"list", QString::fromStdString(program.reports().string())});
        QCOMPARE(answer.status, 0);
        QCOMPARE(answer.objects().size(), 2);
        for (const QJsonObject& listed : answer.objects()) {
            QCOMPARE(listed["kind"].toString(), "capture spool");
            QCOMPARE(listed["complete"].toBool(), false);
            QCOMPARE(listed["flushing"].toBool(), true);
            QVERIFY(listed["reason"].toString().startsWith("still being written by process "));
        }
        program.unmark("hold_1");
        QVERIFY(program.waitForEnd());
        const auto ended =
            runAgent(home.path(), {"list", QString::fromStdString(program.reports().string())});
        for (const QJsonObject& listed : ended.objects()) {
            QCOMPARE(listed["complete"].toBool(), true);
            QVERIFY(!listed.contains("flushing"));
            QCOMPARE(listed["sha256"].toString().size(), 64);
        }
    }

    void reportsAreReducedOnTheNode()
    {
        RankProgram program;
        program.run();
        const TempDir home;
        QStringList words{"reduce"};
        for (const fs::path& spool : program.spools())
            words << QString::fromStdString(spool.string());
        const fs::path output = home.path() / "both.lockstep";
        const auto answer =
            runAgent(home.path(), words + QStringList{"-o", QString::fromStdString(output.string())});
        QVERIFY2(answer.status == 0, answer.errors.constData());
        const auto contents = openWorkspaceFile(output, Progress());
        QVERIFY(contents.has_value());
        QCOMPARE(contents->workspace.size(), size_t(2));
        std::set<int> ranks;
        for (const ReportKey key : contents->workspace.keys()) {
            ranks.insert(*contents->workspace.identity(key).rank.value);
            QVERIFY(contents->workspace.report(key).slices.size() >= 46);
        }
        QVERIFY(ranks == (std::set<int>{0, 1}));
    }

    // A run whose capture cannot write: the library's message becomes one event, and the run doesn't wait for
    // reports that will never exist.
    void libraryErrorsAreReported()
    {
        QJsonObject plan = hostPlan(
            {shell("mkdir -p reports && touch reports/taken && exec " + builtProgram("capture-rank") + " 1")},
            {"reports"});
        plan["environment"] =
            QJsonObject{{"NVTX_INJECTION64_PATH", builtProgram("../lib/liblockstep_capture.so")},
                        {"LOCKSTEP_OUTPUT", "reports/taken/below"},
                        {"LOCKSTEP_CAPTURE_STEPS", "one"},
                        {"LOCKSTEP_ALL_RANKS", "1"}};
        AgentRun run(plan);
        QCOMPARE(run.start().status, 0);
        run.attach();
        std::map<QString, int> failureCounts;
        for (const QJsonObject& event : ofKind(run.events(), "error")) {
            ++failureCounts[event["failure"].toString()];
            QVERIFY(event["text"].toString().startsWith("process "));
        }
        QCOMPARE(failureCounts["capture_settings"], 2); // one per rank
        QCOMPARE(failureCounts["capture_not_written"], 2);
        for (const QJsonObject& event : ofKind(run.events(), "error")) {
            if (event["failure"] != "capture_not_written") continue;
            QVERIFY2(event["text"].toString().contains("Not a directory"),
                     qPrintable(event["text"].toString()));
            QVERIFY(event["path"].toString().endsWith(".lsc"));
        }
    }

    // A process that the command left behind keeps recording: the agent waits for it, but not forever.
    void waitForARemainingProcessIsBounded()
    {
        QJsonObject plan = hostPlan({shell("touch hold_1; setsid " + builtProgram("capture-rank") +
                                           " 1 < /dev/null > /dev/null 2>&1 & sleep 1")},
                                    {"reports"});
        plan["environment"] =
            QJsonObject{{"NVTX_INJECTION64_PATH", builtProgram("../lib/liblockstep_capture.so")},
                        {"LOCKSTEP_OUTPUT", "reports"},
                        {"LOCKSTEP_ALL_RANKS", "1"}};
        AgentRun run(plan);
        QCOMPARE(run.start().status, 0);
        const auto isRunEnd = [](const QJsonObject& event) { return event["run"].toBool(); };
        QVERIFY(!run.waitFor(isRunEnd).isEmpty());
        QCOMPARE(ofKind(run.events(), "report").size() >= 2, true);
        for (const QJsonObject& event : ofKind(run.events(), "report"))
            QCOMPARE(event["complete"].toBool(), false);
        fs::remove(run.home() / "hold_1"); // the folder in which the program was started
    }

    // The command has ended; one of its processes completes its report some seconds later.
    void lateIndexIsWaitedFor()
    {
        QJsonObject plan =
            hostPlan({shell("touch hold_1; (sleep 4; rm hold_1) & setsid " + builtProgram("capture-rank") +
                            " 1 < /dev/null > /dev/null 2>&1 & sleep 1")},
                     {"reports"});
        plan["environment"] =
            QJsonObject{{"NVTX_INJECTION64_PATH", builtProgram("../lib/liblockstep_capture.so")},
                        {"LOCKSTEP_OUTPUT", "reports"},
                        {"LOCKSTEP_ALL_RANKS", "1"}};
        AgentRun run(plan);
        QCOMPARE(run.start().status, 0);
        const auto isRunEnd = [](const QJsonObject& event) { return event["run"].toBool(); };
        QVERIFY(!run.waitFor(isRunEnd).isEmpty());
        std::map<QString, bool> last;
        for (const QJsonObject& event : ofKind(run.events(), "report"))
            last[event["path"].toString()] = event["complete"].toBool();
        QCOMPARE(last.size(), size_t(2));
        for (const auto& [path, isComplete] : last)
            QVERIFY2(isComplete, qPrintable(path));
    }

    // The log is on another node's disk: the message is stored next to the reports.
    void logOnAnotherNode()
    {
        RankProgram program({"LOCKSTEP_CAPTURE_LOG=/nowhere/here/capture.log", "LOCKSTEP_CAPTURE_STEPS=one"});
        program.run();
        std::ifstream log(program.reports() / "lockstep_capture.log");
        const std::string text{std::istreambuf_iterator<char>(log), {}};
        QVERIFY2(text.find("STEPS must be a list of numbers") != std::string::npos, text.c_str());
    }

    void ownLibraryOfTheNode()
    {
        const TempDir root;
        QCOMPARE(agent::probeLibc(root.path()).kind, "");
        fs::create_directories(root.path() / "lib");
        std::ofstream(root.path() / "lib/ld-musl-x86_64.so.1") << "";
        QCOMPARE(agent::probeLibc(root.path()).kind, "musl");
        fs::create_directories(root.path() / "lib64");
        std::ofstream(root.path() / "lib64/libc.so.6") << "no version here";
        QCOMPARE(agent::probeLibc(root.path()).kind, "glibc");
        QCOMPARE(agent::probeLibc(root.path()).version, "");
        std::ofstream(root.path() / "lib64/libc.so.6")
            << "\x7f"
               "ELF GNU C Library (GNU libc) stable release version 2.17, by Roland McGrath et al.";
        QCOMPARE(agent::probeLibc(root.path()).version, "2.17");
        const std::string own =
            agent::probeLibc().version; // the version of this machine, whatever libc the agent was built with
        QVERIFY2(own.starts_with("2."), own.c_str());
    }
};

LOCKSTEP_TEST(AgentCaptureTest, "agent_capture_test")
#include "agent_capture_test.moc"
