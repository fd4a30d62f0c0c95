// SPDX-License-Identifier: Apache-2.0
// Tests the phases of 64 ranks in a window: 32 actors and 32 rollout workers over three steps. Phases have
// their own lanes, with the time in which an actor's device was idle while rollout generated. A click selects
// a phase. J leads from a collective to the last rank to arrive and shows the certainty.
#include <QSignalSpy>

#include "core/lanes/phase_lanes.h"
#include "core/timeline/last_arrival.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

constexpr int kRanks = 32, kSteps = 3, kLate = 5;
constexpr int64_t kStep_us = 10'000;

std::string workerText(bool isActor, int rank)
{
    std::string text = R"({"distributedInfo":{"backend":"nccl","rank":)" + std::to_string(rank) +
                       R"(,"world_size":32},"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3"}],)" +
                       R"("traceEvents":[)";
    const auto add = [&](int64_t at_us, int64_t us, const std::string& rest) {
        text += (text.back() == '[' ? "" : ",\n") + std::string(R"({"ph":"X","ts":)") +
                std::to_string(1'700'000'000'000'000 + at_us) + R"(,"dur":)" + std::to_string(us) + "," +
                rest + "}";
    };
    const auto range = [&](int64_t at_us, int64_t us, const std::string& name) {
        add(at_us, us, R"("pid":1,"tid":1,"name":")" + name + R"(","cat":"user_annotation")");
    };
    const auto kernel = [&](int64_t at_us, int64_t us, const std::string& name,
                            const std::string& more = {}) {
        add(at_us, us,
            R"("pid":0,"tid":7,"name":")" + name + R"(","cat":"kernel","args":{"device":0,"stream":7)" +
                more + "}");
    };
    for (int step = 1; step <= kSteps; ++step) {
        const int64_t begin = (step - 1) * kStep_us;
        range(begin, 9'900, "ProfilerStep#" + std::to_string(step));
        if (!isActor) {
            range(begin, 4'000, "generate_sequences");
            kernel(begin, 4'000, "decode_kernel");
            continue;
        }
        range(begin + 5'000, 4'000, "update_actor");
        const int64_t late_us = rank == kLate ? 1'300 : 1'000 + rank;
        kernel(begin + 5'000, late_us, "gemm_kernel");
        kernel(
            begin + 5'000 + late_us, 1'800 - late_us, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
            R"(,"Collective name":"allreduce","Group size":32,"Process Group Name":"0","dtype":"BFloat16",)"
            R"("In msg nelems":1024,"Out msg nelems":1024,"Seq":)" +
                std::to_string(step));
    }
    return text + "]}";
}

std::string fileName(bool isActor, int rank)
{
    return std::string(isActor ? "actor" : "rollout") + "_rank" + std::to_string(rank) + "-of-32_pid" +
           std::to_string(100 + rank + (isActor ? 0 : kRanks)) + "_20260822143501123.json";
}

} // namespace

class PhasesWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase()
    {
        makeWindow({.isMotionReduced = true});
        std::vector<std::filesystem::path> paths;
        for (const bool isActor : {true, false}) {
            for (int rank = 0; rank < kRanks; ++rank)
                paths.push_back(m_folder->write(fileName(isActor, rank), workerText(isActor, rank)));
        }
        open(paths);
        view().lanes().editLanes(
            [](LaneState& lanes) { lanes.grouping = LaneGrouping::none; }); // no map of ranks
        settle();
    }

    void cleanup() {} // the window stays open for all test functions
    void cleanupTestCase() { WindowFixture::cleanup(); }

    // In each of the three steps, the actors' devices are idle during the 4 ms of rollout work.
    void everyWorkerHasALaneWithBubbles()
    {
        size_t actors = 0, rollouts = 0;
        for (uint32_t lane = 0; lane < view().state().tree().size(); ++lane) {
            const Lane& one = view().state().tree().lane(lane);
            if (!one.data.is<PhaseLaneData>()) continue;
            QCOMPARE(one.data.as<PhaseLaneData>()->segments.size(), size_t(kSteps));
            const ProcessBubbles* const bubbles =
                scene().bubbles->of(view().state().tree(), view().state().tree().parentOf(lane));
            QVERIFY(bubbles != nullptr);
            const TimeRange all = scene().extent();
            if (one.role == "actor") {
                ++actors;
                // The first generation precedes the actor's first kernel, so nothing is recorded for it.
                QVERIFY2(bubbles->lengthWithin(all).ns >= 2 * 3'900'000 &&
                             bubbles->lengthWithin(all).ns <= 3 * 4'100'000,
                         qPrintable(QString::number(bubbles->lengthWithin(all).ns)));
            } else {
                ++rollouts;
            }
        }
        QCOMPARE(actors, size_t(kRanks));
        QCOMPARE(rollouts, size_t(kRanks));
    }

    void clickSelectsAPhaseAndItsNameIsDrawn()
    {
        const SliceRef phase = sliceOf("actor", 3, "update_actor");
        view().selector().select(phase, true);
        view().navigation().zoomToSelected();
        const uint32_t lane = phaseLaneOf("actor", 3);
        QVERIFY(lane != kNoLane);
        view().lanes().showLane(QString::fromStdString(view().state().tree().lane(lane).key));
        view().selector().select({}, false);
        const DisplayList& list = view().displayList();
        const auto placed = std::ranges::find(list.lanes, lane, &DisplayLane::lane);
        QVERIFY(placed != list.lanes.end());
        const auto row = std::ranges::find(list.rows, lane, &DisplayRow::lane);
        QVERIFY(row != list.rows.end());
        QVERIFY2(row->text.find("update_actor") != std::string::npos, row->text.c_str());
        auto* const canvas = view().findChild<TimelineCanvas*>();
        QTest::mouseClick(canvas, Qt::LeftButton, {},
                          QPoint(canvas->width() / 2 + 100, placed->y + placed->height / 2));
        QVERIFY(view().viewState().slice().isValid());
        QCOMPARE(nameOf(view().viewState().slice()), "update_actor");
        QVERIFY(view().viewState().slice().report == phase.report);
    }

    void jLeadsToTheLastRankToArrive()
    {
        for (const int rank : {0, 17, 31}) {
            for (int step = 0; step < kSteps; ++step) {
                const SliceRef part =
                    sliceOf("actor", rank, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", step);
                view().selector().select(part, true);
                QSignalSpy told(&view().notices(), &Notices::posted);
                view().setFocus();
                QTest::keyClick(&view(), Qt::Key_J);
                QVERIFY(view().viewState().slice() ==
                        sliceOf("actor", kLate, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", step));
                const QString text = told.value(0).value(0).toString();
                QVERIFY2(text.contains("rank 5") && text.contains("last of 32") &&
                             text.contains(QString::fromUtf8("\u00B1")),
                         qPrintable(text));
            }
        }
        // At the last rank, J reports that it is the last and stays.
        const SliceRef last = view().viewState().slice();
        QTest::keyClick(&view(), Qt::Key_J);
        QVERIFY(view().viewState().slice() == last);
    }

    void looksRight()
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (folder.isEmpty()) return;
        view().navigation().fitAll();
        view().lanes().showLane(
            QString::fromStdString(view().state().tree().lane(phaseLaneOf("actor", 0)).key));
        settle();
        m_window->grab().save(folder + "/phases_light.png");
    }

  private:
    QString nameOf(SliceRef slice)
    {
        const std::string_view name = scene().shown.report(slice.report).nameOf(slice.slice);
        return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    }
    ReportKey reportOf(const std::string& role, int rank)
    {
        for (const ReportKey key : scene().shown.keys()) {
            const Identity& identity = scene().shown.identity(key);
            if (identity.role.value == role && identity.rank.value == rank) return key;
        }
        return {};
    }
    SliceRef sliceOf(const std::string& role, int rank, std::string_view name, int nth = 0)
    {
        const ReportKey key = reportOf(role, rank);
        const Report& report = scene().shown.report(key);
        for (uint32_t row = 0; row < report.slices.size(); ++row) {
            if (report.nameOf(SliceId(row)) == name && nth-- == 0) return {key, SliceId(row)};
        }
        return {};
    }
    uint32_t phaseLaneOf(const std::string& role, int rank)
    {
        for (uint32_t lane = 0; lane < view().state().tree().size(); ++lane) {
            const LaneTree& tree = view().state().tree();
            const bool isPhases = tree.lane(lane).data.is<PhaseLaneData>();
            if (isPhases && tree.lane(lane).role == role && rankOf(tree.lane(tree.parentOf(lane))) == rank)
                return lane;
        }
        return kNoLane;
    }
};

LOCKSTEP_TEST(PhasesWindowTest, "phases_window_test")
#include "phases_window_test.moc"
