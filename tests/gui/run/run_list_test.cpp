// SPDX-License-Identifier: Apache-2.0
// Tests the list of earlier runs: states from the stored events, sizes, folders, and the removal of a run.
#include "ui/run/run_list.h"

#include <QMessageBox>
#include <QSignalSpy>

#include "app/window/known_runs.h"
#include "app/window/run_removal.h"
#include "core/remote/clock_exchange.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

QString endLine(const char* fields)
{
    return QString(R"({"seq":2,"t_ns":2,"kind":"exit","run":true%1})").arg(fields);
}

// Stores the record of a run, newest last, with one line in the event file of each host.
RunRecord storeRun(const std::string& session, int64_t started_ns, const QStringList& lastEvents)
{
    RunRecord record;
    record.id = "2026-11-20T12-01-07-" + session;
    record.session = session;
    record.started_ns = started_ns;
    for (qsizetype i = 0; i < lastEvents.size(); ++i) {
        const std::string host = "node" + std::to_string(i);
        record.hosts.push_back({host, host, "r", "", !lastEvents[i].isEmpty(), ""});
        if (lastEvents[i].isEmpty()) continue;
        const QString text = R"({"seq":1,"t_ns":1,"kind":"started"})" + QString("\n") + lastEvents[i] + "\n";
        static_cast<void>(replaceFile(eventFileOf(record, host), text.toStdString()));
    }
    static_cast<void>(replaceFile(runFolderOf(record) / "record.json", jsonFromRunRecord(record)));
    return record;
}

} // namespace

class RunListTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_state = std::make_unique<test::TempDir>();
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString(m_state->path().string()));
    }

    void readsHowRunsEnded_data()
    {
        QTest::addColumn<QStringList>("lastEvents");
        QTest::addColumn<QString>("state");
        const QString good = endLine(R"(,"code":0)"), bad = endLine(R"(,"code":1)"),
                      stopped = endLine(R"(,"code":143,"stopped":true)"), silent = endLine(""),
                      output = R"({"seq":2,"t_ns":2,"kind":"stdout","text":"x"})";
        QTest::newRow("succeeded") << QStringList{good, good} << "succeeded";
        QTest::newRow("failed") << QStringList{good, bad} << "failed";
        QTest::newRow("failed while stopped") << QStringList{stopped, bad} << "failed";
        QTest::newRow("stopped") << QStringList{stopped, good} << "stopped";
        QTest::newRow("running") << QStringList{good, output} << "running";
        QTest::newRow("no code") << QStringList{silent, good} << "ended";
        QTest::newRow("a host never started") << QStringList{good, ""} << "ended";
    }

    void readsHowRunsEnded()
    {
        QFETCH(QStringList, lastEvents);
        QFETCH(QString, state);
        storeRun("grpo", epochNow_ns(), lastEvents);
        const std::vector<KnownRun> runs = listKnownRuns();
        QCOMPARE(runs.size(), size_t(1));
        QCOMPARE(runStateText(runs.front()), state);
        QCOMPARE(runs.front().isOver, state != "running");
        QVERIFY(runs.front().size_bytes > 0);
    }

    void listsRunsAndSelectsTheRunningOne()
    {
        const int64_t now = epochNow_ns();
        storeRun("done", now, {endLine(R"(,"code":0)")});
        const RunRecord running = storeRun("busy", now - 1'000'000'000, {R"({"seq":2,"kind":"step"})"});
        storeRun("lost", now - 30LL * 24 * 3600 * 1'000'000'000, {R"({"seq":2,"kind":"step"})"});
        const std::vector<KnownRun> runs = listKnownRuns();
        QCOMPARE(unfinishedRun(runs)->record.session, std::string("busy"));
        RunList list;
        RemoveRunButton removal(list);
        QVERIFY(!removal.isEnabled());
        list.setRuns(runs);
        QCOMPARE(list.topLevelItemCount(), 3);
        QCOMPARE(list.chosen(), QString::fromStdString(running.id));
        QStringList states;
        for (int row = 0; row < 3; ++row) {
            states << list.topLevelItem(row)->text(2);
            QVERIFY(list.topLevelItem(row)->text(3).endsWith("B")); // bytes or a multiple
        }
        QCOMPARE(states, (QStringList{"succeeded", "running", "no end reported"}));
        QCOMPARE(list.topLevelItem(1)->text(5), QString::fromStdString(runFolderOf(running).string()));
        // A run that goes on cannot be removed, and the tooltip states why.
        QSignalSpy requested(&list, &RunList::removeRequested);
        QVERIFY(!removal.isEnabled() && removal.toolTip().contains("not reported its end"));
        QTest::keyClick(&list, Qt::Key_Delete);
        QCOMPARE(requested.count(), 0);
        list.setCurrentItem(list.topLevelItem(0));
        QVERIFY(removal.isEnabled());
        removal.click();
        QCOMPARE(requested.count(), 1);
        list.setRuns(runs); // the selected run stays selected
        QCOMPARE(list.chosenRun()->record.session, std::string("done"));
    }

    void removesARunAfterAQuestion()
    {
        const RunRecord record = storeRun("done", epochNow_ns(), {endLine(R"(,"code":0)")});
        QWidget window;
        RunRemoval removal;
        QSignalSpy removed(&removal, &RunRemoval::removed), failed(&removal, &RunRemoval::failed);
        const auto answer = [&](const QString& text) {
            removal.prompt(window, listKnownRuns().front());
            auto* const box = window.findChild<QMessageBox*>("removeRunQuestion");
            QVERIFY(box != nullptr && box->informativeText().contains("on its hosts are kept"));
            for (QAbstractButton* button : box->buttons()) {
                if (button->text().remove('&') == text) button->click();
            }
            QTRY_VERIFY(window.findChild<QMessageBox*>("removeRunQuestion") == nullptr);
        };
        answer("Cancel");
        QVERIFY(!removal.isBusy() && std::filesystem::exists(runFolderOf(record)));
        {
            const auto lock = RunLock::take(record); // another window watches the run
            QVERIFY(bool(lock));
            answer("Remove");
            QTRY_COMPARE(failed.count(), 1);
            QVERIFY(std::filesystem::exists(runFolderOf(record)));
        }
        answer("Remove");
        QTRY_COMPARE(removed.count(), 2);
        QCOMPARE(failed.count(), 1);
        QVERIFY(!std::filesystem::exists(runFolderOf(record)));
        QVERIFY(listKnownRuns().empty());
    }

  private:
    std::unique_ptr<test::TempDir> m_state;
};

LOCKSTEP_TEST(RunListTest, "run_list_test")
#include "run_list_test.moc"
