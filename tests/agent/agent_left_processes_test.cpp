// SPDX-License-Identifier: Apache-2.0
// Tests which run owns the reports in a folder: reports of processes that outlive their command, of other
// runs in the same folder, of unrelated programs below the working folder, and reports that were removed.
#include <filesystem>
#include <fstream>

#include <QJsonDocument>
#include <QTest>

#include "tests/support/agent_run.h"
#include "tests/support/slowness.h"
#include "tests/support/test_registry.h"

using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

const std::string kLateTrace = R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "name": "k"}]})";

QString text(const fs::path& path)
{
    return QString::fromStdString(path.string());
}

// Returns the report event whose file has this name.
auto reportNamed(const QString& name, const QString& key)
{
    return [name, key](const QJsonObject& event) {
        return event["kind"] == "report" && event["path"].toString().endsWith(name) && event[key].toBool();
    };
}

auto failureNamed(const QString& failure)
{
    return [failure](const QJsonObject& event) { return event["failure"] == failure; };
}

bool isEnd(const QJsonObject& event)
{
    return event["run"].toBool();
}

// Several runs in one home folder, stored where agents store them.
class RunsOfOneHome {
  public:
    ~RunsOfOneHome()
    {
        for (const QString& id : m_started)
            runAgent(m_home.path(), {"stop", folderOf(id), "--grace", "0"});
    }

    const fs::path& home() const { return m_home.path(); }
    QString folderOf(const QString& id) const
    {
        return text(m_home.path()) + "/.local/state/lockstep/agent-runs/" + id + "/here";
    }
    int start(const QString& id, const QJsonObject& plan)
    {
        const std::string name = id.toStdString() + ".json";
        m_home.write(name, QJsonDocument(plan).toJson().toStdString());
        m_started.append(id);
        return runAgent(m_home.path(),
                        {"run", "--plan", text(m_home.path() / name), "--run-dir", folderOf(id), "--detach"})
            .status;
    }
    QList<QJsonObject> eventsToTheEnd(const QString& id)
    {
        return runAgent(m_home.path(), {"attach", folderOf(id)}).objects();
    }
    QList<QJsonObject> list(const QString& id)
    {
        return runAgent(m_home.path(), {"list", "--quick", "--run", folderOf(id)}).objects();
    }

  private:
    TempDir m_home;
    QStringList m_started;
};

// Writes NAME below the folder, then runs until a file "end" exists there.
QStringList writesAndStays(const fs::path& folder, const QString& name)
{
    return shell("cp source.json '" + text(folder) + "/" + name +
                 "'; touch written; until [ -e end ]; do sleep 0.1; done");
}

} // namespace

class AgentLeftProcessesTest : public QObject {
    Q_OBJECT

  private slots:
    void cleanup() { qunsetenv("LOCKSTEP_AGENT_LEFT_PATIENCE_S"); }

