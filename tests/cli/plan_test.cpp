// SPDX-License-Identifier: Apache-2.0
// Tests lockstep --plan for scripts: exit statuses, and the plan on standard output.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/stat.h>

#include "tests/support/places.h"
#include "tests/support/program_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::ProgramRun;
using lockstep::test::runLockstep;

class PlanTest : public QObject {
    Q_OBJECT

  private slots:
    void printsThePlan()
    {
        const test::TempDir folder;
        const auto file =
            folder.write("s.yaml", "framework: command\ncommand: [python3, t.py]\ntool: nsys\n");
        const auto facts =
            folder.write("f.json", R"({"lockstep_probe": 1, "host": "localhost", "nsys": []})");
        const QString session = QString::fromStdString(file.string());
        const ProgramRun run = runLockstep({"--plan", session});
        QCOMPARE(run.status, 0);
        QVERIFY(run.output.contains("nsys profile"));
        const ProgramRun checked =
            runLockstep({"--plan", session, "--host-facts", QString::fromStdString(facts.string())});
        QCOMPARE(checked.status, 3);
        QVERIFY(checked.output.contains("nsys is not on PATH"));
    }

    void unknownKeysAreReportedWithTheirPosition()
    {
        const test::TempDir folder;
        const QString session = QString::fromStdString(
            folder.write("s.yaml", "framework: command\ncommand: [python3, t.py]\ntool: nsys\nrolse: 1\n")
                .string());
        const ProgramRun run = runLockstep({"--plan", session});
        QCOMPARE(run.status, 0);
        QVERIFY2(run.output.contains("warning  rolse: line 4, column 1: "), qPrintable(run.output));
        QVERIFY2(run.output.contains("did you mean roles?"), qPrintable(run.output));
        const ProgramRun strict = runLockstep({"--plan", session, "--strict"});
        QCOMPARE(strict.status, 3);
        QVERIFY2(strict.output.contains("error    rolse: line 4, column 1: "), qPrintable(strict.output));
        QCOMPARE(runLockstep({"--strict", session}).status, 2);
    }

    // bash can read a plan: the commands are commands, everything else is a comment.
    void noHiddenCommandRuns_data()
    {
        QTest::addColumn<QByteArray>("session");
        QTest::addColumn<bool>("isPlanned");
        const QByteArray bad = "\"a\\ntouch PWNED\\n\"";
        const auto row = [](const char* name, const QByteArray& text, bool isPlanned) {
            QTest::newRow(name) << text << isPlanned;
        };
        const QByteArray ssh = "launcher: {kind: ssh}\nhosts: [{name: h}]\ncommand: [\"true\"]\n";
        const QByteArray slurm = "launcher: {kind: slurm, login_node: l}\ncommand: [\"true\"]\n";
        const QByteArray ray = "launcher: {kind: ray_job}\ncommand: [\"true\"]\n";
        row("host name", "launcher: {kind: ssh}\nhosts: [{name: " + bad + "}]\ncommand: [\"true\"]\n", false);
        row("address",
            "launcher: {kind: ssh}\nhosts: [{name: h, address: " + bad + "}]\ncommand: [\"true\"]\n", false);
        row("name", ssh + "name: " + bad + "\n", false);
        row("escape", ssh + "name: \"\\e]0;PWN\\a\\e[31mred\"\n", false);
        row("working folder", ssh + "working_folder: " + bad + "\n", false);
        row("save path", ssh + "tool: torch\nsave_path: " + bad + "\n", false);
        row("slurm folder", slurm + "working_folder: " + bad + "\n", false);
        row("login node", "launcher: {kind: slurm, login_node: " + bad + "}\ncommand: [\"true\"]\n", false);
        row("batch script", "launcher: {kind: slurm, batch_script: " + bad + "}\ncommand: [\"true\"]\n",
            false);
        row("ray folder", ray + "working_folder: " + bad + "\n", false);
        row("ray address", "launcher: {kind: ray_job, ray_address: " + bad + "}\ncommand: [\"true\"]\n",
            false);
        row("settings",
            "framework: slime\nhosts: [{name: h}]\nlauncher: {kind: ssh}\ncommand: [\"true\"]\nsettings: {details: " +
                bad + "}\n",
            true);
        row("slurm", slurm, true);
        row("slurm script", slurm + "working_folder: /w\nenvironment: {A: " + bad + "}\n", true);
        row("ray", ray + "working_folder: /w\nenvironment: {A: " + bad + "}\n", true);
        row("unknown key", ssh + bad + ": 1\n\"$(touch PWNED)\": 2\n", true);
        row("words",
            "launcher: {kind: ssh}\nhosts: [{name: h}]\n"
            "command: [\"true\", " +
                bad + ", \"\\e[2J\\u202e\", \"'; touch PWNED; '\"]\n",
            true);
    }
    void noHiddenCommandRuns()
    {
        QFETCH(QByteArray, session);
        QFETCH(bool, isPlanned);
        const test::TempDir folder;
        const auto file = folder.write(
            "s.yaml",
            ((session.startsWith("framework") ? "" : "framework: command\n") + session).toStdString());
        const ProgramRun run = runLockstep({"--plan", QString::fromStdString(file.string())});
        QCOMPARE(run.status == 1, !isPlanned);
        QCOMPARE(run.output.isEmpty(), !isPlanned);
        for (const QByteArray& text : {run.output, run.errors}) {
            for (const char c : text)
                QVERIFY2(static_cast<unsigned char>(c) >= 0x20 || c == '\n', text);
            QVERIFY2(!text.contains("\u202e"), text);
        }
        if (!isPlanned) QVERIFY2(run.errors.contains("control character"), run.errors);
        QProcess bash;
        bash.start("bash", {"-n"});
        bash.write(run.output);
        bash.closeWriteChannel();
        QVERIFY(bash.waitForFinished(test::kPatience_ms));
        QVERIFY2(bash.exitCode() == 0, bash.readAllStandardError() + run.output);
        QProcess whole; // every command of the plan does nothing here
        whole.setWorkingDirectory(QString::fromStdString(folder.path().string()));
        whole.start("bash", {"-c", "sbatch() { :; }; ray() { :; }; cd() { :; }; . /dev/stdin"});
        whole.write(run.output);
        whole.closeWriteChannel();
        QVERIFY(whole.waitForFinished(test::kPatience_ms));
        QVERIFY2(!std::filesystem::exists(folder.path() / "PWNED"), run.output);
    }

