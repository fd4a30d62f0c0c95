// SPDX-License-Identifier: Apache-2.0
// Tests event lines, lists and records from agents and from disk: valid, unusual and broken ones.
#include "core/remote/agent_client.h"
#include "core/remote/agent_plan.h"
#include "core/remote/run_event.h"
#include "core/remote/run_record.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

class RunEventTest : public QObject {
    Q_OBJECT

  private slots:
    void readsEventsOfAllKinds()
    {
        const auto output = runEventFromLine(
            R"({"seq":7,"t_ns":5,"kind":"stdout","command":0,"cut_bytes":9,"text":"a\n","to":2})");
        QVERIFY(output.has_value());
        QCOMPARE(output->seq, uint64_t(7));
        QCOMPARE(output->kind, EventKind::standardOutput);
        QCOMPARE(output->text, std::string("a\n"));
        QCOMPARE(output->cut_bytes, int64_t(9));
        const auto sample = runEventFromLine(
            R"({"seq":1,"t_ns":5,"kind":"gpu","cpu_percent":12.5,"disk_free_bytes":3,"gpus":[{"index":1,"busy_percent":40,"used_bytes":5,"total_bytes":9},3]})");
        QCOMPARE(sample->use.cpu_percent, 12.5);
        QCOMPARE(sample->use.gpus.size(), size_t(1));
        QCOMPARE(sample->use.gpus[0].index, 1);
        const auto report = runEventFromLine(
            R"({"seq":1,"t_ns":5,"kind":"report","path":"?","path_hex":"2f61ff","size_bytes":4,"complete":true,"type":"trace json","old":true})");
        QCOMPARE(report->path, std::string("/a\xFF"));
        QVERIFY(report->isComplete && report->isOld);
        const auto end =
            runEventFromLine(R"({"seq":1,"t_ns":5,"kind":"exit","run":true,"code":3,"stopped":true})");
        QVERIFY(end->isRunEnd && end->wasStopped);
        QCOMPARE(end->code, std::optional<int64_t>(3));
        const auto held =
            runEventFromLine(R"({"seq":1,"t_ns":5,"kind":"started","command":1,"order":2,"waiting":true})");
        QVERIFY(held->isWaiting);
        QCOMPARE(held->order, std::optional<int64_t>(2));
        QCOMPARE(runEventFromLine(R"({"seq":1,"t_ns":5,"kind":"news"})")->kind, EventKind::other);
    }

    void refusesInvalidEvents()
    {
        for (const char* line :
             {"", "{", "3", "{}", R"({"seq":0,"kind":"step"})", R"({"seq":"1","kind":"step"})",
              R"({"seq":1})", R"({"seq":-4,"kind":"step"})"})
            QVERIFY2(!runEventFromLine(line), line);
        // Fields of the wrong type count as absent.
        const auto odd =
            runEventFromLine(R"({"seq":1,"kind":"gpu","cpu_percent":"x","gpus":{},"path":7,"code":"q"})");
        QVERIFY(odd.has_value());
        QVERIFY(odd->use.gpus.empty() && odd->path.empty() && !odd->code);
    }

    void readsLists()
    {
        size_t lost = 0;
        const auto listed =
            listedReportsFrom("{\"path\":\"/a b\",\"size_bytes\":4,\"complete\":true,\"kind\":\"sqlite\","
                              "\"sha256\":\"ab\",\"modified_ns\":9}\nnonsense\n\n{\"path\":5}\n"
                              "{\"path\":\"x\",\"path_hex\":\"6e6c0a\"}",
                              &lost);
        QCOMPARE(listed.size(), size_t(2));
        QCOMPARE(lost, size_t(2));
        QCOMPARE(listed[0].path, std::string("/a b"));
        QVERIFY(listed[0].isComplete);
        QCOMPARE(listed[1].path, std::string("nl\n"));
    }

