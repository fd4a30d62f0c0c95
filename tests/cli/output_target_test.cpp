// SPDX-License-Identifier: Apache-2.0
// Tests which files --output may replace: never an input, and a report, trace, session or script only when
// forced. A workspace with notes is not overwritten by the next one.
#include <filesystem>

#include <sys/stat.h>

#include "core/readers/workspace_file/workspace_file.h"
#include "core/scene/mark_list.h"
#include "tests/support/program_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::ProgramRun;
using lockstep::test::runLockstep;

namespace {

namespace fs = std::filesystem;

constexpr const char* kTrace =
    R"json({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7,
"ts": 10, "dur": 5, "args": {"stream": 7, "device": 0}}]})json";
constexpr const char* kLaunchScript = "#!/bin/bash\npython3 -m verl.trainer.main_ppo trainer.nnodes=1\n";
constexpr const char* kSession = "lockstep_session: 1\nframework: command\ncommand: [\"true\"]\n";

QString asText(const fs::path& path)
{
    return QString::fromStdString(path.string());
}

mode_t modeOf(const fs::path& path)
{
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

void addNote(const fs::path& workspace, const std::string& note)
{
    auto contents = openWorkspaceFile(workspace, Progress());
    if (!contents) qFatal("%s", contents.error().message.c_str());
    MarkList marks;
    Mark mark;
    mark.text = note;
    mark.axis = std::make_shared<AxisAnchor>();
    if (!marks.add(mark)) qFatal("no room for a mark");
    contents->sections[kMarksSection] = marksText(marks);
    if (!saveWorkspaceFile(workspace, contents->workspace, contents->sections, Progress()))
        qFatal("not saved");
}

} // namespace

class OutputTargetTest : public QObject {
    Q_OBJECT

  private slots:
    void inputsAreNeverReplaced()
    {
        const test::TempDir folder;
        const fs::path trace = folder.write("a.json", kTrace), script = folder.write("run.sh", kLaunchScript);
        const fs::path session = folder.write("s.yaml", kSession);
        fs::create_symlink(trace, folder.path() / "symbolic.json");
        fs::create_hard_link(trace, folder.path() / "hard.json");
        fs::create_directories(folder.path() / "in");
        fs::create_hard_link(trace, folder.path() / "in/chrome.json");
        const QString other = asText(folder.path() / "in/../a.json");
        const QString whole = asText(folder.path() / "in");
        const QList<QStringList> calls{
            {"--export", "chrome", "-o", asText(trace), asText(trace)},
            {"--export", "chrome", "-o", asText(folder.path() / "symbolic.json"), asText(trace)},
            {"--export", "chrome", "-o", asText(folder.path() / "hard.json"), asText(trace)},
            {"--export", "inventory", "-o", other, asText(trace)},
            {"--export", "workspace", "-o", asText(trace), asText(trace)},
            {"--export", "chrome,inventory", "-o", whole, whole},
            {"--export", "inventory", "--baseline", asText(trace), "-o", other, asText(script),
             asText(trace)},
            {"--import", asText(script), "-o", asText(script)},
            {"--run", asText(session), "-o", asText(session)},
            {"--screenshot", asText(trace), asText(trace)},
        };
        for (const QStringList& call : calls) {
            for (const QStringList& words : {call, QStringList{"--force"} + call}) {
                const ProgramRun run = runLockstep(words);
                QVERIFY2(run.status == 2, words.join(' ').toUtf8() + run.errors);
                QVERIFY2(run.errors.contains("is an input of this command"), run.errors);
            }
        }
        QCOMPARE(test::contentOf(trace), std::string(kTrace));
        QCOMPARE(test::contentOf(script), std::string(kLaunchScript));
        QCOMPARE(test::contentOf(session), std::string(kSession));
    }

