// SPDX-License-Identifier: Apache-2.0
// Tests the log view: escapes, the bounded ring, search, following, wrapping, copying.
#include "ui/run/log_view.h"

#include <QScrollBar>

#include "tests/support/cpu_timer.h"
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

    void overwritesAsATerminal()
    {
        const auto written = [](std::string_view text) {
            TerminalLine line;
            line.write(text);
            return line.content().text;
        };
        QCOMPARE(written("a 10%\ra 20%"), std::string("a 20%"));
        QCOMPARE(written("abcdef\rxy"), std::string("xycdef"));
        QCOMPARE(written("abcdef\r\x1B[Kxy"), std::string("xy"));
        QCOMPARE(written("abcdef\x1B[2K\rxy"), std::string("xy"));
        QCOMPARE(written("10%\r   \r"), std::string());
        QCOMPARE(written("ab\bc\td"), std::string("ac      d"));
        QCOMPARE(written("1\xE2\x96\x88\xE2\x96\x88\r2"), std::string("2\xE2\x96\x88\xE2\x96\x88"));
        TerminalLine line;
        line.write("plain \x1B[31mred\x1B[0m");
        QCOMPARE(line.content().spans, (std::vector<AnsiSpan>{{6, 9, {1, false, false}}}));
        line.write("\r\x1B[32mgreen");
        QCOMPARE(line.content().spans,
                 (std::vector<AnsiSpan>{{0, 5, {2, false, false}}, {6, 9, {1, false, false}}}));
    }

    void readsPrefixesOfLaunchers()
    {
        QCOMPARE(logPrefix("[rank3]: Traceback").rank, std::optional<int64_t>(3));
        QCOMPARE(logPrefix("[Rank 12] NCCL watchdog").rank, std::optional<int64_t>(12));
        QCOMPARE(logPrefix("[default5]:loss 1").localRank, std::optional<int64_t>(5));
        const LogPrefix ray = logPrefix("(WorkerDict pid=41613, ip=10.0.0.2) [rank8]: x");
        QVERIFY(ray.pid == 41613 && ray.ip == "10.0.0.2" && ray.rank == 8);
        QVERIFY(ray.process == "WorkerDict pid=41613, ip=10.0.0.2");
        for (const char* line : {"[INFO] rank 3", "(pid=7) x", "(a b) pid=3", "[ranks] 3", "[rank]", "", "("})
            QVERIFY2(!logPrefix(line).rank && !logPrefix(line).pid && !logPrefix(line).localRank, line);
    }

    void forgetsTheOldestLines()
    {
        LogBuffer buffer(3, 1000);
        buffer.addOutput({}, 1, "one\ntwo\r\nthree\n10%\r50%\r90%\nlast\n");
        QCOMPARE(buffer.first(), uint64_t(2));
        QCOMPARE(buffer.end(), uint64_t(5));
        QCOMPARE(buffer.line(3).content.text, std::string("90%"));
        QCOMPARE(buffer.line(4).content.text, std::string("last"));
        buffer.addOutput({}, 2, std::string(10 << 20, 'x') + "\n");
        QVERIFY(buffer.line(buffer.end() - 1).content.text.size() < 4200);
        QVERIFY(buffer.line(buffer.end() - 1).content.text.ends_with("more in the log file on the host"));
    }

    void keepsProgressBarsOnOneLine_data()
    {
        QTest::addColumn<QStringList>("chunks");
        QTest::addColumn<QStringList>("lines");
        const QStringList done{"start", "100%", "end"};
        QTest::newRow("one chunk") << QStringList{"start\n\r  0%\r 50%\r100%\nend\n"} << done;
        QTest::newRow("ends with \\r")
            << QStringList{"start\n\r", "  0%\r", " 50%\r", "100%\n", "end\n"} << done;
        QTest::newRow("begins with \\r")
            << QStringList{"start\n", "\r  0%", "\r 50%", "\r100%\n", "end\n"} << done;
        QTest::newRow("divided line end") << QStringList{"start\r", "\n100%\r", "\nend\r", "\n"} << done;
        QTest::newRow("divided line") << QStringList{"st", "art\n10", "0%\nend\n"} << done;
        QTest::newRow("blank lines") << QStringList{"start\n\n", "\n"} << QStringList{"start", "", ""};
        QTest::newRow("nested bars") << QStringList{"\r a 0%", "\n\r b 0%\x1B[A", "\n\r b 9%\x1B[A",
                                                    "\r a 5%", "\n\r b 1%\x1B[A\n\nend\n"}
                                     << QStringList{" a 5%", " b 1%", "end"};
        QTest::newRow("Ray") << QStringList{"(W pid=7)   0%\r 50%\r100%\n"} << QStringList{"(W pid=7) 100%"};
    }

    void keepsProgressBarsOnOneLine()
    {
        QFETCH(QStringList, chunks);
        QFETCH(QStringList, lines);
        LogBuffer buffer;
        for (const QString& chunk : chunks)
            buffer.addOutput({}, 1, chunk.toStdString());
        QStringList found;
        for (uint64_t i = 0; i < buffer.end(); ++i)
            found << QString::fromStdString(buffer.line(i).content.text);
        QCOMPARE(found, lines);
    }

    void separatesStreamsAndFollowsRewrittenLines()
    {
        LogBuffer buffer(1000);
        const LogSource out{0, LogStream::standardOutput, 0}, error{0, LogStream::standardError, 0};
        LogIndex index;
        index.setQuery({.text = "50%", .isFilter = true});
        buffer.addOutput(error, 1, "bar  0%\r");
        buffer.addOutput(out, 2, "printed\n");
        QVERIFY(index.follow(buffer, 10));
        QCOMPARE(index.rows(), size_t(0));
        buffer.addOutput(error, 3, "bar 50%\r");
        buffer.addOutput({1, LogStream::standardError, 0}, 4, "other host\r");
        buffer.addMessage(0, 4, LogTone::warn, "link lost");
        QCOMPARE(buffer.end(), uint64_t(4));
        QCOMPARE(buffer.line(0).content.text, std::string("bar 50%"));
        QCOMPARE(buffer.line(0).time_ns, int64_t(3));
        QVERIFY(index.follow(buffer, 10));
        QCOMPARE(index.rows(), size_t(1));
        buffer.addOutput(error, 5, "bar 90%\n");
        QVERIFY(index.follow(buffer, 10));
        QCOMPARE(index.rows(), size_t(0));
        // A line that was dropped is not rewritten; the text begins a new one.
        LogBuffer small(2);
        small.addOutput(error, 1, "bar 0%\r");
        small.addOutput(out, 2, "1\n2\n3\n");
        small.addOutput(error, 3, "bar 5%\r");
        QCOMPARE(small.line(small.end() - 1).content.text, std::string("bar 5%"));
    }

    void filtersByRankAndStream()
    {
        LogBuffer buffer;
        std::optional<int64_t> rankOfPid;
        buffer.setRankFinder([&](const LogProcess& process) {
            return process.localRank ? std::optional(8 + *process.localRank) : rankOfPid;
        });
        buffer.addOutput({}, 1, "no prefix\n(WorkerDict pid=7) a\n[default1]:b\n[rank0]: c\n");
        buffer.addOutput({0, LogStream::standardError, 0}, 1, "(WorkerDict pid=7) d\n");
        QCOMPARE(buffer.ranks(), (std::set<int64_t>{0, 9}));
        const auto count = [&](LogIndex& index) {
            index.follow(buffer, 100);
            return index.rows();
        };
        LogIndex ranks, streams;
        ranks.setQuery({.rank = 3});
        streams.setQuery({.stream = LogStream::standardError});
        QCOMPARE(count(ranks), size_t(0));
        QCOMPARE(count(streams), size_t(1));
        rankOfPid = 3; // a report states it
        buffer.updateRanks();
        QVERIFY(!buffer.hasUnknownRanks());
        QCOMPARE(count(ranks), size_t(2));
    }

    void searchesFollowsAndCopies()
    {
        LogBuffer buffer(1000);
        for (int i = 0; i < 500; ++i)
            buffer.addOutput({static_cast<uint32_t>(i % 2)}, i, "line " + std::to_string(i) + "\n");
        LogView view;
        view.resize(600, 200);
        view.show();
        view.setBuffer(&buffer, {"node0", "node1"});
        QCOMPARE(view.rowCount(), size_t(500));
        QCOMPARE(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
        view.setQuery({.text = "LINE 49"});
        QCOMPARE(view.matchCount(), size_t(11)); // 49, 490..499
        QTest::keyClick(&view, Qt::Key_Home);
        QVERIFY(!view.isFollowing());
        view.step(true);
        QCOMPARE(view.matchPosition(), size_t(1));
        QCOMPARE(view.textToCopy(LogFormat::plain), QString("line 49\n"));
        QCOMPARE(view.textToCopy(LogFormat::withTimes), QString("1970-01-01T00:00:00.000Z node1 line 49\n"));
        view.step(false);
        QCOMPARE(view.matchPosition(), size_t(11));
        view.setQuery({.host = 1, .text = "line 49", .isFilter = true});
        QCOMPARE(view.rowCount(), size_t(6));
        view.setQuery({});
        QTest::keyClick(&view, Qt::Key_End);
        QVERIFY(view.isFollowing());
        // The text in view stays in place while the ring drops old lines.
        QTest::keyClick(&view, Qt::Key_Home);
        QTest::keyClick(&view, Qt::Key_PageDown);
        QTest::keyClick(&view, Qt::Key_PageDown, Qt::ShiftModifier);
        const QString chosen = view.textToCopy(LogFormat::plain);
        for (int i = 0; i < 400; ++i)
            buffer.addOutput({}, 1000 + i, "more\n");
        view.refresh();
        QCOMPARE(view.textToCopy(LogFormat::plain), chosen);
        QVERIFY(!view.isFollowing());
    }

    void wrapsOnlyVisibleLines()
    {
        LogBuffer buffer;
        for (int i = 0; i < 100'000; ++i)
            buffer.addOutput({}, i, std::string(200, 'w') + "\n");
        LogView view;
        view.resize(400, 300);
        view.show();
        view.setBuffer(&buffer, {"node0"});
        const test::CpuTimer time;
        view.setWrapping(true);
        view.viewport()->repaint();
        QVERIFY(time.elapsed_ms() < 1000);
        QVERIFY(view.verticalScrollBar()->maximum() < 100'000 - 1);
        QVERIFY(view.verticalScrollBar()->maximum() > 100'000 - 20);
        QCOMPARE(view.horizontalScrollBar()->maximum(), 0);
    }

    void readsTimingsOfSteps()
    {
        const auto timings =
            stepTimingsOf("(TaskRunner pid=7) step:12 - actor/loss:0.5 - timing_s/gen:31.5 - "
                          "timing_s/ref:np.float64(2.25) - timing_s/step:40 - timing_s/testing:1e-1");
        QVERIFY(timings.has_value());
        QCOMPARE(timings->step, int64_t(12));
        QCOMPARE(timings->seconds, 40.0);
        QCOMPARE(timings->phases.size(), size_t(3));
        QCOMPARE(timings->phases[0], (StepPhase{"generation", "rollout", 31.5}));
        QCOMPARE(timings->phases[1], (StepPhase{"ref", "ref", 2.25}));
        QCOMPARE(timings->phases[2], (StepPhase{"testing", "other", 0.1}));
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
