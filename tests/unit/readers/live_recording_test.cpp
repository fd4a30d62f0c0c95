// SPDX-License-Identifier: Apache-2.0
// Tests a growing spool that is read segment by segment: the segments together equal the whole file.
#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <tuple>

#include <QTest>

#include "core/lanes/loss_lanes.h"
#include "core/lanes/report_lod.h"
#include "core/readers/capture_spool/capture_spool_reader.h"
#include "core/readers/capture_spool/live_recording.h"
#include "core/scene/scene.h"
#include "core/timeline/hit_test.h"
#include "core/timeline/lane_kind.h"
#include "core/timeline/lane_kinds/counter_lane.h"
#include "core/timeline/lane_kinds/rank_map_cells.h"
#include "core/timeline/layout.h"
#include "tests/support/made_spool.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kMs = 1'000'000;
constexpr uint64_t kCounterCategory = 2, kDouble = 3; // of a mark that is a counter value

// start, duration, name, kind, source, depth, whether it was still open
using Row = std::tuple<int64_t, int64_t, std::string, RowKind, uint64_t, int, bool>;

std::vector<Row> rowsOf(const Report& report)
{
    std::vector<Row> rows;
    for (uint32_t i = 0; i < report.slices.size(); ++i) {
        rows.emplace_back(report.slices.start_ns[i], report.slices.duration_ns[i],
                          std::string(report.nameOf(SliceId{i})), report.slices.kind[i],
                          report.slices.source[i].packed, report.slices.depth[i],
                          (report.slices.flags[i] & sliceFlag::kOpenEnd) != 0);
    }
    return rows;
}

std::string firstDifference(const std::vector<Row>& live, const std::vector<Row>& whole)
{
    const auto text = [](const Row& row) {
        return std::to_string(std::get<0>(row)) + " +" + std::to_string(std::get<1>(row)) + " " +
               std::get<2>(row) + " source " + std::to_string(std::get<4>(row)) + " row " +
               std::to_string(std::get<5>(row)) + (std::get<6>(row) ? " open" : "");
    };
    for (size_t i = 0; i < std::max(live.size(), whole.size()); ++i) {
        if (i < live.size() && i < whole.size() && live[i] == whole[i]) continue;
        return (i < live.size() ? text(live[i]) : std::string("nothing")) + " for " +
               (i < whole.size() ? text(whole[i]) : std::string("nothing"));
    }
    return {};
}

// A recording as a window stores it.
class Watched {
  public:
    explicit Watched(const std::filesystem::path& file) : recording(file) {}

    void read(uint64_t bytes, int64_t now_ns = 0, bool isCut = false)
    {
        auto change = recording.read({bytes, now_ns, isCut}, Progress());
        QVERIFY2(change, change ? "" : change.error().message.c_str());
        take(*change);
    }
    void take(const LiveRecording::Change& change)
    {
        for (const uint64_t number : change.removed)
            QCOMPARE(chunks.erase(number), size_t(1));
        for (const auto& chunk : change.added)
            QVERIFY(chunks.emplace(chunk.number, chunk.report).second);
        if (change.open != nullptr) open = change.open;
    }
    void merge()
    {
        while (const auto wanted = recording.nextMerge()) {
            const auto report = LiveRecording::readMerged(recording.path(), *wanted, Progress());
            QVERIFY(report.has_value());
            take(recording.applyMerge(*wanted, *report));
        }
    }
    std::vector<Row> rows() const
    {
        std::vector<Row> all = rowsOf(*open);
        for (const auto& [number, chunk] : chunks)
            std::ranges::copy(rowsOf(*chunk), std::back_inserter(all));
        std::ranges::sort(all);
        return all;
    }
    Workspace workspace() const
    {
        Workspace workspace;
        for (const auto& [number, chunk] : chunks)
            workspace.add(chunk);
        workspace.add(open);
        return workspace;
    }

    LiveRecording recording;
    std::map<uint64_t, LiveRecording::ReportPtr> chunks;
    LiveRecording::ReportPtr open;
};

