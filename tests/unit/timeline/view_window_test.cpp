// SPDX-License-Identifier: Apache-2.0
// Tests the visible range with zoom, pan and history; elided texts; ruler labels.
#include "core/timeline/view_window.h"

#include "core/timeline/elide.h"
#include "core/timeline/ticks.h"
#include "core/timeline/zoom_history.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

std::string tickLabels(const TickScale& scale)
{
    std::string out = scale.baseLabel + " |";
    for (const Tick& tick : scale.ticks) {
        if (tick.isMajor) out += " " + tick.label + ",";
    }
    return out;
}

} // namespace

class ViewWindowTest : public QObject {
    Q_OBJECT

  private slots:
    void zoomKeepsThePointUnderTheCursor()
    {
        ViewWindow window({{0}, {1'000'000}});
        window.show({{200'000}, {600'000}});
        window.zoomAt({300'000}, 0.5);
        QCOMPARE(window.visible(), (TimeRange{{250'000}, {450'000}}));
        window.zoomAt({300'000}, 1e-9);
        QCOMPARE(window.visible().length(), ViewWindow::kShortest);
        QVERIFY(window.visible().contains({300'000}));
        window.zoomAt({300'000}, 1e12);
        QCOMPARE(window.visible(), window.bounds());
    }

    void panStopsAtTheBounds()
    {
        ViewWindow window({{0}, {1'000'000}});
        window.show({{0}, {100'000}});
        window.panBy(-5.0);
        QCOMPARE(window.visible().begin, window.bounds().begin);
        QCOMPARE(window.visible().length(), Duration{100'000});
        window.panBy(Duration{1'000});
        QCOMPARE(window.visible().begin, window.bounds().begin + Duration{1'000});
    }

    void historyGoesBackAndForth()
    {
        const TimeRange all{{0}, {1'000'000}}, a{{100}, {5'000}}, b{{200}, {400}};
        ZoomHistory history;
        QVERIFY(!history.undo(all));
        history.remember(all);
        history.remember(all);
        history.remember(a);
        QVERIFY(history.undo(b) == a);
        QVERIFY(history.undo(a) == all);
        QVERIFY(!history.undo(all));
        QVERIFY(history.redo(all) == a && history.redo(a) == b);
        QVERIFY(!history.redo(b));
        history.moveAxis({50});
        QVERIFY(history.undo({{250}, {450}}) == (TimeRange{{150}, {5'050}}));
        history.remember({{150}, {5'050}});
        QVERIFY(!history.redo({{0}, {50}}));
    }

    void newBoundsKeepTheView()
    {
        ViewWindow window({{0}, {1'000'000}});
        window.show({{100}, {300}});
        window.setBounds({{0}, {5'000'000}});
        QCOMPARE(window.visible(), (TimeRange{{100}, {300}}));
        window.setBounds({{10'000'000}, {20'000'000}});
        QCOMPARE(window.visible(), window.bounds());
        window.setBounds({{10'000'000}, {30'000'000}}); // showed everything: still does
        QCOMPARE(window.visible(), window.bounds());
    }

    void kernelsLoseTemplatesFirst()
    {
        const LabelFont font = LabelFont::fixed(1);
        const std::string_view name = "void ns::gemm_kernel<float, 4>(float*, int)";
        QCOMPARE(elideKernel(name, 60, font), std::string("ns::gemm_kernel<float, 4>(float*, int)"));
        QCOMPARE(elideKernel(name, 30, font), std::string("ns::gemm_kernel<float, 4>"));
        QCOMPARE(elideKernel(name, 20, font), std::string("ns::gemm_kernel"));
        QCOMPARE(elideKernel(name, 12, font), std::string("gemm_kernel"));
        QCOMPARE(elideKernel(name, 8, font), std::string("gemm\u2026nel"));
        QCOMPARE(elideKernel(name, 3, font), std::string());
        const std::string_view nccl = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
        QCOMPARE(elideKernel(nccl, 31, font), std::string("ncclDevKernel_AllGather_RING_LL"));
        QCOMPARE(elideKernel(nccl, 20, font), std::string("AllGather_RING_LL"));
        QCOMPARE(elideKernel(nccl, 10, font), std::string("AllGather\u2026"));
        QCOMPARE(elideKernel(nccl, 5, font), std::string("AllG\u2026"));
        QCOMPARE(elideKernel("ncclKernel_AllReduce_TREE_LL_Sum_half(int)", 9, font),
                 std::string("AllReduc\u2026"));
        QCOMPARE(elideKernel("ncclDevKernel_", 9, font), std::string("nccl\u2026nel_"));
        QCOMPARE(elideEnd("actor_update", 6, font), std::string("actor\u2026"));
        QCOMPARE(elideEnd("abcd", 3, font), std::string());
        QCOMPARE(elideEnd("\u00E4\u00F6\u00FC\u00DF\u00E4", 4, font),
                 std::string("\u00E4\u00F6\u00FC\u2026"));
    }

    void namesAreUnderstood()
    {
        QCOMPARE(withoutParameters("f(int)(char)"), std::string_view("f(int)"));
        QCOMPARE(withoutParameters("(anonymous)"), std::string_view("(anonymous)"));
        QCOMPARE(withoutTemplateArguments("a<b<c>>::d<e>"), std::string("a::d"));
        QCOMPARE(withoutTemplateArguments("broken<a"), std::string("broken<a"));
        QCOMPARE(withoutTemplateArguments("at::<unnamed>::k<int>"), std::string("at::<unnamed>::k"));
        QCOMPARE(withoutTemplateArguments("<unnamed>::k<<unnamed>::F>"), std::string("<unnamed>::k"));
        QCOMPARE(withoutParameters("at::(anonymous namespace)::k"),
                 std::string_view("at::(anonymous namespace)::k"));
        QCOMPARE(elideKernel("void <unnamed>::elementwise_kernel_with_index<int, F>(int)", 30,
                             LabelFont::fixed(1)),
                 std::string("elementwise_kernel_with_index"));
        QCOMPARE(withoutParentName("step/forward", "step"), std::string_view("forward"));
        QCOMPARE(withoutParentName("stepping", "step"), std::string_view("stepping"));
        QCOMPARE(withoutParentName("step", "step"), std::string_view("step"));
    }

    // Less than one step is visible: the base of the labels is still rounded to that step.
    void singleTicksAreRound()
    {
        const int64_t utc = 1'795'176'271'000'000'123;
        for (int64_t begin = -1'111'956'982'516'400; begin < -1'111'956'982'516'300; ++begin) {
            const TickScale scale = ticksFor({{begin}, {begin + 10}}, 50, 100, utc);
            QCOMPARE(scale.step.ns, int64_t(20));
            for (const Tick& tick : scale.ticks)
                QVERIFY(!tick.isMajor || (tick.at.ns + utc) % 20 == 0);
        }
    }

    void rulerLabelsFitTheScale()
    {
        QCOMPARE(tickLabels(ticksFor({{0}, {40'000'000}}, 800, 100)),
                 std::string(" | 0 s, 5 ms, 10 ms, 15 ms, 20 ms, 25 ms, 30 ms, 35 ms,"));
        QCOMPARE(tickLabels(ticksFor({{1'204'118'400}, {1'204'118'440}}, 400, 100)),
                 std::string("1.204\u2009118\u20094 s | +0, +10 ns, +20 ns, +30 ns,"));
        const int64_t utc = 1'795'176'271'000'000'000; // 2026-11-20 12:04:31 UTC
        QCOMPARE(tickLabels(ticksFor({{0}, {4'000'000}}, 400, 100, utc)),
                 std::string("12:04:31 UTC | +0, +1 ms, +2 ms, +3 ms,"));
        QCOMPARE(tickLabels(ticksFor({{0}, {240'000'000'000}}, 400, 100, utc)),
                 std::string("2026-11-20 UTC | 12:06, 12:08,"));
        QVERIFY(ticksFor({{0}, {0}}, 400, 100).ticks.empty());
    }
};

LOCKSTEP_TEST(ViewWindowTest, "view_window_test")
#include "view_window_test.moc"
