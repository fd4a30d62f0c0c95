// SPDX-License-Identifier: Apache-2.0
// Tests SceneMaker when a step fails: the failure is reported, nothing is lost, and nothing waits forever.
#include "app/window/scene_maker.h"

#include <atomic>
#include <chrono>
#include <new>
#include <thread>

#include <QSignalSpy>
#include <QWidget>

#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

SceneChange openingOf(uint32_t key)
{
    test::MadeRank made;
    made.rank = static_cast<int>(key);
    made.steps = 1;
    const auto report = test::madeRank(made);
    SceneChange change;
    change.opened.push_back({ReportKey(size_t(key)), report, buildLod(*report, test::workers()),
                             std::make_shared<const ReportIdentity>(identityOf(*report, {}, {}))});
    return change;
}

} // namespace

class SceneMakerTest : public QObject {
    Q_OBJECT

  private slots:
    void failedSceneIsMadeWithTheNext()
    {
        std::atomic<bool> isShort = true;
        SceneMaker maker(test::workers(), {},
                         [&](const ScenePtr& last, const SceneChange& change, const Progress& progress) {
                             if (isShort) throw std::bad_alloc();
                             return nextScene(last, change, progress);
                         });
        QSignalSpy failed(&maker, &SceneMaker::failed);
        maker.change(openingOf(0));
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(failed[0][0].toString().contains("memory"));
        QVERIFY(!maker.isBusy()); // nothing waits for a scene that isn't being made
        QVERIFY(maker.hasChange());
        QVERIFY(maker.scene()->open.isEmpty());
        isShort = false;
        maker.change(openingOf(1));
        QVERIFY(maker.isBusy());
        QTRY_VERIFY(!maker.isBusy());
        QCOMPARE(maker.scene()->open.size(), size_t(2));
        QCOMPARE(failed.size(), 1);
    }

    void theOrderIsListedOncePerScene()
    {
        std::vector<std::vector<ReportKey>> orders; // of each scene that opens reports
        SceneMaker maker(test::workers(), {},
                         [&](const ScenePtr& last, const SceneChange& change, const Progress& progress) {
                             if (!change.opened.empty()) orders.push_back(change.order);
                             return nextScene(last, change, progress);
                         });
        int calls = 0;
        const std::vector<ReportKey> order{ReportKey(2u), ReportKey(0u), ReportKey(1u)};
        maker.setOrder([&] { return ++calls, order; });
        for (const uint32_t key : {0u, 1u, 2u})
            maker.add(openingOf(key));
        maker.make();
        QTRY_VERIFY(!maker.isBusy());
        QCOMPARE(calls, 1);
        QVERIFY(orders.size() == 1 && orders[0] == order);
    }

    // The pause between two scenes depends on the cost; painting is most of it when there are many reports.
    void theCostOfASceneIncludesPainting()
    {
        class SlowWidget : public QWidget {
          public:
            int paints = 0;

          protected:
            void paintEvent(QPaintEvent*) override
            {
                ++paints;
                std::this_thread::sleep_for(std::chrono::milliseconds(80));
            }
        } widget;
        widget.show();
        QTRY_VERIFY(widget.paints > 0);
        SceneMaker maker(test::workers());
        connect(&maker, &SceneMaker::made, &widget, [&widget] { widget.update(); });
        const int before = widget.paints;
        maker.change(openingOf(0));
        QTRY_VERIFY(widget.paints > before);
        QTRY_VERIFY(maker.cost_ms() >= 80);
    }

    void failedAlignmentIsReported()
    {
        SceneMaker maker(test::workers(),
                         [](const Workspace&, const AlignOptions&, const Progress&) -> Result<Alignment> {
                             throw std::bad_alloc();
                         });
        QSignalSpy failed(&maker, &SceneMaker::failed);
        maker.change(openingOf(0));
        QTRY_COMPARE(failed.size(), 1);
        QTRY_VERIFY(!maker.isBusy());
        QVERIFY(maker.scene()->open.has(ReportKey(size_t(0)))); // at the position of its wall clock
    }
};

LOCKSTEP_TEST(SceneMakerTest, "scene_maker_test")
#include "scene_maker_test.moc"