// Pushes and pops of two threads, properly nested, a block every few records.
std::vector<std::string> randomSpool(uint32_t seed, int blocks)
{
    std::mt19937 random(seed);
    MadeSpool spool;
    std::vector<std::string> ends{spool.meta().bytes()};
    int64_t now_ns = 2'000'000'000;
    std::array<int, 2> depth{};
    for (int i = 0; i < blocks; ++i) {
        for (uint64_t thread = 0; thread < 2; ++thread) {
            spool.thread(thread + 1);
            for (auto n = static_cast<uint32_t>(random() % 12); n > 0; --n) {
                now_ns += 1 + static_cast<int64_t>(random() % 1000);
                int& open = depth[thread];
                const auto what = static_cast<uint32_t>(random() % 5);
                if (what == 0) {
                    spool.record(LOCKSTEP_KIND_MARK,
                                 {static_cast<uint64_t>(now_ns), spool.text("mark " + std::to_string(n))});
                } else if (what < 3 && open < 9) {
                    spool.push(now_ns, "range " + std::to_string(open));
                    ++open;
                } else if (open > 0) {
                    spool.pop(now_ns);
                    --open;
                }
            }
        }
        // Time continues after the last range, so that open ranges have a duration.
        spool.thread(3).record(LOCKSTEP_KIND_MARK,
                               {static_cast<uint64_t>(now_ns += 1000), spool.text("beat")});
        ends.push_back(spool.closeBlock().bytes());
    }
    return ends;
}

} // namespace

class LiveRecordingTest : public QObject {
    Q_OBJECT

  private slots:
    // For each truncation between blocks, merged or not: the rows of the whole file, each once, on the same
    // row, and open ranges remain open.
    void segmentsEqualTheWhole()
    {
        for (uint32_t seed = 0; seed < 60; ++seed) {
            const auto ends = randomSpool(seed, 80);
            const TempDir folder;
            const auto file = folder.write("a.lsc", ends.back());
            std::mt19937 random(seed);
            Watched watched(file);
            for (size_t block = 0; block < ends.size(); block += 1 + random() % 3) {
                watched.read(ends[block].size());
                if (seed % 2 == 0) watched.merge();
            }
            watched.read(ends.back().size());
            const auto whole = readCaptureSpool(ends.back(), {}, Progress());
            QVERIFY(whole.has_value());
            auto rows = rowsOf(**whole);
            std::ranges::sort(rows);
            const std::string difference = firstDifference(watched.rows(), rows);
            QVERIFY2(difference.empty(), ("seed " + std::to_string(seed) + ": " + difference).c_str());
            if (seed % 2 == 0) QVERIFY(watched.chunks.size() < 2 * LiveRecording::kMergedAtOnce);
            if (seed % 2 == 1) QVERIFY(watched.chunks.size() > 2 * LiveRecording::kMergedAtOnce);
        }
    }

    // One lane per thread, with as many rows as the whole file has; nothing overlaps.
    void segmentsShareTheirLanes()
    {
        for (uint32_t seed = 100; seed < 110; ++seed) {
            const auto ends = randomSpool(seed, 60);
            const TempDir folder;
            Watched watched(folder.write("a.lsc", ends.back()));
            for (size_t block = 0; block < ends.size(); block += 4)
                watched.read(ends[block].size());
            watched.read(ends.back().size());
            Workspace one;
            one.add(std::shared_ptr<const Report>(*readCaptureSpool(ends.back(), {}, Progress())));
            const Workspace chunks = watched.workspace();
            const ScenePtr whole = makeScene(one, alignReports(one, {}), Workers());
            const ScenePtr live = makeScene(chunks, alignReports(chunks, {}), Workers());
            QVERIFY(live->tree->size() >= 3);
            for (const Lane& lane : live->tree->lanes()) {
                const uint32_t same = whole->tree->find(lane.key);
                QVERIFY2(same != kNoLane, lane.key.c_str());
                QCOMPARE(lane.rowCount, whole->tree->lane(same).rowCount);
                std::string label = whole->tree->lane(same).label;
                const std::string cutShort = " \u00B7 cut short"; // the live view still waits for more
                if (label.ends_with(cutShort)) label.erase(label.size() - cutShort.size());
                QCOMPARE(lane.label, label);
                std::map<std::pair<uint32_t, int>, int64_t> endOf; // by row and depth, over its sources
                for (const RowSource& source : lane.sources) {
                    const Report& report = live->open.report(source.report);
                    for (uint16_t depth = 0; depth < report.track(source.track).depthCount; ++depth) {
                        const LodRow row =
                            live->lods[source.report]->slices().row(report, source.track, depth);
                        int64_t& end = endOf[{source.row, depth}];
                        for (uint32_t i = 0; i < row.count(); ++i) {
                            QVERIFY(row.start(i) >= end);
                            end = row.end(i);
                        }
                    }
                }
            }
        }
    }

