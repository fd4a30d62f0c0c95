// SPDX-License-Identifier: Apache-2.0
// Tests the lane of samples: its lines as text, what a click finds, and more samples than pixels.
#include "core/lanes/sample_lanes.h"
#include "core/timeline/hit_test.h"
#include "core/timeline/lane_kind.h"
#include "core/timeline/layout.h"
#include "tests/support/sample_run.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::SampleRun;

namespace {

struct SampleFrame {
    std::shared_ptr<const Scene> scene;
    LaneFlow flow;
    LabelFont font = LabelFont::fixed(6);
    DisplayList list;
};

// The first ten seconds at 10 pixels per second, to the right of a header of 200 pixels.
std::unique_ptr<SampleFrame> shownOf(const std::vector<std::shared_ptr<const Report>>& reports,
                                     SampleLaneChoice choice = {}, SliceRef selected = {},
                                     std::vector<SliceRef> served = {})
{
    auto shown = std::make_unique<SampleFrame>();
    Workspace workspace;
    for (const auto& report : reports)
        workspace.add(report);
    shown->scene =
        makeScene(workspace, alignReports(workspace, {}), test::workers(), {},
                  LaneOptions{.grouping = LaneGrouping::automatic, .queryLanes = {}, .samples = choice});
    const Scene& scene = *shown->scene;
    shown->flow = placeLanes(scene, {}, std::vector<bool>(scene.tree->size(), true), FrameMetrics::at(1));
    FrameView view;
    view.flow = &shown->flow;
    view.font = &shown->font;
    view.headerWidth = 200;
    view.size = {300, 700};
    view.visible = {{0}, {SampleRun::ns(10)}};
    view.selection.slice = selected;
    view.selection.served = sliceListOf(std::move(served));
    shown->list = layOut(scene, view);
    return shown;
}

const DisplayRow* sampleRow(const DisplayList& list)
{
    const auto found =
        std::ranges::find_if(list.rows, [](const DisplayRow& row) { return row.kind->name() == "samples"; });
    return found != list.rows.end() ? &*found : nullptr;
}

// Returns "label: sample, sample" for each lane of samples, from top to bottom.
QStringList lanesOf(const Scene& scene)
{
    QStringList lanes;
    for (const Lane& lane : scene.tree->lanes()) {
        const auto* const data = lane.data.as<SampleLaneData>();
        if (data == nullptr) continue;
        QStringList names;
        for (const LaneSample& at : data->samples) {
            const Report& report = scene.shown.report(at.report);
            names << QString::fromUtf8(report.strings.at(report.samples.samples[at.sample.value].id));
        }
        lanes << QString::fromStdString(lane.label) + ": " + names.join(", ");
    }
    return lanes;
}

// A report with a weight update to version 7 of 16 GB.
std::shared_ptr<const Report> updateReport(double begin, double end)
{
    ReportBuilder builder;
    builder.report().clock = {"Unix epoch", 0, 1, {}, "made"};
    builder.report().sourceTables = {"sample", "span"};
    SampleRows rows(builder);
    SpanRecord span;
    span.track = builder.track({.kind = TrackKind::other, .process = builder.process(9, 9)});
    span.name = rows.intern("model_update");
    span.start_ns = SampleRun::ns(begin);
    span.end_ns = SampleRun::ns(end);
    span.source = SourceRow::of(kSpanSource, 1);
    span.kind = SpanKind::weightUpdate;
    rows.add(span);
    rows.addWeightUpdate(span.source, 7, 16'000'000'000);
    rows.finish();
    return builder.freeze(Progress()).value();
}

} // namespace

class SampleLaneTest : public QObject {
    Q_OBJECT