    void recordsSurviveAndAreFound()
    {
        const test::TempDir folder;
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString(folder.path().string()));
        RunRecord record;
        record.id = "2026-11-20T12-00-00-a";
        record.session = "a";
        record.started_ns = 5;
        record.slurmJob = "12";
        record.output = "/o/x.lockstep";
        record.hosts = {{"node0", "user@node0", "d/1", "n1", true, ""}};
        const auto save = [](const RunRecord& one) {
            return replaceFile(runFolderOf(one) / "record.json", jsonFromRunRecord(one)).has_value();
        };
        QVERIFY(save(record));
        RunRecord later = record;
        later.id = "2026-11-20T13-00-00-a";
        later.started_ns = 6;
        QVERIFY(save(later));
        folder.write("runs/broken/record.json", "{");
        QCOMPARE(knownRuns().size(), size_t(2));
        QVERIFY(*findRun(record.id) == record);
        QVERIFY(*findRun("2026-11-20T13") == later);
        QVERIFY(*findRun("a") == later); // the newest of that session
        const auto none = findRun("2026-11-20");
        QVERIFY(!none && none.error().message.find(later.id) != std::string::npos);
        QVERIFY(!findRun(""));
        // The files of a record are searched under its id, so a record whose id differs from its folder is
        // ignored.
        RunRecord elsewhere = record;
        elsewhere.id = "../elsewhere";
        QVERIFY(
            replaceFile(runsFolder() / "planted" / "record.json", jsonFromRunRecord(elsewhere)).has_value());
        QVERIFY(!findRun(elsewhere.id));
        qunsetenv("LOCKSTEP_STATE_HOME");
    }

    void hostsBecomeFileNames()
    {
        QCOMPARE(fileNameOf("user@node-0.lab"), std::string("user@node-0.lab"));
        QCOMPARE(fileNameOf("../x y"), std::string("%2E.%2Fx%20y"));
        QCOMPARE(fileNameOf(""), std::string("this-machine"));
        const std::string a = fileNameOf(std::string(300, 'n') + "a"),
                          b = fileNameOf(std::string(300, 'n') + "b");
        QVERIFY(a.size() <= 120 && b.size() <= 120 && a != b);
    }

    void rootsAreBelowTheWorkingFolder()
    {
        SessionConfig config;
        config.savePath = "out";
        config.role(Role::actor).savePath = "/abs";
        HostPlan host;
        host.address = "node0";
        host.reportFolders = {"~/own"};
        QCOMPARE(reportRoots(config, host), (std::vector<std::string>{"~/out", "/abs", "~/own"}));
        host.workingFolder = "/w";
        QCOMPARE(reportRoots(config, host), (std::vector<std::string>{"/w/out", "/abs", "~/own"}));
    }

    void jobEvents()
    {
        const auto event = runEventFromLine(
            R"x({"seq":3,"t_ns":5,"kind":"job","scheduler":"slurm","job":"12","phase":"pending","state":"PENDING","reason":"JobHeldUser","text":"held by its owner","expected_start_s":9,"nodes":[{"name":"n1","component":1},{"name":"n2"},{"name":"../n2"},{"name":"-w"},{"name":"a/b"},{"name":"$(id)"},{"name":""},3]})x");
        QCOMPARE(event->kind, EventKind::job);
        QVERIFY(event->job.has_value());
        QCOMPARE(event->job->phase, JobPhase::pending);
        QCOMPARE(event->job->expectedStart_s, std::optional<int64_t>(9));
        // A node's name becomes a folder's: a text that is not a valid name is not a node.
        QCOMPARE(event->job->nodes, (std::vector<JobNode>{{"n1", 1}, {"n2", -1}}));
        QVERIFY(!runEventFromLine(R"({"seq":3,"t_ns":5,"kind":"stdout","job":"12"})")->job);
    }

    void slurmPlanFollowsTheJob()
    {
        LaunchPlan plan;
        HostPlan login;
        login.host = "login";
        login.reportFolders = {"out"};
        login.commands = {
            {1, "submit to Slurm", {"sbatch", "--parsable", "-p", "gpu", "lockstep/s/job.sbatch"}}};
        const JobOptions place{"RUN", "\"$HOME\"/agent", "runs/RUN", 7};
        const auto made = jobPlan(plan, login, place);
        QVERIFY(made.has_value());
        QCOMPARE(made->commands.front().argv,
                 (std::vector<std::string>{"lockstep-agent", "slurm", "--script", "lockstep/s/job.sbatch",
                                           "--stem", "lockstep/s/RUN", "--agent", "\"$HOME\"/agent", "--runs",
                                           "\"$HOME\"/runs/RUN", "--hold", "7", "--", "-p", "gpu"}));
        QVERIFY(slurmReleaseText(*made).ends_with("lockstep/s/RUN.collected"));
        const auto node = hostPlanFromJson(made->files.back().content);
        QVERIFY(node.has_value());
        QCOMPARE(node->reportFolders, (std::vector<std::string>{"out"}));
        QCOMPARE(node->commands.front().argv.back(), std::string("lockstep/s/RUN.exit"));
        login.commands.front().argv.insert(login.commands.front().argv.begin() + 1, "--array=1-4");
        QVERIFY(!jobPlan(plan, login, place));
        login.commands.clear();
        QVERIFY(!jobPlan(plan, login, place));
    }

    void rayPlanFollowsTheJob()
    {
        HostPlan head;
        head.commands = {{1, "submit to Ray", {"ray", "job", "submit", "--no-wait", "--", "bash", "e.sh"}}};
        const auto made = jobPlan({}, head, {"2026-11-20T12-01-07-a b", "agent", "runs", 0});
        QVERIFY(made.has_value());
        QCOMPARE(
            made->commands.front().argv,
            (std::vector<std::string>{"lockstep-agent", "ray-job", "--id", "lockstep-2026-11-20T12-01-07-a_b",
                                      "--", "ray", "job", "submit", "--no-wait", "--", "bash", "e.sh"}));
    }
};

LOCKSTEP_TEST(RunEventTest, "run_event_test")
#include "run_event_test.moc"