    // A range that spans segments is open up to the edge, on one row, until its end arrives; then it is
    // complete.
    void rangeIsOpenUntilItsEndArrives()
    {
        MadeSpool spool;
        spool.meta().thread(1).push(1000 * kMs, "step").push(1100 * kMs, "inner").closeBlock();
        const uint64_t first = spool.bytes().size();
        spool.thread(1).pop(1500 * kMs).start(1600 * kMs, 7, "request").closeBlock();
        const uint64_t second = spool.bytes().size();
        spool.thread(1).pop(2000 * kMs).end(2100 * kMs, 7).closeBlock();
        const TempDir folder;
        Watched watched(folder.write("a.lsc", spool.bytes()));
        watched.read(first, 1300 * kMs);
        auto rows = watched.rows();
        QCOMPARE(rows.size(), size_t(2));
        QCOMPARE(std::get<1>(rows[0]), 300 * kMs); // until the current time
        QCOMPARE(std::get<2>(rows[0]), "step");
        QVERIFY(std::get<6>(rows[0]) && std::get<6>(rows[1]));
        QCOMPARE(std::get<5>(rows[1]), 1);
        watched.read(second, 1700 * kMs);
        rows = watched.rows();
        QCOMPARE(rows.size(), size_t(3));
        QCOMPARE(std::get<1>(rows[0]), 700 * kMs);
        QVERIFY(!std::get<6>(rows[1])); // inner has ended
        QCOMPARE(std::get<5>(rows[1]), 1);
        QCOMPARE(std::get<1>(rows[1]), 400 * kMs);
        watched.read(second, 1800 * kMs); // only time advances
        QCOMPARE(watched.rows().size(), size_t(3));
        QCOMPARE(std::get<1>(watched.rows()[0]), 800 * kMs);
        watched.read(spool.bytes().size(), 2200 * kMs);
        rows = watched.rows();
        QCOMPARE(rows.size(), size_t(3));
        QCOMPARE(std::get<1>(rows[0]), 1000 * kMs);
        QCOMPARE(std::get<1>(rows[2]), 500 * kMs);
        QVERIFY(std::ranges::none_of(rows, [](const Row& row) { return std::get<6>(row); }));
    }

    // After missing blocks, a pop has no known push: it must not end ranges that were open before them.
    void missingBlocksCloseNoWrongRange()
    {
        MadeSpool spool;
        spool.meta().thread(1).push(1000 * kMs, "before").closeBlock();
        const uint64_t first = spool.bytes().size();
        spool.leaveOut();
        spool.thread(1).pop(3000 * kMs).push(3100 * kMs, "behind").pop(3200 * kMs).closeBlock();
        const TempDir folder;
        Watched watched(folder.write("a.lsc", spool.bytes()));
        watched.read(first, 1100 * kMs);
        watched.read(spool.bytes().size(), 3300 * kMs);
        const auto rows = watched.rows();
        QCOMPARE(rows.size(), size_t(2));
        QCOMPARE(std::get<2>(rows[0]), "before");
        QCOMPARE(std::get<1>(rows[0]), 0); // as far as it is known
        QVERIFY(std::get<6>(rows[0]));
        QCOMPARE(std::get<2>(rows[1]), "behind");
        QCOMPARE(std::get<5>(rows[1]), 0);
        QCOMPARE(watched.open->gaps.size(), size_t(1));
        QCOMPARE(watched.open->gaps[0].begin.ns, 1000 * kMs);
        QCOMPARE(watched.open->gaps[0].end.ns, 3000 * kMs);
        QVERIFY(std::ranges::any_of(watched.open->notes.all(),
                                    [](const ImportNote& note) { return note.kind == "live.not_sent"; }));
    }