    // The example of the help page about recipes, and a file that is no recipe.
    void readsRecipesOfTheUser()
    {
        std::ifstream help(test::sourceFolder() / "resources/help/recipes.md");
        const std::string page{std::istreambuf_iterator<char>(help), {}};
        const size_t begin = page.find("```yaml\n") + 8;
        const std::string recipe = page.substr(begin, page.find("```", begin) - begin);
        const test::TempDir folder;
        std::filesystem::create_directories(folder.path() / "lockstep/recipes");
        folder.write("lockstep/recipes/my_trainer.yaml", recipe);
        folder.write(
            "lockstep/recipes/torchrun.yaml",
            "lockstep_recipe: 1\nname: torchrun\nlabel: x\nruns_on: first_host\ncluster: ray\ntools: [nsys]\n");
        folder.write("lockstep/recipes/wrong.yaml",
                     "lockstep_recipe: 1\nname: wrong\nlabel: Wrong\nruns_in: x\n");
        const std::filesystem::path pipe = folder.path() / "lockstep/recipes/pipe.yaml";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0); // reading it would never end
        const auto file = folder.write(
            "s.yaml",
            "framework: my_trainer\nhosts: [{name: a, gpus: 2}, {name: b, gpus: 2}]\nlauncher: {kind: ssh}\n"
            "command: [my_train.py, --epochs, '1']\ntool: torch\nsteps: [5, 7]\nsave_path: /data\n");
        const ProgramRun run =
            runLockstep({"--plan", QString::fromStdString(file.string())}, {},
                        {{"XDG_CONFIG_HOME", QString::fromStdString(folder.path().string())}});
        QVERIFY2(run.status == 0, run.errors + run.output);
        for (const char* text :
             {"torchrun --nnodes=2", "--epochs 1 --trace --trace-step 5 --trace-dir /data", "total 4 files",
              "Only step 5 is recorded.", "torchrun.yaml: the framework torchrun cannot be replaced",
              "pipe.yaml: cannot be read", "wrong.yaml: line 1, column 1: 'runs_on' is missing"})
            QVERIFY2(run.output.contains(text), run.output);
    }

    void reportsWhyThereIsNoPlan()
    {
        const ProgramRun run = runLockstep({"--plan", "nowhere.yaml"});
        QCOMPARE(run.status, 1);
        QVERIFY(run.errors.contains("nowhere.yaml"));
        QCOMPARE(runLockstep({"--host-facts", "f.json"}).status, 2);
    }
};

LOCKSTEP_TEST(PlanTest, "plan_test")
#include "plan_test.moc"
