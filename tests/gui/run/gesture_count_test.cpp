// SPDX-License-Identifier: Apache-2.0
// Counts the gestures from an empty window to a result, with a real mouse and keyboard: a click, or a text
// typed into the focused field (with Tab between cells), is one gesture. With $LOCKSTEP_PICTURES, the steps
// are saved as a film strip in two sizes and both themes.
#include <QAbstractButton>
#include <QDir>
#include <QLineEdit>
#include <QTableView>

#include "app/window/run_page_controller.h"
#include "app/window/session_page_controller.h"
#include "app/window/timeline_page_controller.h"
#include "core/analysis/table.h"
#include "tests/support/demo_async_run.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/window_fixture.h"
#include "ui/analysis/analysis_panel.h"
#include "ui/panels/charted_table.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/start_page.h"
#include "ui/panels/table_view.h"
#include "ui/session/session_page.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

// Four ranks. The others wait in step 3 until the launcher ends them, and rank 2 fails when all of them wait.
// The launcher changes its folder, which must not change where the captures are written.
constexpr std::string_view kFailingRank = R"py(
import os, sys, time
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import lockstep_capture
rank = int(os.environ["RANK"])
for step in range(1, 11):
    lockstep_capture.step(step)
    with lockstep_capture.annotate("rollout", "rollout"):
        time.sleep(0.10 + 0.02 * rank)
    if rank == 2 and step == 3:
        while not all(os.path.exists("waits_%d" % other) for other in (0, 1, 3)):
            time.sleep(0.02)
        raise RuntimeError("torch.OutOfMemoryError: CUDA out of memory")
    while rank != 2 and step == 3:
        open("waits_%d" % rank, "w").close()
        time.sleep(0.02)
    with lockstep_capture.annotate("update", "actor"):
        time.sleep(0.05)
)py";
constexpr std::string_view kFailingLaunch = R"sh(
cd "$(dirname "$0")"
for rank in 0 1 2 3; do RANK=$rank WORLD_SIZE=4 python3 rank.py "$1" & done
for rank in 0 1 2 3; do wait -n || { sleep 0.5; kill $(jobs -p); exit 1; }; done
)sh";

} // namespace

class GestureCountTest : public test::WindowFixture {
    Q_OBJECT