    // While the connection is lost, time advances without data; then the gap is filled.
    void lostLinkIsAGapUntilItIsFilled()
    {
        MadeSpool spool;
        spool.meta().thread(1).push(1000 * kMs, "a").closeBlock();
        const uint64_t first = spool.bytes().size();
        spool.thread(1).pop(9000 * kMs).closeBlock();
        const TempDir folder;
        Watched watched(folder.write("a.lsc", spool.bytes()));
        watched.read(first, 1100 * kMs);
        QVERIFY(watched.open->gaps.empty());
        watched.read(first, 6000 * kMs, true);
        QCOMPARE(watched.open->gaps.size(), size_t(1));
        QCOMPARE(watched.open->gaps[0].begin.ns, 1000 * kMs);
        QCOMPARE(watched.open->gaps[0].end.ns, 6000 * kMs);
        QCOMPARE(std::get<1>(watched.rows()[0]), 0); // unknown whether it is open
        watched.read(spool.bytes().size(), 9100 * kMs);
        QVERIFY(watched.open->gaps.empty());
        QCOMPARE(std::get<1>(watched.rows()[0]), 8000 * kMs);
        QCOMPARE(watched.rows().size(), size_t(1));
    }

    // The hatched lane covers exactly the gap; without gaps there is none.
    void gapHasALaneAtItsTime()
    {
        MadeSpool spool;
        spool.meta().pairs(1000 * kMs, 5);
        const uint64_t first = spool.bytes().size();
        spool.leaveOut();
        spool.pairs(5000 * kMs, 5);
        const TempDir folder;
        Watched watched(folder.write("a.lsc", spool.bytes()));
        const auto gapsIn = [&]() -> std::vector<TimeRange> {
            const Workspace workspace = watched.workspace();
            const ScenePtr scene = makeScene(workspace, alignReports(workspace, {}), Workers());
            for (const Lane& lane : scene->tree->lanes()) {
                if (const auto* const loss = lane.data.as<LossLaneData>()) return loss->gaps;
            }
            return {};
        };
        watched.read(first);
        QVERIFY(gapsIn().empty());
        watched.read(spool.bytes().size());
        const std::vector<TimeRange> gaps = gapsIn();
        QCOMPARE(gaps.size(), size_t(1));
        QCOMPARE(gaps[0].length().ns, 4000 * kMs - 4 * kMs - kMs / 2);
        // A hundred pixels from a second before the gap to a second after it: only the gap is hatched.
        const Workspace workspace = watched.workspace();
        const ScenePtr scene = makeScene(workspace, alignReports(workspace, {}), Workers());
        const LaneFlow flow = placeLanes(*scene, LaneState(), std::vector<bool>(scene->tree->size(), true),
                                         FrameMetrics::at(1));
        const LabelFont font = LabelFont::fixed(6);
        FrameView view;
        view.flow = &flow;
        view.font = &font;
        view.headerWidth = 0;
        view.size = {100, 400};
        const Duration second{1000 * kMs};
        view.visible = {gaps[0].begin + Duration{-second.ns}, gaps[0].end + second};
        const DisplayList list = layOut(*scene, view);
        const auto row =
            std::ranges::find_if(list.rows, [](const DisplayRow& r) { return r.kind->name() == "hatch"; });
        QVERIFY(row != list.rows.end());
        QCOMPARE(row->spans.size(), size_t(1));
        QVERIFY(std::abs(row->spans[0].begin - 17) <= 1 && std::abs(row->spans[0].end - 84) <= 1);
        Hit hit;
        QVERIFY(row->kind->hit(*row, 50, 1, hit) && !row->kind->hit(*row, 5, 1, hit));
    }

