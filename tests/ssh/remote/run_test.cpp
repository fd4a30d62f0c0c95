// SPDX-License-Identifier: Apache-2.0
// Tests lockstep --run over three real sshds: launched, watched, collected, verified, opened aligned.
#include <set>

#include "core/readers/workspace_file/workspace_file.h"
#include "core/remote/ledger.h"
#include "tests/support/places.h"
#include "tests/support/run_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

class RunTest : public QObject {
    Q_OBJECT

  private slots:
    void threeNodesFromPlanToWorkspace()
    {
        RunSite site({"node a", "nodeb", "nodec"});
        LOCKSTEP_NEED_SITE(site);
        LockstepProcess process = site.run();
        const int status = process.waitForEnd();
        if (status != 0) qWarning() << process.errors() << site.node(0).log().c_str();
        QCOMPARE(status, 0);
        // Every host reported its steps and its end.
        for (const char* host : {"node0", "node1", "node2"}) {
            QCOMPARE(process.linesWhere(lineOf("step", host)).size(), size_t(2));
            const auto ends = process.linesWhere(
                lineOf("exit", host, [](const QJsonObject& line) { return line["run"].toBool(); }));
            QCOMPARE(ends.size(), size_t(1));
            QVERIFY(!process.linesWhere(lineOf("gpu", host)).empty());
        }
        const auto files = process.linesWhere([](const QJsonObject& line) { return line["kind"] == "file"; });
        QCOMPARE(files.size(), size_t(12));
        for (const QJsonObject& file : files)
            QCOMPARE(file["state"].toString(), "verified");
        checkWorkspace(site.workspace());
    }