    // No report existed when the command ended.
    void aLateReportIsWaitedFor()
    {
        const TempDir reports;
        AgentRun run(hostPlan({shell("(sleep 3; cp source.json '" + text(reports.path()) +
                                     "/late.json') > /dev/null 2>&1 & exit 0")},
                              {text(reports.path())}));
        std::ofstream(run.home() / "source.json") << kLateTrace;
        QCOMPARE(run.start().status, 0);
        QVERIFY(!run.waitFor(isEnd).isEmpty());
        QVERIFY(!run.waitFor(reportNamed("late.json", "complete"), 1'000).isEmpty());
        const QString reportedText = textOf(run.events(), "waiting");
        QVERIFY2(reportedText.contains("still running (sh "), qPrintable(reportedText));
        QVERIFY(run.waitFor(failureNamed("still_running"), 1'000).isEmpty());
    }

    void remainingProcessesAreNamed()
    {
        qputenv("LOCKSTEP_AGENT_LEFT_PATIENCE_S", "1");
        const TempDir reports;
        AgentRun run(hostPlan({shell("sleep 1000 > /dev/null 2>&1 & exit 0")}, {text(reports.path())}));
        QCOMPARE(run.start().status, 0);
        QVERIFY(!run.waitFor(isEnd).isEmpty());
        const QString reportedText = run.waitFor(failureNamed("still_running"), 1'000)["text"].toString();
        QVERIFY2(reportedText.startsWith("1 process is still running (sleep "), qPrintable(reportedText));
    }

    void rayDaemonsAreNotWaitedFor()
    {
        const TempDir reports;
        AgentRun run(hostPlan({shell("bin/raylet -c 'sleep 1000; :' > /dev/null 2>&1 & exit 0")},
                              {text(reports.path())}));
        fs::create_directories(run.home() / "bin");
        fs::copy_file("/bin/sh", run.home() / "bin/raylet");
        QCOMPARE(run.start().status, 0);
        QVERIFY(!run.waitFor(isEnd).isEmpty());
        QVERIFY(textOf(run.events(), "waiting").isEmpty());
        QVERIFY(run.waitFor(failureNamed("still_running"), 1'000).isEmpty());
    }

    void removedReportIsReported()
    {
        const TempDir reports;
        const QString file = text(reports.path()) + "/x.json";
        AgentRun run(
            hostPlan({shell("cp source.json '" + file + "'; until [ -e go ]; do sleep 0.1; done; rm '" +
                            file + "'; until [ -e end ]; do sleep 0.1; done")},
                     {text(reports.path())}));
        std::ofstream(run.home() / "source.json") << kLateTrace;
        QCOMPARE(run.start().status, 0);
        QVERIFY(!run.waitFor(reportNamed("x.json", "complete")).isEmpty());
        std::ofstream(run.home() / "go") << "";
        QVERIFY(!run.waitFor(reportNamed("x.json", "gone")).isEmpty());
        std::ofstream(run.home() / "end") << "";
        QVERIFY(!run.waitFor(isEnd).isEmpty());
    }

    // Two runs use one folder at the same time: both report the conflict, and so does the check before a
    // launch.
    void twoRunsInOneFolderAreReported()
    {
        RunsOfOneHome runs;
        const fs::path reports = runs.home() / "reports";
        fs::create_directories(reports);
        std::ofstream(runs.home() / "source.json") << kLateTrace;
        const auto usedBy = [&] {
            const auto answer = runAgent(runs.home(), {"probe", "--write", text(reports)});
            const QJsonArray paths = QJsonDocument::fromJson(answer.output).object()["paths"].toArray();
            return paths.isEmpty() ? QString("no paths") : paths.first().toObject()["used_by"].toString();
        };
        QCOMPARE(usedBy(), QString());
        const QJsonObject plan = hostPlan({writesAndStays(reports, "a.json")}, {text(reports)});
        QCOMPARE(runs.start("first", plan), 0);
        QTRY_VERIFY(fs::exists(runs.home() / "written"));
        QCOMPARE(usedBy(), QString("first"));
        QCOMPARE(runs.start("second", hostPlan({writesAndStays(reports, "b.json")}, {text(reports)})), 0);
        QTRY_VERIFY(fs::exists(reports / "b.json"));
        std::ofstream(runs.home() / "end") << "";
        for (const QString id : {"first", "second"}) {
            const QString other = id == "first" ? "second" : "first";
            const auto events = runs.eventsToTheEnd(id);
            const auto reportedText = std::ranges::find_if(events, failureNamed("shared_folder"));
            QVERIFY2(reportedText != events.end(), qPrintable(id));
            QVERIFY((*reportedText)["text"].toString().contains("run " + other + " also writes to " +
                                                                text(reports)));
        }
        int doubted = 0;
        for (const QJsonObject& report : runs.list("first"))
            doubted += report["other_run"] == "second" ? 1 : 0;
        QVERIFY(doubted >= 1);
        QTRY_COMPARE(usedBy(), QString());
    }

    // A file that a later run writes into the folder does not belong to an earlier run.
    void laterRunOwnsItsReports()
    {
        RunsOfOneHome runs;
        const fs::path reports = runs.home() / "reports";
        fs::create_directories(reports);
        std::ofstream(runs.home() / "source.json") << kLateTrace;
        const auto plan = [&](const QString& name) {
            return hostPlan({shell("cp source.json '" + text(reports) + "/" + name + "'")}, {text(reports)});
        };
        QCOMPARE(runs.start("first", plan("a.json")), 0);
        QVERIFY(!runs.eventsToTheEnd("first").isEmpty());
        QCOMPARE(runs.list("first").size(), qsizetype(1));
        QCOMPARE(runs.start("second", plan("b.json")), 0);
        const auto events = runs.eventsToTheEnd("second");
        QVERIFY(std::ranges::none_of(events, failureNamed("shared_folder")));
        const auto first = runs.list("first");
        QCOMPARE(first.size(), qsizetype(1));
        QVERIFY(first[0]["path"].toString().endsWith("a.json"));
        QVERIFY(!first[0].contains("other_run"));
    }

    // A file below the working folder is marked; a file in a report folder is not.
    void unrelatedFilesBelowTheWorkingFolderAreMarked()
    {
        AgentRun run(
            hostPlan({shell("mkdir -p out other; cp source.json out/mine.json; cp source.json other/x.json")},
                     {"out", "."}));
        std::ofstream(run.home() / "source.json") << kLateTrace;
        QCOMPARE(run.start().status, 0);
        QVERIFY(!run.waitFor(isEnd).isEmpty());
        QVERIFY(!run.waitFor(reportNamed("x.json", "shared"), 1'000).isEmpty());
        QVERIFY(run.waitFor(reportNamed("mine.json", "shared"), 1'000).isEmpty());
        QVERIFY(!run.waitFor(reportNamed("mine.json", "complete"), 1'000).isEmpty());
    }
};

LOCKSTEP_TEST(AgentLeftProcessesTest, "agent_left_processes_test")
#include "agent_left_processes_test.moc"
