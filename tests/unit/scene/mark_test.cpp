// SPDX-License-Identifier: Apache-2.0
// Tests that marks keep their positions: with another alignment, in another workspace, after the file was
// read again; and that they report it if they cannot.
#include "core/scene/mark_list.h"

#include <QTest>

#include "core/readers/capture_spool/capture_spool_reader.h"
#include "core/readers/capture_spool/live_recording.h"
#include "core/scene/next_scene.h"
#include "tests/support/made_reports.h"
#include "tests/support/made_spool.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr int64_t kNow = 1'795'176'300'000'000'000;

ScenePtr sceneIn(const Workspace& workspace, AlignMode mode, const ManualShifts& shifts = {})
{
    AlignOptions options;
    options.mode = mode;
    options.shifts_ns = shifts;
    return makeScene(workspace, alignReports(workspace, options), {});
}

std::string reread(const MarkList& marks)
{
    return marksText(parseMarks(marksText(marks))->marks);
}

} // namespace

class MarkTest : public QObject {
    Q_OBJECT

  private slots:
    void aMarkOfAReportFollowsItsClock()
    {
        const Workspace workspace = test::madeWorkspace(1, 1);
        const ScenePtr before = sceneIn(workspace, AlignMode::automatic);
        const ReportKey second = workspace.keys()[1];
        const Mark mark = markOfTime(*before, {5'000'000}, second, kNow);
        const ScenePtr after = sceneIn(workspace, AlignMode::automatic, {{second, 777}});
        const PlacedMark placed = MarkPlacer(*after).place(mark);
        QVERIFY(placed.placement == MarkPlacement::exact);
        QCOMPARE(placed.aligned->begin.ns, int64_t(5'000'777));
        QVERIFY(placed.report == second);
    }

    void aSliceIsFoundAmongOtherReports()
    {
        const Workspace workspace = test::madeWorkspace(1, 1);
        const ScenePtr before = test::madeScene(workspace);
        const SliceRef slice{workspace.keys()[1], SliceId(100u)};
        const Mark mark = markOfSlice(*before, slice, kNow);
        Workspace other; // elsewhere: it is third, with another key
        other.add(test::madeRank({.host = "node7", .rank = 40}));
        other.add(workspace.shared(workspace.keys()[0]));
        const ReportKey moved = other.add(workspace.shared(workspace.keys()[1]));
        const ScenePtr after = test::madeScene(other);
        const PlacedMark placed = MarkPlacer(*after).place(mark);
        QVERIFY(placed.placement == MarkPlacement::exact);
        QVERIFY((placed.slice == SliceRef{moved, slice.slice}));
    }

    void missingSliceIsReported()
    {
        const Workspace workspace = test::madeWorkspace(1, 1);
        const ScenePtr scene = test::madeScene(workspace);
        Mark mark = markOfSlice(*scene, {workspace.keys()[0], SliceId(100u)}, kNow);
        mark.name += "x";
        MarkPlacer placer(*scene);
        const PlacedMark placed = placer.place(mark);
        QVERIFY(placed.placement == MarkPlacement::sliceNotFound);
        QVERIFY(placed.aligned.has_value() && !placed.slice.isValid());
        QVERIFY(placer.explain(mark, placed).find("no longer") != std::string::npos);
    }

    void marksOfClosedReportsHaveNoPosition()
    {
        const Workspace workspace = test::madeWorkspace(1, 1);
        const ScenePtr before = test::madeScene(workspace);
        const Mark mark = markOfTime(*before, {5'000'000}, workspace.keys()[1], kNow);
        Workspace other;
        other.add(workspace.shared(workspace.keys()[0]));
        const ScenePtr after = test::madeScene(other);
        MarkPlacer placer(*after);
        const PlacedMark placed = placer.place(mark);
        QVERIFY(placed.placement == MarkPlacement::reportNotOpen);
        QVERIFY(!placed.aligned);
        QVERIFY(placer.explain(mark, placed).find(mark.begin.report->name) != std::string::npos);
    }

    // Two copies of one file are not distinguished by a guess.
    void twoMatchingReportsAreAmbiguous()
    {
        const Workspace workspace = test::madeWorkspace(1, 1);
        const Mark mark = markOfTime(*test::madeScene(workspace), {5'000'000}, workspace.keys()[1], kNow);
        Workspace twice;
        twice.add(workspace.shared(workspace.keys()[1]));
        twice.add(workspace.shared(workspace.keys()[1]));
        const ScenePtr scene = test::madeScene(twice);
        QVERIFY(MarkPlacer(*scene).place(mark).placement == MarkPlacement::reportAmbiguous);
    }