  private slots:
    void linesOfSamples()
    {
        SampleRun run;
        run.add("late", "R0", 0, 9,
                {{SpanKind::queue, 0, 1}, {SpanKind::decode, 1, 8}, {SpanKind::tool, 3, 5}});
        run.add("early", "R0", 1, 4, {{SpanKind::generate, 1, 4}});
        const auto shown = shownOf({run.made()});
        const DisplayRow* const row = sampleRow(shown->list);
        QVERIFY(row != nullptr);
        std::ostringstream text;
        row->kind->write(text, *row);
        // The sample that ended first is at the top. A piece that covers others was added after them.
        QCOMPARE(QString::fromStdString(text.str()),
                 QString("  line 0..40 sample 0 of 1 10..40 10..40\n"
                         "  line 40..80 sample 1 of 1 0..90 0..10 10..80 30..50\n"));
        QVERIFY(!row->labels.empty());
    }

    void aClickFindsTheTopmostSpan()
    {
        SampleRun run;
        run.add("s", "R0", 0, 9, {{SpanKind::decode, 1, 8}, {SpanKind::tool, 3, 5}});
        const auto report = run.made();
        const auto shown = shownOf({report});
        const DisplayRow* const row = sampleRow(shown->list);
        const auto kindAt = [&](int x) {
            const Hit hit = hitTest(shown->list, 200 + x, row->y + 2, 0);
            if (!hit.slice.isValid()) return -1;
            const SampleSpan* const span = report->samples.spanOf(hit.slice.slice);
            return span == nullptr ? int(SpanKind::count) : int(span->kind); // count: the sample itself
        };
        QCOMPARE(kindAt(5), int(SpanKind::count));
        QCOMPARE(kindAt(20), int(SpanKind::decode));
        QCOMPARE(kindAt(40), int(SpanKind::tool));
        QCOMPARE(kindAt(60), int(SpanKind::decode));
        QCOMPARE(kindAt(95), -1);
        const Hit hit = hitTest(shown->list, 240, row->y + 2, 0);
        const auto lines = row->kind->hover(*shown->scene, shown->list, hit);
        QCOMPARE(lines.at(0), std::string("sample s \u00B7 R0"));
        QCOMPARE(lines.at(3), std::string("tool 2 s   decode 5 s   other 2 s"));
    }

