// SPDX-License-Identifier: Apache-2.0
// Tests the log view: escapes, the bounded ring, search, following, wrapping, copying.
#include "ui/run/log_view.h"

#include <QElapsedTimer>
#include <QScrollBar>

#include "tests/support/test_registry.h"
#include "ui/run/step_progress.h"

using namespace lockstep;

class LogViewTest : public QObject {
    Q_OBJECT

  private slots:
    void removesEscapes()
    {
        const AnsiText text = ansiText("\x1B[1;31mred\x1B[0m a\tb\x1B]0;title\a \x1B[38;5;208morange\x1B[2K");
        QCOMPARE(text.text, std::string("red a   b orange"));
        QCOMPARE(text.spans.size(), size_t(2));
        QCOMPARE(text.spans[0], (AnsiSpan{0, 3, {1, true, false}}));
        QCOMPARE(text.spans[1], (AnsiSpan{10, 16, {208, false, false}}));
        QCOMPARE(ansiText("\x1B[38;2;1;2;3mx").spans.front().style.color, std::optional<uint32_t>(0x1010203));
        QCOMPARE(ansiText("a\xFF"
                          "b")
                     .text,
                 std::string("a\xEF\xBF\xBD"
                             "b"));
        QCOMPARE(ansiText("cut \x1B[3").text, std::string("cut "));
    }

    void forgetsTheOldestLines()
    {
        LogBuffer buffer(3, 1000);
        buffer.add(0, 1, LogTone::output, "one\ntwo\r\nthree\n10%\r50%\r90%\nlast");
        QCOMPARE(buffer.first(), uint64_t(2));
        QCOMPARE(buffer.end(), uint64_t(5));
        QCOMPARE(buffer.line(3).content.text, std::string("90%"));
        QCOMPARE(buffer.line(4).content.text, std::string("last"));
        buffer.add(0, 2, LogTone::output, std::string(10 << 20, 'x'));
        QVERIFY(buffer.line(buffer.end() - 1).content.text.size() < 4200);
        QVERIFY(buffer.line(buffer.end() - 1).content.text.ends_with("more in the log file on the host"));
    }

    void searchesFollowsAndCopies()
    {
        LogBuffer buffer(1000);
        for (int i = 0; i < 500; ++i)
            buffer.add(static_cast<uint32_t>(i % 2), i, LogTone::output, "line " + std::to_string(i));
        LogView view;
        view.resize(600, 200);
        view.show();
        view.setBuffer(&buffer, {"node0", "node1"});
        QCOMPARE(view.rowCount(), size_t(500));
        QCOMPARE(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
        view.setQuery({std::nullopt, "LINE 49", false});
        QCOMPARE(view.matchCount(), size_t(11)); // 49, 490..499
        QTest::keyClick(&view, Qt::Key_Home);
        QVERIFY(!view.isFollowing());
        view.step(true);
        QCOMPARE(view.matchPosition(), size_t(1));
        QCOMPARE(view.textToCopy(), QString("line 49\n"));
        view.step(false);
        QCOMPARE(view.matchPosition(), size_t(11));
        view.setQuery({1, "line 49", true});
        QCOMPARE(view.rowCount(), size_t(6));
        view.setQuery({});
        QTest::keyClick(&view, Qt::Key_End);
        QVERIFY(view.isFollowing());
        // The text in view stays in place while the ring drops old lines.
        QTest::keyClick(&view, Qt::Key_Home);
        QTest::keyClick(&view, Qt::Key_PageDown);
        QTest::keyClick(&view, Qt::Key_PageDown, Qt::ShiftModifier);
        const QString chosen = view.textToCopy();
        for (int i = 0; i < 400; ++i)
            buffer.add(0, 1000 + i, LogTone::output, "more");
        view.refresh();
        QCOMPARE(view.textToCopy(), chosen);
        QVERIFY(!view.isFollowing());
    }

    void wrapsOnlyVisibleLines()
    {
        LogBuffer buffer;
        for (int i = 0; i < 100'000; ++i)
            buffer.add(0, i, LogTone::output, std::string(200, 'w'));
        LogView view;
        view.resize(400, 300);
        view.show();
        view.setBuffer(&buffer, {"node0"});
        QElapsedTimer time;
        time.start();
        view.setWrapping(true);
        view.viewport()->repaint();
        QVERIFY(time.elapsed() < 1000);
        QVERIFY(view.verticalScrollBar()->maximum() < 100'000 - 1);
        QVERIFY(view.verticalScrollBar()->maximum() > 100'000 - 20);
        QCOMPARE(view.horizontalScrollBar()->maximum(), 0);
    }

    void readsTimingsOfSteps()
    {
        const auto timings =
            stepTimingsOf("(TaskRunner pid=7) step:12 - actor/loss:0.5 - timing_s/gen:31.5 - "
                          "timing_s/ref:np.float64(2.25) - timing_s/step:40");
        QVERIFY(timings.has_value());
        QCOMPARE(timings->step, int64_t(12));
        QCOMPARE(timings->seconds, 40.0);
        QCOMPARE(timings->phases.size(), size_t(2));
        QCOMPARE(timings->phases[1], (StepPhase{"ref", "ref", 2.25}));
        QVERIFY(!stepTimingsOf("step:12 - loss:1").has_value());
        StepProgress progress;
        progress.setRecorded({13});
        progress.noteTimings(*timings, 100'000'000'000);
        progress.noteStep(13, 101'000'000'000);
        const std::vector<StepSpan> steps = progress.steps();
        QCOMPARE(steps.size(), size_t(2));
        QCOMPARE(steps[0].begin_ns, int64_t(60'000'000'000));
        QVERIFY(!steps[0].isRecorded && steps[1].isRecorded && !steps[1].end_ns);
    }
};

LOCKSTEP_TEST(LogViewTest, "log_view_test")
#include "log_view_test.moc"
