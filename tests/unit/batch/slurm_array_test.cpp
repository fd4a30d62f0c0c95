// SPDX-License-Identifier: Apache-2.0
// Tests the arguments and the script that are passed to Slurm, checked with a real shell, and the parsers of
// its commands' output.
#include <QProcess>

#include "core/batch/slurm_array.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::TempDir;

namespace fs = std::filesystem;

class SlurmArrayTest : public QObject {
    Q_OBJECT

  private slots:
    void argumentsOfSbatch()
    {
        const SlurmRequest requested{"gpu", "", "10", {"--mem=4G"}, {}};
        const auto made = slurmArrayArguments(requested, 6, 3, "/out/.batch/task.sh", {});
        const auto has = [](const std::vector<std::string>& all, const char* word) {
            return std::ranges::find(all, word) != all.end();
        };
        QVERIFY(has(made, "--array=0-5%3"));
        QVERIFY(has(made, "--partition=gpu") && has(made, "--time=10") && has(made, "--mem=4G"));
        QVERIFY(has(made, "--no-requeue") && has(made, "SBATCH_WAIT"));
        QVERIFY(std::ranges::none_of(made, [](const std::string& word) {
            return word.starts_with("--account") || word.starts_with("--exclude");
        }));
        QCOMPARE(made.back(), std::string("/out/.batch/task.sh"));
        QVERIFY(has(slurmArrayArguments({}, 1, 0, "s", {}), "--array=0"));
    }