    // A capture that is still recorded is many reports that are merged and replaced, at the end by the whole
    // capture. The marks stay on their slices.
    void marksOfALiveCaptureFollowItsSlices()
    {
        constexpr int64_t kMilli = 1'000'000;
        test::MadeSpool spool;
        spool.meta()
            .thread(1)
            .push(1000 * kMilli, "open")
            .push(1001 * kMilli, "inner")
            .pop(1002 * kMilli)
            .closeBlock();
        const uint64_t first = spool.bytes().size();
        spool.thread(1).push(1003 * kMilli, "inner").pop(1004 * kMilli).pop(1010 * kMilli).closeBlock();
        const test::TempDir folder;
        const auto file = folder.write("live/a.lsc", spool.bytes());
        LiveRecording recording(file);
        const auto read = [&](uint64_t bytes, Workspace& all) {
            const auto change = recording.read({bytes, 1005 * kMilli, false}, Progress());
            for (const auto& chunk : change->added)
                all.add(chunk.report);
            return change->open;
        };
        Workspace chunks;
        Workspace early;
        early.add(read(first, chunks));
        early.add(chunks.shared(chunks.keys().front()));
        const ScenePtr before = sceneIn(early, AlignMode::automatic);
        const auto marked = [&](std::string_view name) {
            for (const ReportKey key : early.keys()) {
                const Report& report = early.report(key);
                for (uint32_t i = 0; i < report.slices.size(); ++i) {
                    if (report.nameOf(SliceId{i}) == name)
                        return markOfSlice(*before, {key, SliceId{i}}, kNow);
                }
            }
            return Mark();
        };
        const Mark open = marked("open"), inner = marked("inner");
        const auto nameAt = [](const Scene& scene, const PlacedMark& placed) {
            return placed.slice.isValid()
                       ? std::string(scene.open.report(placed.slice.report).nameOf(placed.slice.slice))
                       : std::string();
        };
        chunks.add(read(spool.bytes().size(), chunks));
        Workspace whole;
        Provenance provenance;
        provenance.path = "collected/a.lsc";
        whole.add(std::move(*readCaptureSpool(spool.finish().bytes(), provenance, Progress())));
        for (const Workspace& workspace : {early, chunks, whole}) {
            const ScenePtr after = sceneIn(workspace, AlignMode::automatic);
            MarkPlacer placer(*after);
            for (const Mark& mark : {open, inner}) {
                const PlacedMark placed = placer.place(mark);
                QVERIFY(placed.placement == MarkPlacement::exact);
                QCOMPARE(nameAt(*after, placed), mark.name);
            }
            QCOMPARE(placer.place(inner).aligned->length().ns, 1 * kMilli);
            QCOMPARE(placer.place(inner).aligned->begin - placer.place(open).aligned->begin,
                     Duration{1 * kMilli});
        }
    }

    void axisMarksArePlacedByUtc()
    {
        const Workspace workspace = test::madeWorkspace(1, 1);
        const ScenePtr before = test::madeScene(workspace);
        const Mark mark = markOfTime(*before, {5'000'000}, {}, kNow);
        Workspace earlier; // its axis begins a second before
        earlier.add(test::madeRank({.utcAtZero_ns = 1'795'176'270'000'000'000}));
        for (const ReportKey key : workspace.keys())
            earlier.add(workspace.shared(key));
        const ScenePtr after = sceneIn(earlier, AlignMode::wallclock);
        const PlacedMark placed = MarkPlacer(*after).place(mark);
        QVERIFY(placed.placement == MarkPlacement::byUtc);
        QCOMPARE(*after->alignment.utcAtZero_ns + placed.aligned->begin.ns,
                 *before->alignment.utcAtZero_ns + 5'000'000);
        const ScenePtr onZero = sceneIn(workspace, AlignMode::zero);
        QVERIFY(MarkPlacer(*onZero).place(mark).placement == MarkPlacement::incompatibleAxis);
        QVERIFY(!MarkPlacer(*onZero).place(mark).aligned);
    }

    void listNumbersAreNeverReused()
    {
        const ScenePtr scene = test::madeScene(test::madeWorkspace(1, 1));
        MarkList marks;
        const Mark mark = markOfTime(*scene, {1}, {}, kNow);
        QCOMPARE(*marks.add(mark), int64_t(1));
        QCOMPARE(*marks.add(mark), int64_t(2));
        QVERIFY(marks.remove(2));
        QCOMPARE(*marks.add(mark), int64_t(3));
        QVERIFY(marks.remove(3));
        QCOMPARE(*parseMarks(marksText(marks))->marks.add(mark), int64_t(4));
    }