    void valuableFilesNeedForce()
    {
        const test::TempDir folder;
        const fs::path trace = folder.write("a.json", kTrace), session = folder.write("s.yaml", kSession);
        const fs::path other = folder.write("b.json", kTrace), script = folder.write("run", kLaunchScript);
        const fs::path letter = folder.write("letter.txt", "dear");
        const QList<QStringList> refused{
            {"--export", "chrome", "-o", asText(other), asText(trace)},
            {"--export", "inventory", "-o", asText(session), asText(trace)},
            {"--export", "inventory", "-o", asText(script), asText(trace)},
            {"--export", "workspace", "-o", asText(letter), asText(trace)},
            {"--import", asText(script), "-o", asText(session)},
            {"--run", asText(session), "-o", asText(letter)},
        };
        for (const QStringList& words : refused) {
            const ProgramRun run = runLockstep(words);
            QVERIFY2(run.status == 2, words.join(' ').toUtf8() + run.errors);
            QVERIFY2(run.errors.contains("--force"), run.errors);
        }
        QCOMPARE(test::contentOf(other), std::string(kTrace));
        QCOMPARE(test::contentOf(session), std::string(kSession));
        QCOMPARE(test::contentOf(script), std::string(kLaunchScript));
        QCOMPARE(test::contentOf(letter), std::string("dear"));
        QCOMPARE(runLockstep({"--force", "--export", "chrome", "-o", asText(other), asText(trace)}).status,
                 0);
        QVERIFY(test::contentOf(other) != kTrace);
    }

    void exportsReplaceThemselves()
    {
        const test::TempDir folder;
        const QString trace = asText(folder.write("a.json", kTrace));
        const fs::path out = folder.path() / "out";
        for (int i = 0; i < 2; ++i) {
            for (const char* name : {"t.csv", "t.tsv", "t.json", "t.jsonl", "t.md", "t.txt"}) {
                const ProgramRun run =
                    runLockstep({"--export", "inventory", "-o", asText(folder.path() / name), trace});
                QVERIFY2(run.status == 0, name + run.errors);
                QCOMPARE(modeOf(folder.path() / name), mode_t(0600));
            }
            const ProgramRun run =
                runLockstep({"--export", "workspace,inventory,report", "-o", asText(out), trace});
            QVERIFY2(run.status == 0 || run.status == 3,
                     run.errors); // a build without the window cannot draw
            QCOMPARE(modeOf(out), mode_t(0700));
            QCOMPARE(modeOf(out / "report.html"), mode_t(0600));
            QCOMPARE(modeOf(out / "workspace.lockstep"), mode_t(0600));
        }
        QVERIFY(!fs::exists(out / "workspace.lockstep.1"));
    }

    void notesSurviveTheNextWorkspace()
    {
        const test::TempDir folder;
        const QString trace = asText(folder.write("a.json", kTrace));
        const fs::path workspace = folder.path() / "w.lockstep";
        const QStringList words{"--export", "workspace", "-o", asText(workspace), trace};
        for (const char* note : {"first", "second"}) {
            QCOMPARE(runLockstep(words).status, 0);
            addNote(workspace, note);
        }
        const ProgramRun run = runLockstep(words);
        QCOMPARE(run.status, 0);
        QVERIFY2(run.errors.contains("saved the previous workspace as " + asText(workspace).toUtf8() + ".2"),
                 run.errors);
        QVERIFY(readWorkspaceSection(workspace.string() + ".1", kMarksSection)->find("first") !=
                std::string::npos);
        QVERIFY(readWorkspaceSection(workspace.string() + ".2", kMarksSection)->find("second") !=
                std::string::npos);
        QVERIFY(readWorkspaceSection(workspace, kMarksSection)->empty());
        QCOMPARE(runLockstep(words).status, 0);
        QVERIFY(!fs::exists(workspace.string() + ".3"));
    }
};

LOCKSTEP_TEST(OutputTargetTest, "output_target_test")
#include "output_target_test.moc"
