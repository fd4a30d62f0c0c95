// The Run page over scripted hosts: states, faults, the ledger, a million lines, what its buttons ask for.
#include "ui/run/run_page.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeView>

#include "core/session/session_yaml.h"
#include "tests/support/scripted_remote.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "ui/run/hosts_card.h"
#include "ui/run/ledger_card.h"
#include "ui/run/log_card.h"
#include "ui/run/run_head.h"

using namespace lockstep;

namespace {

constexpr int64_t kStart_ns = 1'763'640'067'000'000'000; // 2025-11-20 12:01:07 UTC

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

std::string sample(int gpu)
{
    return R"("cpu_percent":38,"memory_used_bytes":1073741824,"memory_total_bytes":8589934592,)"
           R"("received_bytes_per_s":1000,"sent_bytes_per_s":10,"disk_free_bytes":9770000000,)"
           R"("gpus":[{"index":0,"busy_percent":)" +
           std::to_string(gpu) + R"(,"used_bytes":65712000000,"total_bytes":85899345920}])";
}

} // namespace

class RunPageTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_folder = std::make_unique<test::TempDir>();
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString(m_folder->path().string()));
        m_page = std::make_unique<RunPage>();
        m_page->setKnownRuns({});
        m_page->resize(1280, 720);
        m_page->show();
    }
    void cleanup()
    {
        m_page->watch(nullptr);
        m_run.reset();
        m_page.reset();
        m_remotes.clear();
    }

    void saysWhatWouldFillIt()
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
        record.hosts = {{"node0", "node0", "r", "", true}};
        m_page->setKnownRuns({{record, false}});
        QVERIFY(m_page->list()->isVisible());
        QTest::keyClick(m_page->list(), Qt::Key_Return);
        QCOMPARE(attached.count(), 1);
        QCOMPARE(attached.front().front().toString(), QString("2026-11-20T12-01-07-grpo"));
    }

    void showsHostsStepsAndUse()
    {
        begin(2);
        m_remotes[0]->tell("started", kStart_ns, R"("pid":1,"commands":1)");
        m_remotes[0]->tell("gpu", kStart_ns + 1, sample(87));
        m_remotes[0]->tell("step", kStart_ns + 2, R"("command":0,"step":4)");
        m_remotes[0]->tell("capture", kStart_ns + 3, R"("command":0,"state":"capturing")");
        m_remotes[0]->tell("stdout", kStart_ns + 4,
                           R"("command":0,"text":"step:4 - loss:1 - timing_s/gen:30.0 - timing_s/update_actor:10.0 )"
                           R"(- timing_s/step:40.5\n")");
        m_remotes[1]->tell("stderr", kStart_ns + 5, R"("command":0,"text":"\u001b[31mred\u001b[0m plain\n")");
        const QAbstractItemModel* const model = m_page->hosts()->table()->model();
        const auto host = [&] { return model->index(0, 0); };
        QTRY_COMPARE(cell(*m_page, host(), RunHostsModel::captureColumn), QString("recording"));
        QCOMPARE(cell(*m_page, host(), RunHostsModel::stateColumn), QString("running"));
        QCOMPARE(cell(*m_page, host(), RunHostsModel::stepColumn), QString("4"));
        QCOMPARE(cell(*m_page, host(), RunHostsModel::gpuColumn), QString("87 %"));
        QCOMPARE(cell(*m_page, host(), RunHostsModel::gpuMemoryColumn), QString("61.2 / 80.0 GiB"));
        QCOMPARE(messages(*m_page).size(), 1); // little disk
        QTRY_COMPARE(m_page->log()->view()->rowCount(), size_t(2));
        QTRY_COMPARE(m_page->progress()->chart()->shown().size(), size_t(1));
        const StepSpan step = m_page->progress()->chart()->shown().front();
        QCOMPARE(step.step, int64_t(4));
        QTRY_COMPARE(m_page->progress()->chart()->shown().front().phases.size(), size_t(2));
        QVERIFY(m_page->progress()->chart()->shown().front().isRecorded);
        QTRY_COMPARE(m_page->use()->chart()->rows().size(), size_t(2));
        // Choosing a host narrows log and charts.
        m_page->hosts()->table()->setCurrentIndex(host());
        QCOMPARE(m_page->log()->view()->query().host, std::optional<uint32_t>(0));
        QCOMPARE(m_page->use()->chart()->rows().size(), size_t(6));
        QVERIFY(runHeadText(*m_run, kStart_ns).contains("step 4 of 20"));
    }

    void tellsFaultsAtTheRow()
    {
        begin(3, [this] { m_remotes[2]->fail("the host key of node2 changed; look at it, then mend known_hosts"); });
        m_remotes[0]->tell("started", kStart_ns, R"("pid":1,"commands":1)");
        m_remotes[1]->tell("started", kStart_ns, R"("pid":1,"commands":1)");
        m_remotes[1]->tell("error", kStart_ns + 1,
                           R"("failure":"cupti_taken","text":"CUPTI is taken by another tool: end it","line":"x")");
        m_remotes[1]->tell("exit", kStart_ns + 2, R"("command":0,"name":"train","code":1,"signal":0)");
        m_remotes[1]->tell("exit", kStart_ns + 3, R"("run":true,"code":1)");
        QTRY_COMPARE(messages(*m_page).size(), 2);
        QVERIFY(messages(*m_page)[0].contains("CUPTI is taken by another tool: end it"));
        QVERIFY(messages(*m_page)[1].contains("mend known_hosts"));
        const QAbstractItemModel* const model = m_page->hosts()->table()->model();
        QCOMPARE(cell(*m_page, model->index(1, 0), RunHostsModel::stateColumn), QString("failed"));
        QCOMPARE(cell(*m_page, model->index(3, 0), RunHostsModel::stateColumn), QString("unreachable"));
        QCOMPARE(m_run->hosts()[0].state, HostState::running); // the rest goes on
        QTRY_VERIFY(m_page->log()->view()->textToCopy().contains("CUPTI is taken"));
    }

    void showsTheLedgerAndAsksForReports()
    {
        begin(1);
        m_remotes[0]->tell("started", kStart_ns, R"("pid":1,"commands":1)");
        for (const int part : {1, 2}) {
            m_remotes[0]->tell("report", kStart_ns + part,
                               R"("path":"/r/worker_process_7.)" + std::to_string(part) +
                                   R"(.nsys-rep","size_bytes":165675008,"type":"nsys report","complete":true,)"
                                   R"("reason":"","old":false)");
        }
        LedgerView* const view = m_page->ledger()->view();
        QTRY_VERIFY(m_run->ledger().counts()[static_cast<size_t>(LedgerState::complete)] == 2);
        QTRY_VERIFY(m_page->findChild<RunHead*>()->findChildren<QPushButton*>().back()->text().endsWith("(2)"));
        QVERIFY(ledgerRemark(m_run->ledger()).contains("2 complete"));
        QSignalSpy asked(m_page->ledger(), &LedgerCard::fetchRequested);
        view->setFocus();
        QTest::keyClick(view, Qt::Key_Down);
        QVERIFY(view->current().has_value());
        QTest::keyClick(view, Qt::Key_Home);
        const size_t complete = [&] {
            size_t at = 0;
            while (m_run->ledger().entries()[at].state != LedgerState::complete)
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

    void asksBeforeStopping()
    {
        begin(1);
        m_remotes[0]->tell("started", kStart_ns, R"("pid":1,"commands":1)");
        QTRY_COMPARE(m_run->state(), RunState::running);
        QSignalSpy stops(m_page->head(), &RunHead::stopRequested);
        QTRY_VERIFY(m_page->head()->findChildren<QPushButton*>()[2]->isVisible());
        m_page->head()->findChildren<QPushButton*>()[2]->click();
        auto* const dialog = m_page->head()->findChild<QDialog*>();
        QVERIFY(dialog != nullptr);
        QCOMPARE(stops.count(), 0);
        dialog->findChild<QSpinBox*>()->setValue(7);
        dialog->accept();
        QCOMPARE(stops.count(), 1);
        QCOMPARE(stops.front().front().toDouble(), 7.0);
    }

    void takesAMillionLines()
    {
        begin(1);
        QElapsedTimer time;
        time.start();
        const std::string text = [] {
            std::string lines;
            for (int i = 0; i < 1000; ++i)
                lines += "(WorkerDict pid=41613) loss " + std::to_string(i) + " grad_norm 0.25 profiler idle\\n";
            return lines;
        }();
        for (int i = 0; i < 1000; ++i)
            m_remotes[0]->tell("stdout", kStart_ns + i, R"("command":0,"text":")" + text + "\"");
        LogView* const view = m_page->log()->view();
        QTRY_VERIFY_WITH_TIMEOUT(m_page->isVisible() && view->rowCount() == LogBuffer::kMostLines &&
                                     m_run->hosts()[0].lastSeq == 1000,
                                 60'000);
        const qint64 arrived_ms = time.restart();
        m_page->log()->searchField()->setText("LOSS 999 ");
        QTRY_COMPARE_WITH_TIMEOUT(view->matchCount(), LogBuffer::kMostLines / 1000, 20'000);
        const qint64 searched_ms = time.restart();
        for (int i = 0; i < 20; ++i) {
            QTest::keyClick(m_page->log()->searchField(), Qt::Key_Return);
            view->viewport()->repaint();
        }
        const qint64 painted_ms = time.elapsed();
        QCOMPARE(view->matchPosition(), size_t(20));
        QVERIFY(!view->isFollowing());
        qInfo() << "1,000,000 lines:" << arrived_ms << "ms to arrive," << searched_ms << "ms to search,"
                << painted_ms << "ms for 20 jumps painted";
        QVERIFY(arrived_ms < 60'000);
        QVERIFY(painted_ms < 2'000);
        bool isToldOfRest = false;
        for (const QLabel* label : m_page->log()->findChildren<QLabel*>())
            isToldOfRest = isToldOfRest || label->text().contains("earlier lines on disk");
        QVERIFY(isToldOfRest);
    }

  private:
    // A run of so many scripted hosts; prepare comes before it begins.
    void begin(int hosts, const std::function<void()>& prepare = {})
    {
        SessionConfig config;
        config.name = "grpo";
        config.framework = Framework::verl;
        config.launcher.kind = LauncherKind::ssh;
        config.command = {"python3", "-m", "verl.trainer.main_ppo"};
        config.tool = Tool::nsys;
        config.steps = {4, 5};
        config.totalSteps = 20;
        config.role(Role::actor).enable = true;
        config.role(Role::actor).ranks = {0};
        for (int i = 0; i < hosts; ++i) {
            const std::string name = "node" + std::to_string(i);
            config.hosts.push_back({name, name, 8, {}});
            m_remotes.push_back(std::make_shared<test::ScriptedRemote>(name, m_folder->path() / name));
        }
        if (prepare) prepare();
        const auto plan = planLaunch(config, {});
        QVERIFY2(plan.has_value(), plan ? "" : plan.error().message.c_str());
        RunOptions options;
        options.agent = {m_folder->write("agent", "agent"), std::string(64, '0')};
        options.makeRemote = [this](const std::string& address) -> std::shared_ptr<const Remote> {
            return m_remotes[static_cast<size_t>(address.back() - '0')];
        };
        auto run = Run::create(config, *plan, {}, options);
        QVERIFY2(run.has_value(), run ? "" : run.error().message.c_str());
        m_run = std::move(*run);
        m_page->watch(m_run.get());
        m_run->begin();
    }

    std::unique_ptr<test::TempDir> m_folder;
    std::vector<std::shared_ptr<test::ScriptedRemote>> m_remotes;
    std::unique_ptr<Run> m_run;
    std::unique_ptr<RunPage> m_page;
};

LOCKSTEP_TEST(RunPageTest, "run_page_test")
#include "run_page_test.moc"