    // The colors of a rank map do not change when the collected report replaces the segments: a collective is
    // communication in both, although the range around it is in another segment.
    void activityEqualsThatOfTheWholeFile()
    {
        const LockstepSpoolCollective call{4096, 9, 4, 2};
        std::string bytes(sizeof call, '\0');
        std::memcpy(bytes.data(), &call, sizeof call);
        MadeSpool spool;
        std::vector<uint64_t> ends;
        spool.meta().thread(1).push(1000 * kMs, "step").push(1010 * kMs, "forward").closeBlock();
        ends.push_back(spool.bytes().size());
        for (uint64_t i = 0; i < 2 * LiveRecording::kMergedAtOnce; ++i) {
            const auto at_ns = static_cast<int64_t>(1020 + 50 * i) * kMs;
            spool.thread(1).start(at_ns, i + 1, "AllReduce").closeBlock(); // its payload is in the next block
            ends.push_back(spool.bytes().size());
            const uint64_t text = spool.thread(1).text(bytes + "world");
            spool.record(LOCKSTEP_KIND_PAYLOAD, {LOCKSTEP_SCHEMA_COLLECTIVE, text});
            spool.end(at_ns + 20 * kMs, i + 1).closeBlock();
            ends.push_back(spool.bytes().size());
        }
        spool.thread(1).pop(2000 * kMs).pop(2000 * kMs).closeBlock();
        ends.push_back(spool.bytes().size());
        const TempDir folder;
        const auto file = folder.write("a.lsc", spool.bytes());
        const auto partsOf = [](const Workspace& workspace) {
            const ScenePtr scene = makeScene(workspace, alignReports(workspace, {}), Workers());
            std::vector<ActivityParts> parts(100);
            for (uint32_t lane = 0; lane < scene->tree->size(); ++lane) {
                if (scene->tree->lane(lane).subject == LaneSubject::process)
                    addActivities(*scene, lane, PixelScale(scene->extent(), 100), parts);
            }
            return parts;
        };
        Watched watched(file);
        for (const uint64_t end : ends) {
            watched.read(end, 1000 * kMs);
            watched.merge();
        }
        Workspace whole;
        whole.add(std::move(*readCaptureSpool(spool.finish().bytes(), {}, Progress())));
        const std::vector<ActivityParts> live = partsOf(watched.workspace()), collected = partsOf(whole);
        QVERIFY(live == collected);
        // From 20 ms to 40 ms of the axis, which is 1 s long.
        QCOMPARE(collected[3], (ActivityParts{0, 255, 0, 0}));
        QCOMPARE(collected[1], (ActivityParts{0, 0, 0, 255}));
        QCOMPARE(collected[5], (ActivityParts{0, 0, 0, 255}));
    }

