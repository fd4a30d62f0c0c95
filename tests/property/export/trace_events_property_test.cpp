// SPDX-License-Identifier: Apache-2.0
// Tests that a trace written from any scene has every slice at its aligned time, including slices that cross
// on one lane, that have no duration, and that are outside the capture.
#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/export/perfetto_trace.h"
#include "core/readers/perfetto/perfetto_reader.h"
#include "tests/support/random_report.h"
#include "tests/support/row_report.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

using Row = std::tuple<int64_t, int64_t, bool, std::string>;

// Returns the category as a trace spells it. Copies are named by their direction.
std::string nameIn(const Report& report, SliceId slice)
{
    const RowKind kind = report.slices.kind[slice.value];
    const std::string name = repairedUtf8(report.nameOf(slice));
    const bool isCopy =
        (kind == RowKind::memcpy || kind == RowKind::memset) && report.memoryOpOf(slice) != nullptr;
    return isCopy || name.starts_with("Memcpy ") || name.starts_with("Memset (") ? "" : name;
}

// Sorted.
std::vector<Row> rowsOf(const Scene& scene)
{
    std::vector<Row> rows;
    for (const ReportKey key : scene.shown.keys()) {
        const Report& report = scene.shown.report(key);
        const ClockMap& map = scene.alignment.map(key);
        for (uint32_t i = 0; i < report.slices.size(); ++i) {
            const int64_t start = map.alignedFromTrace(report.slices.start(SliceId(i))).ns;
            const int64_t end = std::max(start, map.alignedFromTrace(report.slices.end(SliceId(i))).ns);
            const bool isInstant = report.slices.isInstant(SliceId(i));
            rows.emplace_back(start, isInstant ? start : end, isInstant, nameIn(report, SliceId(i)));
        }
    }
    std::ranges::sort(rows);
    return rows;
}

ScenePtr randomScene()
{
    Workspace workspace;
    const int reports = *rc::gen::inRange(1, 3);
    for (int i = 0; i < reports; ++i)
        workspace.add(randomReport());
    return makeHeadlessScene(workspace, alignReports(workspace, {}));
}

} // namespace

class TraceEventsPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void perfettoContainsEverySlice()
    {
        const bool holds = rc::check([] {
            const ScenePtr scene = randomScene();
            std::vector<Row> before = rowsOf(*scene);
            // Perfetto's timestamps count from 0, so a span of 73 years or more does not fit.
            const auto lastOf = [](const Row& row) { return std::get<1>(row); };
            const auto isFar = [&](const Row& row) {
                return lastOf(row) / 2 - std::get<0>(before[0]) / 2 > kAllTime.end.ns / 4;
            };
            if (std::ranges::any_of(before, isFar)) return;
            std::string text;
            RC_ASSERT(writePerfettoTrace(
                *scene, [&](std::string_view piece) { text += piece; }, Progress()));
            auto report = readPerfetto(text, {}, Progress());
            RC_ASSERT(report.has_value());
            Workspace workspace;
            workspace.add(std::shared_ptr<const Report>(std::move(*report)));
            const std::vector<Row> after = rowsOf(*makeHeadlessScene(workspace, alignReports(workspace, {})));
            RC_ASSERT(before.size() == after.size());
            if (before.empty()) return;
            const int64_t shift = std::get<0>(after[0]) - std::get<0>(before[0]);
            for (Row& row : before) {
                std::get<0>(row) += shift;
                std::get<1>(row) += shift;
            }
            std::ranges::sort(before);
            RC_ASSERT(before == after);
        });
        QVERIFY(holds);
    }

    // Timestamps count from 0 there, so the later half of the axis does not fit: lost slices are counted.
    void tooLongSpanIsReportedOnOpening()
    {
        const int64_t far = kAllTime.end.ns - 1000;
        RowReport made;
        made.kernel("early", -far, -far + 10);
        made.kernel("next", -far + 50, -far + 60);
        made.kernel("late", far, far + 10);
        const Workspace workspace = made.made();
        const ScenePtr scene = makeHeadlessScene(workspace, alignReports(workspace, {}));
        std::string text;
        QVERIFY(writePerfettoTrace(
            *scene, [&](std::string_view piece) { text += piece; }, Progress()));
        const auto report = readPerfetto(text, {}, Progress());
        QVERIFY(report.has_value());
        QCOMPARE((*report)->slices.size(), size_t(2));
        uint64_t lost = 0;
        for (const ImportNote& note : (*report)->notes.all())
            if (note.severity == NoteSeverity::dataLoss) lost += note.count;
        QVERIFY(lost > 0);
    }
};

LOCKSTEP_TEST(TraceEventsPropertyTest, "trace_events_property_test")
#include "trace_events_property_test.moc"
