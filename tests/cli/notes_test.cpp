// SPDX-License-Identifier: Apache-2.0
// Tests --export notes: the markers and notes in a workspace, the same bytes each time, and errors where
// there is no answer. Also tests --goto of pictures.
#include <QFile>

#include "core/readers/reader.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "core/scene/mark_list.h"
#include "tests/support/made_reports.h"
#include "tests/support/program_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::ProgramRun;
using lockstep::test::runLockstep;

namespace {

constexpr int64_t kMadeAt = 1'795'176'300'000'000'000;

} // namespace

class NotesTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_folder = std::make_unique<test::TempDir>();
        m_file = QString::fromStdString((m_folder->path() / "kept.lockstep").string());
        const Workspace workspace = test::madeWorkspace(1, 1);
        const ScenePtr scene = test::madeScene(workspace);
        MarkList marks;
        Mark note = markOfSlice(*scene, {workspace.keys()[1], SliceId(50u)}, kMadeAt);
        note.text = "long tail, \"why\"\nsecond line";
        QVERIFY(marks.add(note));
        QVERIFY(marks.add(markOfTime(*scene, {5'000'000}, {}, kMadeAt)));
        Workspace other;
        const ReportKey gone = other.add(test::madeRank({.host = "elsewhere", .rank = 77, .steps = 3}));
        QVERIFY(marks.add(markOfTime(*test::madeScene(other), {5}, gone, kMadeAt)));
        write(workspace, marksText(marks));
    }

    void tableOfAllMarkers()
    {
        const ProgramRun run = runLockstep({"--export", "notes", "--format", "csv", m_file});
        QCOMPARE(run.status, 0);
        const QByteArrayList lines = run.output.split('\n');
        QVERIFY2(lines[0].startsWith("id,kind,time_utc,start_ns,duration_ns,report_clock_ns,report,rank,lane,"
                                     "name,text,found,made_utc"),
                 lines[0].constData());
        QVERIFY2(run.output.contains("1,slice,"), run.output.constData());
        QVERIFY(run.output.contains("\"long tail, \"\"why\"\"\nsecond line\",yes,2026-11-20T"));
        QVERIFY2(run.output.contains("2,time,") && run.output.contains(",5000000,0,"),
                 run.output.constData());
        QVERIFY2(run.output.contains("by UTC") && run.output.contains("report not open"),
                 run.output.constData());
        QCOMPARE(runLockstep({"--export", "notes", "--format", "csv", m_file}).output, run.output);
    }

    void filtersAndFormats()
    {
        const auto rows = [this](const QStringList& options) {
            return runLockstep(QStringList{"--export", "notes", "--format", "jsonl"} + options +
                               QStringList{m_file})
                .output.trimmed()
                .count("\"id\"");
        };
        QCOMPARE(rows({}), 3);
        QCOMPARE(rows({"--rows", "1"}), 1);
        QCOMPARE(rows({"--time-range", "4ms..6ms"}) >= 1, true);
        QCOMPARE(rows({"--filter", "rank=0..100"}), 1); // only one marker is on an open rank
        for (const QString format : {"table", "tsv", "json", "markdown"})
            QCOMPARE(runLockstep({"--export", "notes", "--format", format, m_file}).status, 0);
    }

    void unreadableNotesAreReported()
    {
        write(test::madeWorkspace(1, 1), R"({"version":9})");
        const ProgramRun run =
            runLockstep({"--export", "notes,inventory", "--format", "csv", "-o",
                         QString::fromStdString(m_folder->path().string()) + "/out/", m_file});
        QCOMPARE(run.status, 3);
        QVERIFY2(run.errors.contains("version 9"), run.errors.constData());
        write(test::madeWorkspace(1, 1), R"({"version":1,"axes":[],"marks":[7,8]})");
        QVERIFY(runLockstep({"--export", "notes", m_file}).errors.contains("2 unreadable markers dropped"));
    }

    void optionsWithoutMeaningForNotesAreRefused()
    {
        QCOMPARE(runLockstep({"--export", "notes", "--baseline", m_file, m_file}).status, 2);
        QCOMPARE(runLockstep({"--export", "inventory", "--fail-on", "notes>0", m_file}).status, 2);
        QCOMPARE(runLockstep({"--export", "inventory", "--goto", "50%", m_file}).status, 2);
        QCOMPARE(runLockstep({"--export", "timeline", "--goto", "blue", m_file}).status, 2);
        QCOMPARE(
            runLockstep({"--export", "timeline", "--goto", "1s", "--time-range", "1s..2s", m_file}).status,
            2);
    }

    void markersAreCopiedIntoANewWorkspace()
    {
        const QString again = QString::fromStdString((m_folder->path() / "again.lockstep").string());
        QCOMPARE(runLockstep({"--export", "workspace", "-o", again, m_file}).status, 0);
        const QStringList notes{"--export", "notes", "--format", "csv"};
        QCOMPARE(runLockstep(notes + QStringList{again}).output,
                 runLockstep(notes + QStringList{m_file}).output);
    }

    void helpDescribesNotes()
    {
        const ProgramRun help = runLockstep({"--help"});
        QVERIFY(help.output.contains("\n  notes "));
        QVERIFY(help.output.contains("--goto TIME|LINK"));
    }

    void pictureOfATime()
    {
        const auto picture = [this](const QStringList& options) {
            return runLockstep(QStringList{"--export", "timeline", "--format", "svg", "--size", "600x300"} +
                               options + QStringList{m_file});
        };
        const ProgramRun whole = picture({}), there = picture({"--goto", "mark 2"});
        QCOMPARE(there.status, 0);
        QVERIFY(there.output != whole.output);
        const ProgramRun nowhere = picture({"--goto", "mark 55"});
        QVERIFY(nowhere.status != 0);
        QVERIFY2(nowhere.errors.contains("there is no marker 55"), nowhere.errors.constData());
    }

  private:
    void write(const Workspace& workspace, const std::string& marks)
    {
        QVERIFY(saveWorkspaceFile(m_file.toStdString(), workspace, {{kMarksSection, marks}}, Progress()));
    }

    std::unique_ptr<test::TempDir> m_folder;
    QString m_file;
};

LOCKSTEP_TEST(NotesTest, "notes_test")
#include "notes_test.moc"