  private slots:
    void init()
    {
        makeSettings();
        m_gestures = m_pictures = 0;
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString((m_folder->path() / "state").string()));
        m_home = qgetenv("HOME");
        m_current = QDir::currentPath();
        // Local runs write below the current folder, and their agent below the home folder.
        qputenv("HOME", QByteArray::fromStdString(m_folder->path().string()));
        QDir::setCurrent(QString::fromStdString(m_folder->path().string()));
        qputenv("XDG_CACHE_HOME", QByteArray::fromStdString((m_folder->path() / "cache").string()));
        m_folder->write("rank.py", kFailingRank);
        m_folder->write("launch.sh", kFailingLaunch);
    }

    void cleanup()
    {
        qputenv("HOME", m_home);
        QDir::setCurrent(m_current);
        WindowFixture::cleanup();
    }

    void localCapture_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("isDark");
        QTest::newRow("720-light") << QSize(1280, 720) << false;
        if (qEnvironmentVariableIsEmpty("LOCKSTEP_PICTURES")) return;
        QTest::newRow("720-dark") << QSize(1280, 720) << true;
        QTest::newRow("1080-light") << QSize(1920, 1080) << false;
        QTest::newRow("1080-dark") << QSize(1920, 1080) << true;
    }

    // Six gestures until a capture runs on this machine; two from "failed" to the last slice of the rank.
    void localCapture()
    {
        QFETCH(QSize, size);
        QFETCH(bool, isDark);
        makeWindow({.size = size, .isDark = isDark});
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        film("start");
        click(button(part<StartPage>(), "Set up a session"));
        QVERIFY(isInFront<SessionPageController>());
        film("session");
        click(part<SessionPage>().findChild<QLineEdit*>("command"));
        type("bash " + m_folder->path().string() + "/launch.sh " +
             (test::sourceFolder() / "capture/python").string());
        film("command");
        click(part<SessionPage>().findChild<QAbstractButton*>("tool=capture"));
        film("tool");
        click(button(part<SessionPage>(), "Launch on this machine"));
        QTRY_VERIFY(isInFront<RunPageController>());
        QVERIFY2(m_gestures <= 6, std::to_string(m_gestures).c_str());
        const auto& runs = page<RunPageController>().runs();
        QTRY_VERIFY(runs.run() != nullptr && runs.run()->latestStep());
        film("running");
        QTRY_COMPARE(runs.run()->state(), RunState::ended);
        settle();
        film("failed");
        m_gestures = 0;
        click(button(part<NoticeBar>(), "Show rank 2"));
        QVERIFY(isInFront<TimelinePageController>());
        const SliceRef slice = part<ViewState>().slice();
        QVERIFY(scene().holds(slice) && scene().shown.identity(slice.report).rank.value == 2);
        QVERIFY2(m_gestures <= 2, std::to_string(m_gestures).c_str());
        settle();
        film("last-slice");
        QTest::mouseClick(&view(), Qt::RightButton, {}, view().rect().center());
        run("Show log here");
        settle();
        film("log-line");
    }

    // At most ten gestures from an empty window to a complete plan for two hosts.
    void verlSession()
    {
        makeWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        click(button(part<StartPage>(), "verl"));
        QVERIFY(isInFront<SessionPageController>());
        auto& page = part<SessionPage>();
        auto* const hosts = page.findChild<QTableView*>("hosts");
        click(hosts->viewport(), hosts->visualRect(hosts->model()->index(0, 0)).center());
        for (const char* const text : {"gpu-a", "root@10.0.0.1", "8", "", "gpu-b", "root@10.0.0.2", "8"}) {
            typeKeys(text);
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            QCoreApplication::sendPostedEvents();
        }
        ++m_gestures; // all hosts were typed in a row
        click(page.findChild<QLineEdit*>("working_folder"));
        type("/data/verl");
        click(page.findChild<QLineEdit*>("command"));
        type("bash examples/grpo_trainer/run_qwen2-7b.sh");
        click(page.findChild<QLineEdit*>("steps"));
        type("3,4");
        QTRY_VERIFY(button(page, "Launch on 2 hosts")->isEnabled());
        click(button(page, "Check hosts"), {}, false);
        const SessionConfig& config = page.draft().config();
        QCOMPARE(config.hosts.size(), size_t(2));
        QCOMPARE(config.hosts[1].address, std::string("root@10.0.0.2"));
        QCOMPARE(config.workingFolder, std::string("/data/verl"));
        QVERIFY(page.draft().plan().has_value());
        QVERIFY2(m_gestures <= 10, std::to_string(m_gestures).c_str());
        film("verl");
    }

    // From the open reports to the sample that held up a step.
    void sampleThatHeldUpAStep()
    {
        makeWindow({.size = {1280, 720}});
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        const auto files = test::writeAsyncRun(m_folder->path() / "run",
                                               {.trainers = 4, .engines = 2, .versions = 2, .requests = 400});
        QVERIFY(files.has_value());
        open(*files);
        film("open");
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Slash);
        type(">rollout_tail");
        QTRY_VERIFY(part<AnalysisPanel>().isInFront() && part<AnalysisPanel>().table() != nullptr);
        film("tail");
        const Table& tails = *part<AnalysisPanel>().table();
        QCOMPARE(tails.rowCount(), size_t(2));
        const TableView& table = *part<AnalysisPanel>().findChild<ChartedTable*>()->view();
        const QPoint cell = table.visualRect(table.model()->index(0, 0)).center();
        click(table.viewport(), cell);
        film("sample");
        const SliceRef shown = part<ViewState>().slice();
        QCOMPARE(shown, tails.longest(0));
        QCOMPARE(scene().shown.report(shown.report).nameOf(shown.slice), std::string_view("request 000199"));
        QVERIFY2(m_gestures <= 3, qPrintable(QString::number(m_gestures)));
    }

  private:
    static QAbstractButton* button(const QWidget& parent, const QString& text)
    {
        for (auto* const one : parent.findChildren<QAbstractButton*>()) {
            const bool isIt = one->text() == text || one->accessibleName() == text;
            if (isIt && one->isVisible()) return one;
        }
        return nullptr;
    }
    // isReal: false counts the gesture without making it.
    void click(QWidget* widget, QPoint at = {}, bool isReal = true)
    {
        QVERIFY(widget != nullptr && widget->isVisible() && widget->isEnabled());
        if (isReal) QTest::mouseClick(widget, Qt::LeftButton, {}, at);
        ++m_gestures;
    }
    // Replaces the content of the focused field.
    void type(const std::string& text)
    {
        auto* const field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QVERIFY(field != nullptr);
        field->selectAll();
        QTest::keyClicks(field, QString::fromStdString(text));
        QTest::keyClick(field, Qt::Key_Return);
        ++m_gestures;
    }
    static void typeKeys(const QString& text)
    {
        for (const QChar letter : text) // the first letter opens the editor
            QTest::keyClick(QApplication::focusWidget(), letter.toLatin1());
    }
    // Waits until the layout has followed the last gesture.
    void film(const QString& name)
    {
        settle();
        QTest::qWait(20);
        picture(QString("%1-%2-%3")
                    .arg(QTest::currentDataTag() ? QTest::currentDataTag() : "720-light")
                    .arg(++m_pictures, 2, 10, QChar('0'))
                    .arg(name));
    }

    QByteArray m_home;
    QString m_current;
    int m_gestures = 0;
    int m_pictures = 0;
};

LOCKSTEP_TEST(GestureCountTest, "gesture_count_test")
#include "gesture_count_test.moc"
