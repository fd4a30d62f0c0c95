// SPDX-License-Identifier: Apache-2.0
// What Slurm is told, held against a real shell, and what it says.
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
    void words()
    {
        const std::vector<size_t> tasks{0, 1, 2, 5, 7, 8};
        const SlurmWish wish{"gpu", "", "10", {"--mem=4G"}};
        const auto made = slurmArrayWords(wish, tasks, 3, "/out/.batch/task.sh");
        const auto has = [&](const char* word) { return std::ranges::find(made, word) != made.end(); };
        QVERIFY(has("--array=0-2,5,7-8%3"));
        QVERIFY(has("--partition=gpu") && has("--time=10") && has("--mem=4G") && has("--no-requeue"));
        QVERIFY(std::ranges::none_of(made,
                                     [](const std::string& word) { return word.starts_with("--account"); }));
        QCOMPARE(made.back(), std::string("/out/.batch/task.sh"));
        const auto one = slurmArrayWords({}, std::vector<size_t>{0}, 0, "s");
        QVERIFY(std::ranges::find(one, "--array=0") != one.end());
    }

    // A folder, a program and words that no shell leaves alone without quotes.
    void scriptKeepsWords()
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
        QProcess bash;
        QProcessEnvironment environment;
        environment.insert("SLURM_ARRAY_TASK_ID", "12");
        environment.insert("PATH", "/usr/bin:/bin");
        bash.setProcessEnvironment(environment);
        bash.start("/bin/bash", {"-c", QString::fromStdString(script)});
        QVERIFY(bash.waitForFinished(30'000));
        QCOMPARE(bash.exitCode(), 0);
        QCOMPARE(bash.readAllStandardOutput() + bash.readAllStandardError(), QByteArray());
        QCOMPARE(test::contentOf(stem + "12.log"),
                 odd.string() +
                     "\n<--memory-limit><5><$HOME `x` 'y'><--jobs><1><--batch-task><12>to stderr\n");
    }

    void aProgramThatIsNotThereIsTold()
    {
        const TempDir folder;
        const std::string stem = (folder.path() / "log-").string();
        QProcess bash;
        QProcessEnvironment environment;
        environment.insert("SLURM_ARRAY_TASK_ID", "0");
        environment.insert("PATH", "/usr/bin:/bin");
        bash.setProcessEnvironment(environment);
        bash.start("/bin/bash",
                   {"-c", QString::fromStdString(slurmTaskScript("/", {"/no/such/lockstep"}, stem))});
        QVERIFY(bash.waitForFinished(30'000));
        QVERIFY(bash.exitCode() != 0);
        QVERIFY(test::contentOf(stem + "0.log").find(" does not see /no/such/lockstep") != std::string::npos);
    }

    void states()
    {
        const auto state = slurmTaskStateFrom("17|PENDING|Nodes required for job are DOWN, DRAINED");
        QVERIFY(state.has_value());
        QCOMPARE(state->task, size_t(17));
        QCOMPARE(state->state, std::string("PENDING"));
        QCOMPARE(state->reason, std::string("Nodes required for job are DOWN, DRAINED"));
        for (const char* line :
             {"", "|", "x|RUNNING|None", "-1|RUNNING|None", "3|RUNNING", "N/A|RUNNING|None"})
            QVERIFY(!slurmTaskStateFrom(line).has_value());
    }
};

LOCKSTEP_TEST(SlurmArrayTest, "slurm_array_test")
#include "slurm_array_test.moc"