    // A counter keeps its value through segments without a sample, as in the whole file.
    void countersHoldTheirValues()
    {
        MadeSpool spool;
        std::vector<uint64_t> ends;
        const auto addBlock = [&](int64_t at_ns, std::optional<double> value) {
            spool.thread(1).push(at_ns, "step").pop(at_ns + 40 * kMs);
            if (value) {
                spool.record(LOCKSTEP_KIND_DOMAIN_NAME, {9, spool.text("lockstep")});
                spool.record(LOCKSTEP_KIND_DOMAIN, {9});
                const uint64_t name = spool.text("loss");
                spool.record(LOCKSTEP_KIND_MARK, {static_cast<uint64_t>(at_ns), name, kCounterCategory, 0,
                                                  kDouble, std::bit_cast<uint64_t>(*value)});
            }
            ends.push_back(spool.closeBlock().bytes().size());
        };
        spool.meta();
        for (int i = 0; i < 20; ++i)
            addBlock((1000 + 50 * i) * kMs, i % 6 == 0 ? std::optional<double>(i + 1) : std::nullopt);
        const TempDir folder;
        Watched watched(folder.write("a.lsc", spool.bytes()));
        for (const uint64_t end : ends)
            watched.read(end, 1990 * kMs);
        Workspace whole;
        whole.add(std::move(*readCaptureSpool(spool.finish().bytes(), {}, Progress())));
        const auto valuesIn = [](const Workspace& workspace) {
            const ScenePtr scene = makeScene(workspace, alignReports(workspace, {}), Workers());
            const LaneFlow flow = placeLanes(
                *scene, LaneState(), std::vector<bool>(scene->tree->size(), true), FrameMetrics::at(1));
            const LabelFont font = LabelFont::fixed(6);
            FrameView view;
            view.flow = &flow;
            view.font = &font;
            view.headerWidth = 0;
            view.size = {200, 800};
            view.visible = scene->extent();
            std::map<int, double> values; // by pixel
            for (const DisplayRow& row : layOut(*scene, view).rows) {
                const auto* const data = row.data.as<CounterRowData>();
                if (data == nullptr) continue;
                for (const CounterColumn& sample : data->columns)
                    values[sample.x] = std::max(values[sample.x], sample.last);
            }
            return values;
        };
        const std::map<int, double> live = valuesIn(watched.workspace()), collected = valuesIn(whole);
        QVERIFY(live == collected);
        QCOMPARE(collected.size(), size_t(200));
        QCOMPARE(collected.at(50), 1.0); // the next sample is at 300 ms of 990 ms
        QCOMPARE(collected.at(199), 19.0);
    }

    // Names that earlier blocks defined are valid in later segments; every segment is from the same process
    // on the same clock.
    void namesAndClockArePreserved()
    {
        MadeSpool spool;
        spool.meta(3);
        spool.record(LOCKSTEP_KIND_DOMAIN_NAME, {9, spool.text("NCCL")});
        spool.record(LOCKSTEP_KIND_THREAD_NAME, {1, spool.text("trainer")});
        spool.closeBlock();
        const uint64_t first = spool.bytes().size();
        spool.thread(1).record(LOCKSTEP_KIND_DOMAIN, {9}).push(2000 * kMs, "x").pop(2001 * kMs).closeBlock();
        const TempDir folder;
        Watched watched(folder.write("a.lsc", spool.bytes()));
        watched.read(first);
        watched.read(spool.bytes().size());
        const Report& chunk = *watched.chunks.rbegin()->second;
        QCOMPARE(chunk.strings.at(chunk.threads[0].name), std::string_view("trainer"));
        QCOMPARE(chunk.strings.at(chunk.tracks[0].name), std::string_view("NCCL"));
        for (const auto& [number, report] : watched.chunks) {
            QCOMPARE(*report->identity.rank.value, 3);
            QCOMPARE(*report->identity.pid.value, 4711);
            QCOMPARE(*report->clock.utcAtZero_ns, MadeSpool::kRealtime_ns);
        }
    }

    void lateMergeChangesNothing()
    {
        const auto ends = randomSpool(5, 20);
        const TempDir folder;
        Watched watched(folder.write("a.lsc", ends.back()));
        for (const std::string& end : ends)
            watched.read(end.size());
        const auto wanted = watched.recording.nextMerge();
        QVERIFY(wanted.has_value());
        const auto report = LiveRecording::readMerged(watched.recording.path(), *wanted, Progress());
        watched.take(watched.recording.applyMerge(*wanted, *report));
        QVERIFY(watched.recording.applyMerge(*wanted, *report).isEmpty());
    }

    void brokenFilesAreErrors()
    {
        const TempDir folder;
        LiveRecording none(folder.path() / "none.lsc"), empty(folder.write("empty.lsc", ""));
        QVERIFY(!none.read({100, 0, false}, Progress()));
        QVERIFY(!empty.read({100, 0, false}, Progress()));
    }
};

LOCKSTEP_TEST(LiveRecordingTest, "live_recording_test")
#include "live_recording_test.moc"
