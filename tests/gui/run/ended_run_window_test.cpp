// SPDX-License-Identifier: Apache-2.0
// Tests how a window shows the end of a local run of four Python ranks: a rank that fails is named with its
// step, time and exit status, a stopped run keeps its unfinished captures, and a stop waits for the end of
// the step. The end of a run does not change the page.
#include <array>

#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QToolButton>

#include "app/window/run_controller.h"
#include "app/window/run_page_controller.h"
#include "app/window/session_page_controller.h"
#include "app/window/timeline_page_controller.h"
#include "app/window/workspace_controller.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/panels/notice_bar.h"
#include "ui/run/ledger_card.h"
#include "ui/run/log_card.h"
#include "ui/run/run_head.h"
#include "ui/run/run_page.h"
#include "ui/session/session_page.h"
#include "ui/timeline/lane_tool.h"
#include "ui/window/view_state.h"

using namespace lockstep;
namespace fs = std::filesystem;

namespace {

// Waits in step N while a file hold_N exists. If a file "fail" exists, rank 2 fails in step 3 when the other
// ranks wait, however long they take to start.
constexpr std::string_view kRank = R"py(
import os, sys, time
import lockstep_capture
rank = int(os.environ["RANK"])
for step in range(1, 11):
    lockstep_capture.step(step)
    with lockstep_capture.annotate("update", "actor"):
        time.sleep(0.05)
    if rank == 2 and step == 3 and os.path.exists("fail"):
        while not all(os.path.exists("waits_%d" % other) for other in (0, 1, 3)):
            time.sleep(0.02)
        raise RuntimeError("torch.OutOfMemoryError: CUDA out of memory")
    while os.path.exists("hold_%d" % step):
        open("waits_%d" % rank, "w").close()
        time.sleep(0.02)
)py";

// Like torchrun: ends the other ranks if one of them fails.
constexpr std::string_view kLaunch = R"sh(
for rank in 0 1 2 3; do RANK=$rank WORLD_SIZE=4 python3 rank.py & done
for rank in 0 1 2 3; do wait -n || { sleep 0.5; kill $(jobs -p); exit 1; }; done
)sh";

} // namespace

class EndedRunWindowTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeSettings();
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString((m_folder->path() / "state").string()));
        qputenv("XDG_CACHE_HOME", QByteArray::fromStdString((m_folder->path() / "cache").string()));
        m_folder->write("rank.py", kRank);
        m_folder->write("launch.sh", kLaunch);
    }

    void namesTheRankThatFailed()
    {
        m_folder->write("fail", "");
        m_folder->write("hold_5", "");
        begin();
        QTRY_COMPARE(current()->state(), RunState::ended);
        settle();
        const HostStatus& host = current()->hosts()[0];
        QCOMPARE(host.state, HostState::failed);
        const QString reason = QString::fromStdString(host.reason);
        const QRegularExpression end(
            R"(rank 2 ended in step 3 of 10 at \d\d:\d\d:\d\d UTC, exit status 1; a GPU ran out of memory)");
        QVERIFY2(reason.contains(end), qPrintable(reason));
        // Only the failed rank's row is marked as failed.
        for (const LedgerEntry& entry : current()->ledger().entries())
            QCOMPARE(entry.writer.hasFailed(), entry.rank == 2);
        // All reports are open, but the page is the same, and the banner leads to the cause.
        QCOMPARE(captures(), size_t(4));
        QVERIFY(isInFront<RunPageController>());
        auto& notice = part<NoticeBar>();
        QVERIFY2(notice.text().contains(end), qPrintable(notice.text()));
        const QAbstractButton* const log = buttonOf(notice, "Show log line");
        QVERIFY(log != nullptr && buttonOf(notice, "Show timeline") != nullptr);
        // The last slice of the rank is one click away, and from there the log.
        click(notice, "Show rank 2");
        QVERIFY(isInFront<TimelinePageController>());
        const SliceRef slice = part<ViewState>().slice();
        QVERIFY(scene().holds(slice) && scene().shown.identity(slice.report).rank.value == 2);
        QCOMPARE(scene().shown.report(slice.report).nameOf(slice.slice), std::string_view("update"));
        run("Show log here");
        QVERIFY(isInFront<RunPageController>());
        QVERIFY(!part<LogCard>().view()->textToCopy(LogFormat::plain).isEmpty());
        // The rank's lane says the same, and its menu leads to the log.
        const std::string failed = scene().tree->lane(laneOfRank(2)).key;
        QCOMPARE(scene().tree->lane(laneOfRank(2)).warning, std::string("exit status 1"));
        QCOMPARE(scene().tree->lane(laneOfRank(1)).warning, std::string("cut short")); // ended by launch.sh
        run("Timeline page");
        QMenu menu;
        emit view().lanes().menuOpening(failed, menu);
        const auto actions = menu.actions();
        const auto toLog = std::ranges::find(actions, QString("Show log at end of lane"), &QAction::text);
        QVERIFY(toLog != actions.end());
        (*toLog)->trigger();
        QVERIFY(isInFront<RunPageController>());
        const QString line = part<LogCard>().view()->textToCopy(LogFormat::plain);
        QVERIFY2(line.contains("out of memory") || line.contains("Traceback"), qPrintable(line));
    }

    // Unsaved work stays on screen until the user asks for the results of the run.
    void offersTheResultsBesideUnsavedWork()
    {
        m_folder->write("hold_2", "");
        begin();
        openTraces(1);
        run("Timeline page");
        press(Qt::Key_M); // places a marker, which is not saved
        settle();
        const std::vector<ReportKey> before = scene().shown.keys();
        fs::remove(m_folder->path() / "hold_2");
        QTRY_COMPARE(current()->state(), RunState::ended);
        settle();
        QCOMPARE(scene().shown.keys(), before);
        QVERIFY(m_window->findChild<QMessageBox*>() == nullptr);
        click(part<NoticeBar>(), "Open results\u2026");
        QTRY_VERIFY(m_window->findChild<QMessageBox*>() != nullptr);
        const auto* const question = m_window->findChild<QMessageBox*>();
        click(*question, "Continue without saving");
        QTRY_COMPARE(captures(), size_t(4));
        settle();
        for (const ReportKey key : before) // the other report is closed
            QVERIFY(std::ranges::find(scene().shown.keys(), key) == scene().shown.keys().end());
    }

    // Only the answer to the question closes a live view.
    void keepsTheLiveViewUntilClosingIsConfirmed()
    {
        m_folder->write("hold_2", "");
        begin();
        QTRY_VERIFY(current()->latestStep() == 2);
        run("Watch live");
        QTRY_VERIFY(!scene().shown.isEmpty());
        press(Qt::Key_M); // places a marker, so there is something to lose
        auto& closing = part<QAction>("Close all reports");
        for (const QString& answer : {QString("Cancel"), QString("Close without saving")}) {
            QTRY_VERIFY(closing.isEnabled());
            closing.trigger();
            auto* const question = m_window->findChild<QMessageBox*>();
            QVERIFY(question != nullptr && !scene().shown.isEmpty());
            click(*question, answer);
            delete question;
            if (answer != "Cancel") break;
            QTest::qWait(500); // longer than the time between two updates of the live data
            QVERIFY(!scene().shown.isEmpty());
        }
        QTRY_VERIFY(scene().shown.isEmpty());
        fs::remove(m_folder->path() / "hold_2");
        QTRY_COMPARE(current()->state(), RunState::ended);
        settle();
    }

    void showsTheResultsOnlyOnRequest()
    {
        begin();
        run("Session page");
        auto* const field = part<SessionPage>().findChild<QLineEdit*>();
        QVERIFY(field != nullptr);
        field->setFocus();
        QTRY_COMPARE(current()->state(), RunState::ended);
        settle();
        QVERIFY(isInFront<SessionPageController>());
        QVERIFY(field->hasFocus());
        QCOMPARE(captures(), size_t(4));
        click(part<NoticeBar>(), "Show timeline");
        QVERIFY(isInFront<TimelinePageController>());
    }

    void keepsTheUnfinishedCapturesOfAStoppedRun_data()
    {
        QTest::addColumn<double>("grace_s");
        QTest::newRow("SIGTERM") << 20.0;
        QTest::newRow("SIGKILL") << 0.0;
    }
    void keepsTheUnfinishedCapturesOfAStoppedRun()
    {
        QFETCH(double, grace_s);
        m_folder->write("hold_2", "");
        begin();
        QTRY_VERIFY(current()->latestStep() == 2 && allWait());
        emit part<RunHead>().stopRequested(grace_s);
        QTRY_COMPARE(current()->state(), RunState::ended);
        settle();
        QCOMPARE(captures(), size_t(4));
        QCOMPARE(current()->ledger().counts()[static_cast<size_t>(LedgerState::cutShort)], size_t(4));
        for (const LedgerEntry& entry : current()->ledger().entries()) {
            // With SIGKILL, the agent does not wait until it can tell how the process ended.
            QVERIFY(!entry.writer.hasFailed());
            QVERIFY(entry.writer.wasStopRequested || !entry.writer.wasCutShort);
            QVERIFY(!entry.reason.empty());
        }
        // Everything is here, so there is nothing to fetch, and the button says so.
        auto* const fetch = buttonOf(part<LedgerCard>(), "Fetch all");
        QVERIFY(fetch != nullptr && !fetch->isEnabled());
        QVERIFY2(fetch->toolTip().contains("are on this machine"), qPrintable(fetch->toolTip()));
    }

    void stopsAtTheEndOfTheStep()
    {
        m_folder->write("hold_1", "");
        m_folder->write("hold_4", "");
        begin();
        auto* const stop = buttonOf(part<RunHead>(), "Stop after this step");
        QVERIFY(stop != nullptr);
        QVERIFY(!stop->isEnabled() || current()->latestStep());
        QVERIFY(stop->isEnabled() || stop->toolTip().contains("No training step has been seen yet"));
        QTRY_VERIFY(current()->latestStep() == 1 && stop->isEnabled());
        QTest::mouseClick(stop, Qt::LeftButton);
        QCOMPARE(stop->text(), QString("Stops after step 1"));
        QVERIFY(!stop->isEnabled());
        QTest::qWait(1500); // longer than the agent takes to report a step
        QCOMPARE(current()->state(), RunState::running);
        fs::remove(m_folder->path() / "hold_1");
        QTRY_COMPARE(current()->state(), RunState::ended);
        QVERIFY(*current()->latestStep() >= 2);
        settle();
    }

  private:
    void begin()
    {
        makeWindow({});
        SessionConfig config;
        config.name = "four ranks";
        config.framework = Framework::plain;
        config.tool = Tool::capture;
        config.totalSteps = 10;
        config.workingFolder = m_folder->path().string();
        config.savePath = (m_folder->path() / "reports").string();
        config.environment = {{"PYTHONPATH", (test::sourceFolder() / "capture/python").string()},
                              {"PYTHONDONTWRITEBYTECODE", "1"}};
        config.command = {"bash", "launch.sh"};
        part<SessionPage>().draft().startNew(config);
        runs().launch(part<SessionPage>().draft().config(), true);
        QTRY_VERIFY(current() != nullptr);
        QTRY_VERIFY(isInFront<RunPageController>());
    }
    bool allWait() const
    {
        return std::ranges::all_of(std::array{0, 1, 2, 3}, [&](int rank) {
            return fs::exists(m_folder->path() / ("waits_" + std::to_string(rank)));
        });
    }
    RunController& runs() { return page<RunPageController>().runs(); }
    const Run* current() { return runs().run(); }
    size_t captures() const
    {
        return static_cast<size_t>(std::ranges::count_if(scene().shown.keys(), [&](ReportKey key) {
            return scene().shown.report(key).provenance.kind == "lockstep capture";
        }));
    }
    uint32_t laneOfRank(int rank) const
    {
        uint32_t lane = 0;
        while (scene().tree->lane(lane).subject != LaneSubject::process ||
               rankOf(scene().tree->lane(lane)) != rank)
            ++lane;
        return lane;
    }
    static QAbstractButton* buttonOf(const QWidget& parent, const QString& text)
    {
        for (auto* const button : parent.findChildren<QAbstractButton*>()) {
            if (button->text() == text) return button;
        }
        return nullptr;
    }
    static void click(const QWidget& parent, const QString& text)
    {
        auto* const button = buttonOf(parent, text);
        QVERIFY2(button != nullptr, qPrintable(text));
        QTest::mouseClick(button, Qt::LeftButton);
    }
};

LOCKSTEP_TEST(EndedRunWindowTest, "ended_run_window_test")
#include "ended_run_window_test.moc"