    void copiesAreIndependent()
    {
        const ScenePtr scene = test::madeScene(test::madeWorkspace(1, 1));
        MarkList marks;
        QVERIFY(marks.add(markOfTime(*scene, {1}, {}, kNow)));
        MarkList copy = marks;
        QVERIFY(copy.isCopyOf(marks) && copy == marks);
        QVERIFY(copy.add(markOfTime(*scene, {2}, {}, kNow)));
        QVERIFY(!copy.isCopyOf(marks));
        QCOMPARE(marks.size(), size_t(1));
        const MarkList moved = std::move(copy);
        QCOMPARE(moved.size(), size_t(2));
        QVERIFY(!marks.remove(2));
        MarkList third = marks;
        QVERIFY(third.remove(1) && third.isEmpty() && marks.size() == 1);
    }

    void marksRoundTripThroughText()
    {
        const Workspace workspace = test::madeWorkspace(1, 1);
        const ScenePtr scene = test::madeScene(workspace);
        MarkList marks;
        Mark note = markOfSlice(*scene, {workspace.keys()[1], SliceId(7u)}, kNow);
        note.text = "long tail\n\"quoted\", 日本語";
        QVERIFY(marks.add(note));
        QVERIFY(marks.add(markOfTime(*scene, {5}, {}, kNow)));
        QVERIFY(marks.add(markOfRange(*scene, {{5}, {9}}, workspace.keys()[0], workspace.keys()[1], kNow)));
        QVERIFY(marks.add(markOfArea(*scene, {{5}, {9}}, {"a", "b"}, kNow)));
        const auto read = parseMarks(marksText(marks));
        QVERIFY(read && read->notes.empty());
        QVERIFY(read->marks == marks);
        QCOMPARE(reread(marks), marksText(marks));
    }

    void hostileTextIsTruncatedAndReported_data()
    {
        QTest::addColumn<QByteArray>("marks");
        QTest::addColumn<int>("kept");
        QTest::addColumn<int>("notes");
        const QByteArray good = R"({"number":1,"kind":"time","axis":0,"begin":{"aligned_ns":5}})";
        QTest::newRow("good") << good << 1 << 0;
        QTest::newRow("no list") << QByteArray("7") << 0 << 1;
        QTest::newRow("no kind") << QByteArray(good).replace("time", "tide") << 0 << 1;
        QTest::newRow("no axis") << QByteArray(good).replace("\"axis\":0", "\"axis\":9") << 0 << 1;
        QTest::newRow("time out of range")
            << QByteArray(good).replace(":5", ":9223372036854775807") << 0 << 1;
        QTest::newRow("no such report")
            << QByteArray(good).replace(":5", ":5,\"report\":4,\"at_ns\":1") << 0 << 1;
        QTest::newRow("number 0") << QByteArray(good).replace("\"number\":1", "\"number\":0") << 0 << 1;
        QTest::newRow("duplicate number") << good + "," + good << 1 << 1;
        QTest::newRow("a long text") << QByteArray(good).replace("\"axis\"", "\"text\":\"" +
                                                                                 QByteArray(70'000, 'x') +
                                                                                 "\",\"axis\"")
                                     << 1 << 1;
        QTest::newRow("slice without a report") << QByteArray(good).replace("time", "slice") << 0 << 1;
    }

    void hostileTextIsTruncatedAndReported()
    {
        QFETCH(QByteArray, marks);
        const QByteArray text =
            R"({"version":1,"reports":[],"axes":[{"basis":"x"}],"marks":[)" + marks + "]}";
        const auto read = parseMarks(text.toStdString());
        QVERIFY(read.has_value());
        QTEST(static_cast<int>(read->marks.size()), "kept");
        QTEST(static_cast<int>(read->notes.size()), "notes");
        for (const Mark& mark : read->marks.all())
            QVERIFY(mark.text.size() <= kMaxMarkText);
    }

    void foreignTextIsRefused()
    {
        for (const char* const text : {"", "[]", "{", "null", R"({"version":2,"marks":[]})"})
            QVERIFY(!parseMarks(text));
    }

    void textIsTruncatedBetweenCharacters()
    {
        bool isCut = false;
        const std::string text = std::string(kMaxMarkText - 1, 'a') + "\u00E9";
        QCOMPARE(markText(text, &isCut), std::string(kMaxMarkText - 1, 'a'));
        QVERIFY(isCut);
        QCOMPARE(markText("plain", &isCut), std::string("plain"));
        QVERIFY(!isCut);
    }

    void fullListAcceptsNoMore()
    {
        const ScenePtr scene = test::madeScene(test::madeWorkspace(1, 1));
        MarkList marks;
        const Mark mark = markOfTime(*scene, {1}, scene->shown.keys()[0], kNow);
        for (size_t i = 0; i < kMaxMarks; ++i)
            QVERIFY(marks.add(mark));
        QVERIFY(!marks.add(mark));
        const auto read = parseMarks(marksText(marks));
        QCOMPARE(read->marks.size(), kMaxMarks);
        QVERIFY(read->notes.empty());
    }
};

LOCKSTEP_TEST(MarkTest, "mark_test")
#include "mark_test.moc"
