// SPDX-License-Identifier: Apache-2.0
// Tests the Run page over scripted hosts: states, faults, the collection status, a million lines, and the
// requests of its buttons.
#include "ui/run/run_page.h"

#include <QApplication>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDialog>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeView>

#include "tests/support/cpu_timer.h"
#include "tests/support/model_testers.h"
#include "tests/support/scripted_run.h"
#include "tests/support/test_registry.h"
#include "ui/run/hosts_card.h"
#include "ui/run/ledger_card.h"
#include "ui/run/log_card.h"
#include "ui/run/run_head.h"

using namespace lockstep;

namespace {

constexpr int64_t kStart_ns = int64_t{1763640067} * 1000000000; // 2025-11-20 12:01:07 UTC

QString cell(const RunPage& page, const QModelIndex& row, int column)
{
    return page.hosts()->table()->model()->index(row.row(), column, row.parent()).data().toString();
}

QStringList messages(const RunPage& page)
{
    QStringList found;
    const QAbstractItemModel* const model = page.hosts()->table()->model();
    for (int row = 0; row < model->rowCount(); ++row) {
        const QModelIndex index = model->index(row, 0);
        if (index.data(RunHostsModel::isMessageRole).toBool()) found << index.data().toString();
    }
    return found;
}

} // namespace

class RunPageTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_page = std::make_unique<RunPage>();
        QVERIFY(test::testModels(*m_page) > 0);
        m_page->setKnownRuns({});
        m_page->resize(1280, 720);
        m_page->show();
    }
    void cleanup()
    {
        m_page->watch(nullptr);
        m_scripted.reset();
        m_page.reset();
    }

    void emptyPageShowsWhatToDo()
    {
        QVERIFY(m_page->isEmpty());
        QSignalSpy sessions(m_page.get(), &RunPage::sessionRequested);
        QSignalSpy attached(m_page.get(), &RunPage::attachRequested);
        for (QPushButton* button : m_page->findChildren<QPushButton*>()) {
            if (button->text() == "Set up a session") button->click();
        }
        QCOMPARE(sessions.count(), 1);
        RunRecord record;
        record.id = "2026-11-20T12-01-07-grpo";
        record.session = "grpo";
        record.hosts = {{"node0", "node0", "r", "", true, ""}};
        m_page->setKnownRuns({{record, false}});
        QVERIFY(m_page->list()->isVisible());
        QTest::keyClick(m_page->list(), Qt::Key_Return);
        QCOMPARE(attached.count(), 1);
        QCOMPARE(attached.front().front().toString(), QString("2026-11-20T12-01-07-grpo"));
    }

    void showsHostsStepsAndUtilization()
    {
        begin(2);
        host(0).tell("started", kStart_ns, "\"pid\":1,\"commands\":1");
        host(0).tell("gpu", kStart_ns + 1, test::ScriptedRun::use(87, 9770000000));
        host(0).tell("step", kStart_ns + 2, "\"command\":0,\"step\":4");
        host(0).tell("capture", kStart_ns + 3, "\"command\":0,\"state\":\"capturing\"");
        host(0).tell(
            "stdout", kStart_ns + 4,
            "\"command\":0,\"text\":\"step:4 - loss:1 - timing_s/gen:30.0 - timing_s/update_actor:10.0 "
            "- timing_s/step:40.5\\n\"");
        host(1).tell("stderr", kStart_ns + 5, "\"command\":0,\"text\":\"\\u001b[31mred\\u001b[0m plain\\n\"");
        const QAbstractItemModel* const model = m_page->hosts()->table()->model();
        const auto first = [&] { return model->index(0, 0); };
        QTRY_COMPARE(cell(*m_page, first(), RunHostsModel::captureColumn), QString("recording"));
        QCOMPARE(cell(*m_page, first(), RunHostsModel::stateColumn), QString("running"));
        QCOMPARE(cell(*m_page, first(), RunHostsModel::stepColumn), QString("4"));
        QCOMPARE(cell(*m_page, first(), RunHostsModel::gpuColumn), QString("87 %"));
        QCOMPARE(cell(*m_page, first(), RunHostsModel::gpuMemoryColumn), QString("61.2 / 80.0 GiB"));
        QTRY_COMPARE(messages(*m_page).size(), 1); // low disk space
        QTRY_COMPARE(m_page->log()->view()->rowCount(), size_t(2));
        QTRY_COMPARE(m_page->progress()->chart()->shown().size(), size_t(1));
        const StepSpan step = m_page->progress()->chart()->shown().front();
        QCOMPARE(step.step, int64_t(4));
        QTRY_COMPARE(m_page->progress()->chart()->shown().front().phases.size(), size_t(2));
        QVERIFY(m_page->progress()->chart()->shown().front().isRecorded);
        QTRY_COMPARE(m_page->use()->chart()->rows().size(), size_t(2));
        // Choosing a host filters the log and the charts.
        m_page->hosts()->table()->setCurrentIndex(first());
        QCOMPARE(m_page->log()->view()->query().host, std::optional<uint32_t>(0));
        QCOMPARE(m_page->use()->chart()->rows().size(), size_t(6));
        QVERIFY(runHeadText(run(), kStart_ns).contains("step 4 of 20"));
    }

    void showsFaultsInTheRow()
    {
        begin(3,
              [this] { host(2).fail("the host key of node2 changed; look at it, then mend known_hosts"); });
        host(0).tell("started", kStart_ns, "\"pid\":1,\"commands\":1");
        host(1).tell("started", kStart_ns, "\"pid\":1,\"commands\":1");
        host(1).tell(
            "error", kStart_ns + 1,
            "\"failure\":\"cupti_taken\",\"text\":\"CUPTI is taken by another tool: end it\",\"line\":\"x\"");
        host(1).tell("exit", kStart_ns + 2, "\"command\":0,\"name\":\"train\",\"code\":1,\"signal\":0");
        host(1).tell("exit", kStart_ns + 3, "\"run\":true,\"code\":1");
        QTRY_COMPARE(messages(*m_page).size(), 2);
        QVERIFY(messages(*m_page)[0].contains("CUPTI is taken by another tool: end it"));
        QVERIFY(messages(*m_page)[1].contains("mend known_hosts"));
        const QAbstractItemModel* const model = m_page->hosts()->table()->model();
        QCOMPARE(cell(*m_page, model->index(1, 0), RunHostsModel::stateColumn), QString("failed"));
        QCOMPARE(cell(*m_page, model->index(3, 0), RunHostsModel::stateColumn), QString("unreachable"));
        QCOMPARE(run().hosts()[0].state, HostState::running); // the other hosts continue
        QTRY_VERIFY(m_page->log()->view()->textToCopy(LogFormat::plain).contains("CUPTI is taken"));
    }

    void showsTheLedgerAndRequestsReports()
    {
        begin(1);
        host(0).tell("started", kStart_ns, "\"pid\":1,\"commands\":1");
        for (const int part : {1, 2}) {
            host(0).tell(
                "report", kStart_ns + part,
                "\"path\":\"/r/worker_process_7." + std::to_string(part) +
                    ".nsys-rep\",\"size_bytes\":165675008,\"type\":\"nsys report\",\"complete\":true,"
                    "\"reason\":\"\",\"old\":false");
        }
        LedgerView* const view = m_page->ledger()->view();
        QTRY_VERIFY(run().ledger().counts()[static_cast<size_t>(LedgerState::complete)] == 2);
        QTRY_VERIFY(
            m_page->findChild<RunHead*>()->findChildren<QPushButton*>().back()->text().endsWith("(2)"));
        QVERIFY(ledgerRemark(run().ledger()).contains("2 complete"));
        QSignalSpy asked(m_page->ledger(), &LedgerCard::fetchRequested);
        view->setFocus();
        QTest::keyClick(view, Qt::Key_Down);
        QVERIFY(view->current().has_value());
        QTest::keyClick(view, Qt::Key_Home);
        const size_t complete = [&] {
            size_t at = 0;
            while (run().ledger().entries()[at].state != LedgerState::complete)
                ++at;
            return at;
        }();
        view->setCurrent(complete);
        QTest::keyClick(view, Qt::Key_Space);
        QCOMPARE(view->chosen(), std::set<size_t>{complete});
        QTest::keyClick(view, Qt::Key_Return);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.front().front().value<std::set<size_t>>(), std::set<size_t>{complete});
        QVERIFY(view->accessibleDescription().contains("/r/worker_process_7."));
        QCOMPARE(view->entryAt(view->rectOf(complete).center()), std::optional<size_t>(complete));
    }

    void filtersCopiesAndSavesTheLog()
    {
        begin(1);
        host(0).tell("started", kStart_ns, R"("pid":1,"commands":1)");
        host(0).tell("report", kStart_ns + 1,
                     R"("path":"/r/a.nsys-rep","size_bytes":1,"type":"nsys report","complete":false,)"
                     R"("reason":"just written","old":false)");
        host(0).tell("stdout", kStart_ns + 2, R"("command":0,"text":"[default1]:out of 1\n")");
        host(0).tell("stderr", kStart_ns + 3, R"("command":0,"text":"\r  0%|  |")");
        host(0).tell("stderr", kStart_ns + 4, R"("command":0,"text":"\r 50%|= |")");
        host(0).tell("error", kStart_ns + 5, R"("failure":"x","text":"a problem","line":"x")");
        LogView* const view = m_page->log()->view();
        QTRY_COMPARE(view->rowCount(), size_t(3)); // no line for the report
        auto* const ranks = m_page->log()->findChild<QComboBox*>("ranks");
        auto* const streams = m_page->log()->findChild<QComboBox*>("streams");
        QTRY_VERIFY(ranks->isVisible() && ranks->count() == 2);
        QCOMPARE(ranks->itemText(1), QString("rank 1"));
        ranks->setCurrentIndex(1);
        QCOMPARE(view->textToCopy(LogFormat::plain), QString("[default1]:out of 1\n"));
        ranks->setCurrentIndex(0);
        streams->setCurrentText("stderr");
        QCOMPARE(view->textToCopy(LogFormat::plain), QString(" 50%|= |\n"));
        streams->setCurrentText("messages");
        QCOMPARE(view->textToCopy(LogFormat::plain), QString("a problem\n"));
        QSignalSpy saved(m_page->log(), &LogCard::messageChanged);
        test::TempDir folder;
        m_page->log()->saveTo(folder.path() / "filtered.log", true);
        QTRY_COMPARE(saved.count(), 1);
        m_page->log()->saveTo(folder.path() / "all.log", false);
        QTRY_COMPARE(saved.count(), 2);
        QCOMPARE(saved.back()[1].toBool(), false);
        const auto textOf = [&](const char* name) {
            QFile file(QString::fromStdString((folder.path() / name).string()));
            return file.open(QIODevice::ReadOnly) ? QString(file.readAll()) : QString();
        };
        QCOMPARE(textOf("filtered.log"), QString("2025-11-20T12:01:07.000Z node0 a problem\n"));
        QCOMPARE(textOf("all.log").count('\n'), 3);
        // The context menu offers what the current line belongs to.
        streams->setCurrentIndex(0);
        QTest::keyClick(view, Qt::Key_Home);
        QContextMenuEvent asked(QContextMenuEvent::Keyboard, QPoint(5, 5), QPoint(5, 5));
        QApplication::sendEvent(view->viewport(), &asked);
        QStringList texts;
        for (QMenu* menu : m_page->log()->findChildren<QMenu*>()) {
            for (const QAction* action : menu->actions())
                texts << action->text();
            menu->close();
        }
        for (const char* text : {"Copy without times", "Select all", "Find", "Only rank 1", "Only stdout"})
            QVERIFY2(texts.contains(text), text);
    }

    void asksBeforeStopping()
    {
        begin(1);
        host(0).tell("started", kStart_ns, "\"pid\":1,\"commands\":1");
        QTRY_COMPARE(run().state(), RunState::running);
        QSignalSpy stops(m_page->head(), &RunHead::stopRequested);
        const QList<QPushButton*> buttons = m_page->head()->findChildren<QPushButton*>();
        const auto stop = std::ranges::find_if(
            buttons, [](const QPushButton* button) { return button->text().startsWith("Stop now"); });
        QVERIFY(stop != buttons.end());
        QTRY_VERIFY((*stop)->isVisible());
        (*stop)->click();
        auto* const dialog = m_page->head()->findChild<QDialog*>();
        QVERIFY(dialog != nullptr);
        QCOMPARE(stops.count(), 0);
        dialog->findChild<QSpinBox*>()->setValue(7);
        dialog->accept();
        QCOMPARE(stops.count(), 1);
        QCOMPARE(stops.front().front().toDouble(), 7.0);
    }

    void handlesAMillionLines()
    {
        begin(1);
        QElapsedTimer time;
        time.start();
        const std::string text = [] {
            std::string lines;
            for (int i = 0; i < 1000; ++i)
                lines +=
                    "(WorkerDict pid=41613) loss " + std::to_string(i) + " grad_norm 0.25 profiler idle\\n";
            return lines;
        }();
        for (int i = 0; i < 1000; ++i)
            host(0).tell("stdout", kStart_ns + i, "\"command\":0,\"text\":\"" + text + "\"");
        LogView* const view = m_page->log()->view();
        QTRY_VERIFY(m_page->isVisible() && view->rowCount() == LogBuffer::kMaxLines &&
                    run().hosts()[0].lastSeq == 1000);
        const qint64 arrived_ms = time.restart();
        m_page->log()->searchField()->setText("LOSS 999 ");
        QTRY_COMPARE(view->matchCount(), LogBuffer::kMaxLines / 1000);
        const qint64 searched_ms = time.elapsed();
        const test::CpuTimer painting;
        for (int i = 0; i < 20; ++i) {
            QTest::keyClick(m_page->log()->searchField(), Qt::Key_Return);
            view->viewport()->repaint();
        }
        const qint64 painted_ms = painting.elapsed_ms();
        QCOMPARE(view->matchPosition(), size_t(19)); // from the last match on screen, wrapping around
        QVERIFY(!view->isFollowing());
        qInfo() << "1,000,000 lines:" << arrived_ms << "ms to arrive," << searched_ms << "ms to search,"
                << painted_ms << "ms of processor time for 20 jumps painted";
        QVERIFY(arrived_ms < 300'000);
        QVERIFY(painted_ms < 2'000);
        bool isToldOfRest = false;
        for (const QLabel* label : m_page->log()->findChildren<QLabel*>())
            isToldOfRest = isToldOfRest || label->text().contains("earlier lines on disk");
        QVERIFY(isToldOfRest);
    }

  private:
    void begin(int hosts, const std::function<void()>& prepare = {})
    {
        m_scripted = std::make_unique<test::ScriptedRun>(hosts);
        if (prepare) prepare();
        const std::string problem = m_scripted->create();
        QVERIFY2(problem.empty(), problem.c_str());
        m_page->watch(&m_scripted->run());
        m_scripted->run().begin();
    }
    Run& run() { return m_scripted->run(); }
    test::ScriptedRemote& host(size_t index) { return m_scripted->host(index); }

    std::unique_ptr<test::ScriptedRun> m_scripted;
    std::unique_ptr<RunPage> m_page;
};

LOCKSTEP_TEST(RunPageTest, "run_page_test")
#include "run_page_test.moc"