    void everyLineShowsItsLastSample()
    {
        SampleRun run;
        for (int i = 0; i < 2'000; ++i)
            run.add(std::to_string(i), "R0", 0, 1 + i * 0.004, {{SpanKind::decode, 0, 1 + i * 0.004}});
        const auto shown = shownOf({run.made()});
        const DisplayRow* const row = sampleRow(shown->list);
        size_t count = 0;
        for (int y = 0; y < row->height; ++y) {
            Hit hit;
            QVERIFY(row->kind->hit(*row, 0, row->y + y, hit));
            const auto lines = row->kind->hover(*shown->scene, shown->list, [&] {
                hit.lane = row->lane;
                return hit;
            }());
            count += lines.back().starts_with("the last of ") ? 1 : 0;
        }
        QCOMPARE(count, size_t(row->height));
        Hit last;
        QVERIFY(row->kind->hit(*row, 88, row->y + row->height - 1,
                               last)); // only the very last one reaches so far
    }

    // Two files of one process: a click on a sample of the second one must not select a slice of the first.
    void samplesOfSeveralReports()
    {
        SampleRun first, second;
        first.identify("node0", 3);
        second.identify("node0", 3);
        first.add("a", "R0", 0, 3, {{SpanKind::tool, 1, 2}});
        second.add("b", "R0", 2, 6, {{SpanKind::decode, 2, 6}});
        const auto shown = shownOf({first.made(), second.made()});
        const DisplayRow* const row = sampleRow(shown->list);
        QVERIFY(row != nullptr);
        const Hit hit = hitTest(shown->list, 240, row->y + row->height - 2, 0);
        QVERIFY(hit.slice.report == shown->scene->shown.keys().back());
        const auto lines = row->kind->hover(*shown->scene, shown->list, hit);
        QCOMPARE(lines.at(0), std::string("sample b \u00B7 R0"));
        QCOMPARE(lines.at(2), std::string("part 4 s"));
    }

    void linesAreSorted_data()
    {
        QTest::addColumn<int>("order");
        QTest::addColumn<QString>("samples");
        QTest::newRow("end") << int(SampleOrder::end) << "a, b, c";
        QTest::newRow("start") << int(SampleOrder::start) << "b, c, a";
        QTest::newRow("length") << int(SampleOrder::length) << "a, b, c";
        QTest::newRow("wait") << int(SampleOrder::wait) << "c, a, b";
    }

    void linesAreSorted()
    {
        QFETCH(int, order);
        QFETCH(QString, samples);
        SampleRun run;
        run.add("c", "R0", 1, 9, {{SpanKind::queue, 1, 1.5}, {SpanKind::decode, 1.5, 9}});
        run.add("a", "R0", 4, 6, {{SpanKind::tool, 5, 6}});
        run.add("b", "R0", 0, 7, {{SpanKind::queue, 0, 2}, {SpanKind::decode, 2, 5}});
        const auto shown = shownOf({run.made()}, {static_cast<SampleOrder>(order), {}});
        QCOMPARE(lanesOf(*shown->scene), QStringList("samples: " + samples));
    }

    void samplesAreGrouped_data()
    {
        QTest::addColumn<int>("grouping");
        QTest::addColumn<QStringList>("lanes");
        const QString dot = " \u00B7 ";
        const auto row = [&](const char* name, SampleGrouping grouping, const QStringList& lanes) {
            QStringList all;
            for (const QString& lane : lanes)
                all << "samples" + dot + lane;
            QTest::newRow(name) << int(grouping) << all;
        };
        row("automatic", SampleGrouping::automatic, {"step 3: a, b, c"});
        row("step", SampleGrouping::step, {"step 3: a, b, c"});
        row("version", SampleGrouping::version, {"version 1: b", "version 2: a, c"});
        row("prompt", SampleGrouping::prompt, {"prompt p2: b", "prompt p10: a", "prompt unknown: c"});
        row("replica", SampleGrouping::replica, {"replica R0: a, c", "replica R1: b"});
        row("outcome", SampleGrouping::outcome, {"completed: a, b", "outcome unknown: c"});
    }

    void samplesAreGrouped()
    {
        QFETCH(int, grouping);
        QFETCH(QStringList, lanes);
        SampleRun run;
        const auto add = [&](const char* name, const char* replica, double end, int64_t version) -> Sample& {
            Sample& sample = run.add(name, replica, 0, end);
            sample.step = 3;
            sample.firstVersion = version;
            return sample;
        };
        add("a", "R0", 2, 2).group = run.intern("p10");
        add("b", "R1", 3, 1).group = run.intern("p2");
        add("c", "R0", 4, 2).status = SampleStatus::unknown;
        const auto shown = shownOf({run.made()}, {{}, static_cast<SampleGrouping>(grouping)});
        QCOMPARE(lanesOf(*shown->scene), lanes);
    }

    // A lane for each of thousands of prompts would be of no use; none of their samples is lost.
    void manyPromptsShareALane()
    {
        constexpr int kPrompts = 250;
        SampleRun run;
        for (int i = 0; i < kPrompts; ++i)
            run.add(std::to_string(i), "R0", 0, 1 + i * 0.01).group = run.intern("p" + std::to_string(i));
        const auto shown = shownOf({run.made()}, {{}, SampleGrouping::prompt});
        const QStringList lanes = lanesOf(*shown->scene);
        QCOMPARE(lanes.size(), qsizetype(kMaxNamedSampleLanes) + 1);
        QVERIFY(lanes.first().contains("prompt p150: 150"));
        QVERIFY(lanes.last().startsWith("samples \u00B7 150 other prompts: 0, 1, 2"));
    }

    // The band is above the time without a part and below the parts, also if another report records it.
    void weightUpdatesAreBands()
    {
        SampleRun run;
        run.add("s", "R0", 0, 8, {{SpanKind::decode, 1, 4}});
        const auto shown = shownOf({run.made(), updateReport(3, 6)});
        const DisplayRow* const row = sampleRow(shown->list);
        std::ostringstream text;
        row->kind->write(text, *row);
        QCOMPARE(QString::fromStdString(text.str()),
                 QString("  weight update 30..60\n  line 0..80 sample 0 of 1 0..80 10..40\n"));
        std::vector<Ink::Kind> kinds;
        for (const Span& span : row->spans)
            kinds.push_back(span.ink.kind);
        using enum Ink::Kind;
        QVERIFY(kinds == std::vector({samplePart, update, outline, outline, samplePart}));
        const auto linesAt = [&](int x) {
            const Hit hit = hitTest(shown->list, 200 + x, row->y + 2, 0);
            return row->kind->hover(*shown->scene, shown->list, hit);
        };
        const std::string words = "weight update to version 7   3 s   14.9 GiB";
        QCOMPARE(linesAt(50).back(), words);
        QCOMPARE(linesAt(50).front(), std::string("sample s \u00B7 R0"));
        QVERIFY(linesAt(70).back() != words);
    }

    void weightUpdateOutsideSamplesIsFound()
    {
        SampleRun run;
        run.add("s", "R0", 0, 2);
        const auto shown = shownOf({run.made(), updateReport(3, 6)});
        const DisplayRow* const row = sampleRow(shown->list);
        const Hit hit = hitTest(shown->list, 240, row->y + 2, 0);
        QVERIFY(hit.slice.report == shown->scene->shown.keys().back());
        const auto lines = row->kind->hover(*shown->scene, shown->list, hit);
        QCOMPARE(lines, std::vector<std::string>{"weight update to version 7   3 s   14.9 GiB"});
    }

    // The selected span is outlined in the lane of samples, and so is what served it.
    void selectionIsOutlined()
    {
        SampleRun run;
        run.add("a", "R0", 0, 8, {{SpanKind::decode, 1, 4}});
        run.add("b", "R0", 0, 9, {{SpanKind::decode, 1, 5}});
        const auto report = run.made();
        std::vector<SliceRef> decodes;
        for (const SampleSpan& span : report->samples.spans)
            decodes.push_back({ReportKey(0u), span.slice});
        const auto shown = shownOf({report}, {}, decodes[0], {decodes[1]});
        const DisplayRow* const row = sampleRow(shown->list);
        std::vector<DisplayMark> marks;
        for (const DisplayMark& mark : shown->list.marks) {
            if (mark.y >= row->y && mark.y < row->y + row->height) marks.push_back(mark);
        }
        QCOMPARE(marks.size(), size_t(2));
        QVERIFY(!marks[0].isSelected && marks[0].slice == decodes[1] && marks[1].isSelected);
        QCOMPARE(marks[1].x, 210);
        QCOMPARE(marks[1].width, 40); // of two spans with the same start, the longer one is the first
        QCOMPARE(marks[0].width, 30);
        QVERIFY(marks[0].y != marks[1].y);
    }

    void stepsHaveLanesOfTheirOwn()
    {
        SampleRun run;
        for (int i = 0; i < 6; ++i)
            run.add(std::to_string(i), "R0", i, i + 2).step = 10 + i / 3;
        run.add("x", "R0", 0, 1);
        const auto shown = shownOf({run.made()});
        QStringList labels;
        for (uint32_t lane = 0; lane < shown->scene->tree->size(); ++lane) {
            const Lane& at = shown->scene->tree->lane(lane);
            if (at.data.is<SampleLaneData>()) labels << QString::fromStdString(at.label + ": " + at.value);
        }
        QCOMPARE(labels, QStringList({"samples \u00B7 step 10: max 2 s", "samples \u00B7 step 11: max 2 s",
                                      "samples \u00B7 step unknown: max 1 s"}));
    }
};

LOCKSTEP_TEST(SampleLaneTest, "sample_lane_test")
#include "sample_lane_test.moc"