    // sbatch only uses the last --exclude, so the plan's is merged with the batch's.
    void excludedNodes_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("word");
        QTest::newRow("none") << QStringList{"--mem=1G"} << "--exclude=node3";
        QTest::newRow("long") << QStringList{"--exclude=n[0-1]"} << "--exclude=n[0-1],node3";
        QTest::newRow("separate argument")
            << QStringList{"--exclude", "n7", "--mem=1G"} << "--exclude=n7,node3";
        QTest::newRow("short") << QStringList{"-xn8"} << "--exclude=n8,node3";
        QTest::newRow("short, separate argument") << QStringList{"-x", "n9"} << "--exclude=n9,node3";
    }
    void excludedNodes()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, word);
        SlurmRequest requested;
        for (const QString& option : options)
            requested.options.push_back(option.toStdString());
        const auto made = slurmArrayArguments(requested, 1, 0, "s", std::vector<std::string>{"node3"});
        QCOMPARE(made[made.size() - 2], word.toStdString());
    }

    // A folder, a program and arguments that every shell changes unless they are quoted.
    void scriptKeepsArguments()
    {
        const TempDir folder;
        const fs::path odd = folder.path() / "-a $(b) 'c'\n\"d\"";
        fs::create_directories(odd);
        const fs::path program = odd / "pro gram";
        std::ofstream(program)
            << "#!/bin/sh\npwd\nfor w; do printf '<%s>' \"$w\"; done\necho to stderr >&2\n";
        fs::permissions(program, fs::perms::owner_all);
        const std::string stem = (odd / "log ").string();
        const std::string script =
            slurmTaskScript(odd.string(), {program.string(), "--memory-limit", "5", "$HOME `x` 'y'"}, stem);
        const Run run = runScript(script, "12");
        QCOMPARE(run.status, 0);
        QCOMPARE(run.output, QByteArray());
        const std::string log = test::contentOf(stem + "12.log");
        QCOMPARE(log, "lockstep: task 12 on node7\n" + odd.string() +
                          "\n<--memory-limit><5><$HOME `x` 'y'><--jobs><1><--batch-task><12>to stderr\n");
        QCOMPARE(taskHostFromLog(log), std::string("node7"));
        QCOMPARE(lastLineOfTaskLog(log).substr(lastLineOfTaskLog(log).size() - 9), std::string("to stderr"));
    }

    void logsOfSeveralTries()
    {
        const std::string first = "lockstep: task 3 on node0\nkilled\nlockstep: task 3 on node1\n";
        QCOMPARE(taskHostFromLog(first), std::string("node1"));
        QCOMPARE(lastLineOfTaskLog(first), std::string());
        QCOMPARE(taskHostFromLog("no such line\n"), std::string());
        QCOMPARE(lastLineOfTaskLog("one\ntwo\n\n"), std::string("two"));
    }

    // A full or read-only disk accepts no log. The task still runs.
    void logThatCannotBeWritten()
    {
        const TempDir folder;
        const fs::path made = folder.path() / "made";
        const fs::path program = folder.write("program", "#!/bin/sh\n: > '" + made.string() + "'\nexit 28\n");
        fs::permissions(program, fs::perms::owner_all);
        const Run run = runScript(slurmTaskScript("/", {program.string()}, "/no/such/folder/log-"), "0");
        QCOMPARE(run.status, 28);
        QVERIFY(fs::exists(made));
    }

    void programNotFound()
    {
        const TempDir folder;
        const std::string stem = (folder.path() / "log-").string();
        const Run run = runScript(slurmTaskScript("/", {"/no/such/lockstep"}, stem), "0");
        QVERIFY(run.status != 0);
        QVERIFY(test::contentOf(stem + "0.log").find(" cannot find /no/such/lockstep") != std::string::npos);
    }

    void queue()
    {
        const SlurmQueue queue =
            slurmQueueFrom("CLUSTER: other\n"
                           "     12 PENDING|Resources|N/A\n"
                           "      1 PENDING|Resources|1795690300\n"
                           "      2 PENDING|Nodes required for job are DOWN, DRAINED|1795690200\n"
                           "      1 PENDING|None|N/A\n"
                           "      3 RUNNING||\n"
                           "      1 COMPLETING||\nsqueue: warning\n");
        QCOMPARE(queue.left, size_t(20));
        QCOMPARE(queue.pending, size_t(16));
        QCOMPARE(queue.reason, std::string("Resources")); // the limit of most tasks
        QCOMPARE(queue.expectedStart_s, std::optional<int64_t>(1795690200));
        QCOMPARE(slurmQueueFrom("").left, size_t(0));
        for (const char* line : {"|", "x PENDING|a|b", "-1 RUNNING||", "4 RUNNING"})
            QCOMPARE(slurmQueueFrom(line).left, size_t(0));
    }

    void queueText()
    {
        SlurmQueue queue{8, 8, "JobHeldUser", 3600};
        QCOMPARE(slurmQueueText("12", queue, 0),
                 std::string("job 12: 8 tasks are pending: held by its owner (JobHeldUser); run scontrol "
                             "release 12 to release it"));
        queue = {8, 1, "Resources", 3600};
        const std::string text = slurmQueueText("12", queue, 3000);
        QVERIFY2(text.starts_with("job 12: 1 task is pending: waiting for free nodes (Resources); expected "
                                  "start "),
                 text.c_str());
        QCOMPARE(slurmQueueText("12", {8, 0, "", {}}, 0), std::string());     // all of them run
        QCOMPARE(slurmQueueText("12", {8, 8, "None", {}}, 0), std::string()); // not looked at yet
    }

    void arrayLimit()
    {
        QCOMPARE(slurmArrayLimitFrom("MaxArraySize            = 1001\nMaxJobCount = 10000\n"),
                 std::optional<size_t>(1001));
        QCOMPARE(slurmArrayLimitFrom("MaxArraySize            = 1001\n"
                                     "SchedulerParameters     = bf_interval=1,max_array_tasks=50,defer\n"),
                 std::optional<size_t>(50));
        QVERIFY(!slurmArrayLimitFrom("slurm_load_ctl_conf error: Unable to contact slurm controller\n"));
    }

    void recordIsReadAgain()
    {
        const TempDir folder;
        const fs::path file = folder.path() / "job.json";
        QVERIFY(readSlurmRecord(file).has_value() && !readSlurmRecord(file)->has_value()); // none
        const SlurmRecord made{"12", "other", "/out/.batch/task-1.sh", 1795690300};
        QVERIFY(writeSlurmRecord(file, made).has_value());
        QVERIFY(*readSlurmRecord(file).value() == made);
        folder.write("job.json", "{\"job\": \"13\"}"); // from an older Lockstep
        QCOMPARE(readSlurmRecord(file).value()->job, std::string("13"));
        for (const char* text :
             {"", "{}", "{\"job\": \"13; rm\"}", "{\"job\": \"13\", \"cluster\": \"-x\"}"}) {
            folder.write("job.json", text);
            QVERIFY(!readSlurmRecord(file).has_value());
        }
    }

  private:
    struct Run {
        int status = -1;
        QByteArray output;
    };
    static Run runScript(const std::string& script, const char* task)
    {
        QProcess bash;
        QProcessEnvironment environment;
        environment.insert("SLURM_ARRAY_TASK_ID", task);
        environment.insert("SLURMD_NODENAME", "node7");
        environment.insert("PATH", "/usr/bin:/bin");
        bash.setProcessEnvironment(environment);
        bash.start("/bin/bash", {"-c", QString::fromStdString(script)});
        if (!bash.waitForFinished(test::kPatience_ms)) return {};
        return {bash.exitCode(), bash.readAllStandardOutput() + bash.readAllStandardError()};
    }
};

LOCKSTEP_TEST(SlurmArrayTest, "slurm_array_test")
#include "slurm_array_test.moc"
