// SPDX-License-Identifier: Apache-2.0
// Tests that the selection is preserved while a recording grows, its segments are merged, and its collected
// report replaces them; and that no key refers to another report than before.
#include <map>

#include <QtTest>

#include "core/readers/capture_spool/capture_spool_reader.h"
#include "core/readers/capture_spool/live_recording.h"
#include "core/scene/next_scene.h"
#include "core/scene/next_slice.h"
#include "tests/support/made_spool.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kMs = 1'000'000;

OpenedInScene openedAs(ReportKey key, const std::shared_ptr<const Report>& report)
{
    return {key, report, buildLod(*report, workers()),
            std::make_shared<const ReportIdentity>(identityOf(*report, {}, {}))};
}

// A window's scene of one recording: each segment has its own key, and the open part has a stable one.
class Window {
  public:
    explicit Window(const std::filesystem::path& file) : recording(file) {}

    void take(const LiveRecording::Change& change)
    {
        SceneChange next;
        for (const uint64_t number : change.removed)
            next.closed.insert(keyOf.at(number));
        for (const auto& chunk : change.added) {
            keyOf[chunk.number] = ReportKey(nextKey++);
            next.opened.push_back(openedAs(keyOf[chunk.number], chunk.report));
        }
        if (change.open != nullptr) {
            if (scene->open.has(ReportKey(0u))) next.closed.insert(ReportKey(0u));
            next.opened.push_back(openedAs(ReportKey(0u), change.open));
        }
        take(next);
    }
    void take(const SceneChange& change)
    {
        const ScenePtr last = scene;
        scene = nextScene(last, change, Progress()).value();
        selected = sliceInNext(*last, *scene, selected);
    }
    void read(uint64_t bytes, int64_t now_ns) { take(*recording.read({bytes, now_ns, false}, Progress())); }
    // Returns the first slice with this name in the shown reports.
    SliceRef find(std::string_view name) const
    {
        for (const ReportKey key : scene->shown.keys()) {
            const Report& report = scene->shown.report(key);
            for (uint32_t i = 0; i < report.slices.size(); ++i) {
                if (report.nameOf(SliceId{i}) == name) return {key, SliceId{i}};
            }
        }
        return {};
    }
    std::string selectedName() const
    {
        return scene->holds(selected)
                   ? std::string(scene->shown.report(selected.report).nameOf(selected.slice))
                   : std::string("none");
    }

    LiveRecording recording;
    ScenePtr scene = std::make_shared<const Scene>();
    std::map<uint64_t, ReportKey> keyOf;
    uint32_t nextKey = 1;
    SliceRef selected;
};

} // namespace

class NextSliceTest : public QObject {
    Q_OBJECT

  private slots:
    void openRangeIsFollowedToItsEndAndIntoTheMergedReport()
    {
        MadeSpool spool;
        spool.meta().thread(1).push(500 * kMs, "other").push(1000 * kMs, "step").closeBlock();
        std::vector<uint64_t> ends{spool.bytes().size()};
        for (int i = 0; i < 10; ++i) {
            if (i == 4) spool.thread(1).pop((1450 + i) * kMs);
            spool.pairs((2000 + i * 100) * kMs, 3);
            ends.push_back(spool.bytes().size());
        }
        spool.thread(1).pop(9000 * kMs).closeBlock().finish();
        const TempDir folder;
        Window window(folder.write("a.lsc", spool.bytes()));
        window.read(ends[0], 1100 * kMs);
        window.selected = window.find("step");
        QVERIFY(window.selected.isValid());
        for (size_t i = 1; i < ends.size(); ++i) {
            const ScenePtr last = window.scene;
            window.read(ends[i], (2000 + static_cast<int64_t>(i) * 100) * kMs);
            QCOMPARE(window.selectedName(), std::string("step"));
            // A report that still exists keeps its key.
            for (const ReportKey key : last->open.keys()) {
                QVERIFY(window.scene->open.has(key));
                if (key.value != 0) QVERIFY(&last->open.report(key) == &window.scene->open.report(key));
            }
        }
        QVERIFY(window.selected.report.value != 0); // it has ended: it is in a segment
        const Report& chunk = window.scene->shown.report(window.selected.report);
        QCOMPARE(chunk.slices.start(window.selected.slice).ns, 1000 * kMs);
        const auto merge = window.recording.nextMerge();
        QVERIFY(merge.has_value());
        const auto merged = LiveRecording::readMerged(window.recording.path(), *merge, Progress());
        window.take(window.recording.applyMerge(*merge, *merged));
        QCOMPARE(window.selectedName(), std::string("step"));
        // The collected file replaces all segments.
        SceneChange end;
        for (const ReportKey key : window.scene->open.keys())
            end.closed.insert(key);
        end.opened.push_back(openedAs(ReportKey(1000u), *readCaptureSpool(spool.bytes(), {}, Progress())));
        window.take(end);
        QCOMPARE(window.selectedName(), std::string("step"));
        QCOMPARE(window.selected.report.value, 1000u);
        QCOMPARE(window.scene->open.size(), size_t(1));
    }

    // A range at the same position in a file of another session is not mistaken for it.
    void anotherRecordingIsNotMistakenForIt()
    {
        MadeSpool spool;
        spool.meta().pairs(1000 * kMs, 3);
        const TempDir folder;
        Window window(folder.write("a.lsc", spool.bytes()));
        window.read(spool.bytes().size(), 2000 * kMs);
        window.selected = window.find("pair ");
        QVERIFY(window.selected.isValid());
        MadeSpool other(9);
        other.meta(1, 99, "another session").pairs(1000 * kMs, 3);
        SceneChange end;
        for (const ReportKey key : window.scene->open.keys())
            end.closed.insert(key);
        end.opened.push_back(openedAs(ReportKey(1000u), *readCaptureSpool(other.bytes(), {}, Progress())));
        window.take(end);
        QVERIFY(!window.selected.isValid());
    }

    // Collapsing and pins use a lane's key: a process keeps them while it grows.
    void lanesKeepTheirKeys()
    {
        MadeSpool spool;
        spool.meta();
        const TempDir folder;
        std::vector<uint64_t> ends;
        for (int i = 0; i < 20; ++i)
            ends.push_back(spool.pairs((1000 + i * 100) * kMs, 2).bytes().size());
        Window window(folder.write("a.lsc", spool.bytes()));
        window.read(ends[0], 1100 * kMs);
        std::vector<std::string> keys;
        for (const Lane& lane : window.scene->tree->lanes())
            keys.push_back(lane.key);
        QVERIFY(keys.size() >= 2);
        for (const uint64_t end : ends) {
            window.read(end, 0);
            std::vector<std::string> now;
            for (const Lane& lane : window.scene->tree->lanes())
                now.push_back(lane.key);
            QVERIFY(now == keys);
        }
    }
};

LOCKSTEP_TEST(NextSliceTest, "next_slice_test")
#include "next_slice_test.moc"