    // The output of a shell's start-up files precedes every answer.
    void shellWithStartupOutput()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        site.node(0).write(
            ".bashrc", "echo '{\"lockstep_probe\": 1}'\nprintf '\\033]0;mine\\007Welcome, no line end'\n");
        LockstepProcess process = site.run();
        const int status = process.waitForEnd();
        if (status != 0) qWarning() << process.errors();
        QCOMPARE(status, 0);
        const auto files = process.linesWhere([](const QJsonObject& line) { return line["kind"] == "file"; });
        QCOMPARE(files.size(), size_t(4));
        for (const QJsonObject& file : files)
            QCOMPARE(file["state"].toString(), "verified");
        const auto notes = process.linesWhere(lineOf("problem", "node0"));
        QCOMPARE(notes.size(), size_t(1));
        QCOMPARE(notes[0]["word"].toString(), "shell_prints");
        QVERIFY2(process.errors().contains("start-up files of the host's shell print"),
                 process.errors().constData());
    }

    // A folder that both nodes share: each file is reported twice, and counted and fetched once.
    void sharedFolderIsCountedOnce()
    {
        RunSite site({"a", "b"});
        LOCKSTEP_NEED_SITE(site);
        const auto shared = site.site().folder() / "shared";
        std::filesystem::create_directories(shared);
        for (const size_t node : {size_t(0), size_t(1)})
            std::filesystem::create_directory_symlink(shared, site.node(node).home() / "reports");
        site.hold(0, 2);
        site.hold(1, 2);
        LockstepProcess process = site.run();
        // Also while the run continues, as soon as both nodes have reported their files.
        const auto isWhole = [](const QJsonObject& line) { return line["complete"].toBool(); };
        const auto toldBy = [&](const char* host) {
            return process.linesWhere(lineOf("report", host, isWhole)).size();
        };
        QVERIFY(waitUntil([&] { return toldBy("node0") == 8 && toldBy("node1") == 8; }));
        const auto runs = site.site().folder() / "state/runs";
        const auto saved = std::filesystem::directory_iterator(runs)->path() / "ledger.json";
        const auto isCountedOnce = [&] {
            const auto running = ledgerFromJson(contentOf(saved));
            return running && running->counts()[static_cast<size_t>(LedgerState::complete)] == 8 &&
                   std::ranges::count_if(running->entries(), [](const auto& one) {
                       return one.state == LedgerState::complete && one.alsoAt.size() == 1;
                   }) == 8;
        };
        QVERIFY(waitUntil(isCountedOnce));
        site.release(0, 2);
        site.release(1, 2);
        QCOMPARE(process.waitForEnd(), 0);
        const auto files = process.linesWhere([](const QJsonObject& line) { return line["kind"] == "file"; });
        QCOMPARE(files.size(), size_t(8));
        QVERIFY2(process.errors().contains("node0, node1 see the same 8 reports"),
                 process.errors().constData());
        // Both names lead to this machine, which is a finding before the launch.
        QVERIFY2(process.errors().contains("node0 and node1 are the same machine"),
                 process.errors().constData());
        const auto contents = openWorkspaceFile(site.workspace(), Progress());
        QVERIFY(contents.has_value());
        QCOMPARE(contents->workspace.size(), size_t(8 + 2));
        const auto ledger = ledgerFromJson(contents->sections.at("ledger.json"));
        QVERIFY(ledger.has_value());
        QCOMPARE(ledger->entries().size(), size_t(8));
        for (const LedgerEntry& entry : ledger->entries()) {
            QCOMPARE(entry.state, LedgerState::verified);
            QCOMPARE(entry.alsoAt.size(), size_t(1));
        }
        // After another attach, nothing is fetched and nothing is duplicated.
        LockstepProcess again = site.attach(process.runId());
        QCOMPARE(again.waitForEnd(), 0);
        QVERIFY(again.linesWhere([](const QJsonObject& line) { return line["kind"] == "file"; }).empty());
    }

    void temporaryFileIsNotAReport()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        site.config().command = {
            "sh", "-c",
            "mkdir -p reports && printf '{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",' "
            "> reports/x.json.tmp && until [ -e go ]; do sleep 0.05; done && "
            "printf '\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1}]}' >> reports/x.json.tmp && "
            "mv reports/x.json.tmp reports/x.json && sleep 2"};
        LockstepProcess process = site.run();
        const auto isTemporary = [](const QJsonObject& line) {
            return line["path"].toString().endsWith(".tmp");
        };
        QVERIFY(process.waitForLine(lineOf("report", "node0", isTemporary))); // it was seen
        site.node(0).write("go", "");
        const int status = process.waitForEnd();
        QVERIFY2(status == 0, process.errors().constData());
        QCOMPARE(process.verifiedFiles(), size_t(1));
        QCOMPARE(process.linesWhere([](const QJsonObject& line) { return line["kind"] == "ledger"; })
                     .front()["summary"]
                     .toString(),
                 QString("1 verified of 1"));
        // Nor when the events are read again.
        LockstepProcess again = site.attach(process.runId());
        QVERIFY2(again.waitForEnd() == 0, again.errors().constData());
    }

    void reducedColumns()
    {
        RunSite site({"a"});
        LOCKSTEP_NEED_SITE(site);
        const auto demo = site.node(0).home() / "demo";
        QCOMPARE(
            QProcess::execute(builtProgram("lockstep-demo-data"), {QString::fromStdString(demo.string())}),
            0);
        site.node(0).write("whole.json",
                           R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}]})");
        site.config().command = {"sh", "-c", "mkdir -p reports && cp demo/*.sqlite whole.json reports/"};
        LockstepProcess process = site.run({"--reduced"});
        const int status = process.waitForEnd();
        if (status != 0) qWarning() << process.errors();
        QCOMPARE(status, 0);
        size_t reduced = 0;
        for (const QJsonObject& line : process.linesWhere(lineOf("file", "node0"))) {
            const QString local = line["local_path"].toString();
            QCOMPARE(line["state"].toString(), "verified");
            if (!local.endsWith(".lockstep")) {
                QVERIFY(
                    local.endsWith("whole.json")); // a report that a node cannot reduce is fetched in full
                continue;
            }
            ++reduced;
            QVERIFY(std::filesystem::file_size(local.toStdString()) <
                    static_cast<uintmax_t>(line["size_bytes"].toInteger()));
        }
        QVERIFY(reduced > 0);
    }

  private:
    void checkWorkspace(const std::filesystem::path& path)
    {
        const auto contents = openWorkspaceFile(path, Progress());
        QVERIFY2(contents.has_value(), contents ? "" : contents.error().message.c_str());
        QCOMPARE(contents->workspace.size(), size_t(15)); // 12 traces, 3 hosts' counters
        std::set<std::pair<std::string, int>> ranks;
        size_t counterReports = 0;
        for (const ReportKey key : contents->workspace.keys()) {
            const auto& report = contents->workspace.shared(key);
            const Identity& identity = contents->workspace.identity(key);
            QVERIFY(identity.host.isKnown());
            if (report->provenance.kind == "run events") {
                ++counterReports;
                QVERIFY(!report->counterTracks.empty());
                continue;
            }
            ranks.emplace(*identity.host.value, identity.rank.value.value_or(-1));
        }
        QCOMPARE(counterReports, size_t(3));
        const std::set<std::pair<std::string, int>> wanted{{"node0", 0}, {"node0", 1}, {"node1", 2},
                                                           {"node1", 3}, {"node2", 4}, {"node2", 5}};
        QVERIFY(ranks == wanted);
        for (const char* section : {"session.yaml", "plan.json", "run.json", "ledger.json", "alignment.json"})
            QVERIFY2(!contents->sections.at(section).empty(), section);
        const auto ledger = ledgerFromJson(contents->sections.at("ledger.json"));
        QVERIFY(ledger.has_value());
        QCOMPARE(ledger->counts()[static_cast<size_t>(LedgerState::verified)], size_t(12));
        QVERIFY(contents->sections.at("alignment.json").find("rank5_step2.json") != std::string::npos);
    }
};

LOCKSTEP_TEST(RunTest, "run_test")
#include "run_test.moc"
