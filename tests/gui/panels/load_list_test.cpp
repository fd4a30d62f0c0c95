// SPDX-License-Identifier: Apache-2.0
// Tests the rows of the files being opened: the row of a file that is done shows the next one, unless it has
// the keyboard focus, and each button acts on the file that its row shows.
#include "ui/panels/load_list.h"

#include <QLabel>
#include <QProgressBar>
#include <QSignalSpy>
#include <QToolButton>

#include "tests/support/test_registry.h"

using namespace lockstep;

class LoadListTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_list = std::make_unique<LoadList>();
        m_list->resize(300, 400);
    }

    void rowsOfDoneFilesShowTheNextOnes()
    {
        m_list->setEntries({loading(1), loading(2), loading(3)});
        const QProgressBar* const bar = m_list->barOf(ReportKey(1u));
        m_list->setEntries({loading(2), loading(3), loading(4, 0.5)});
        QCOMPARE(m_list->barOf(ReportKey(4u)), bar);
        QCOMPARE(bar->value(), 500);
        QCOMPARE(bar->accessibleName(), QString("Opening rank4.json"));
        QVERIFY(m_list->barOf(ReportKey(1u)) == nullptr);
        QCOMPARE(shownNames(), (QStringList{"rank2.json", "rank3.json", "rank4.json"}));
        QCOMPARE(names().back()->toolTip(), QString("/data/rank4.json"));
    }

    void aButtonCancelsTheFileOfItsRow()
    {
        m_list->setEntries({loading(1), loading(2)});
        m_list->setEntries({loading(2), loading(3)});
        const QSignalSpy canceled(m_list.get(), &LoadList::cancelRequested);
        for (QToolButton* const button : m_list->findChildren<QToolButton*>()) {
            if (button->toolTip() == "Cancel opening rank3.json") QTest::mouseClick(button, Qt::LeftButton);
        }
        QCOMPARE(canceled.count(), 1);
        QVERIFY(canceled[0][0].value<ReportKey>() == ReportKey(3u));
    }

    // Otherwise, the key that was meant for one file would cancel another one.
    void aRowWithTheFocusIsNotUsedAgain()
    {
        m_list->setEntries({loading(1), loading(2)});
        m_list->show();
        m_list->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_list.get()));
        auto* const first = m_list->findChildren<QToolButton*>().front();
        first->setFocus();
        QVERIFY(first->hasFocus());
        const QString tip = first->toolTip();
        m_list->setEntries({loading(2), loading(3)});
        QCOMPARE(first->toolTip(), tip);
        QVERIFY(!first->isVisible());
        QCOMPARE(shownNames(), (QStringList{"rank2.json", "rank3.json"}));
    }

    void aFileThatFailsHasARowOfItsOwn()
    {
        m_list->setEntries({loading(1), loading(2)});
        ReportEntry failed = loading(1);
        failed.state = ReportState::failed;
        failed.error.message = "/data/rank1.json: not a report";
        m_list->setEntries({failed, loading(2), loading(3)});
        QCOMPARE(shownNames(), (QStringList{"rank2.json", "rank3.json", "rank1.json", "not a report"}));
        m_list->setEntries({loading(1), loading(2)});
        QCOMPARE(shownNames(), (QStringList{"rank2.json", "rank1.json"}));
    }

  private:
    static ReportEntry loading(uint32_t key, std::optional<double> fraction = {})
    {
        ReportEntry entry;
        entry.key = ReportKey(key);
        entry.path = "/data/rank" + std::to_string(key) + ".json";
        entry.fraction = fraction;
        return entry;
    }

    // Returns the texts of the rows from top to bottom, without captions.
    std::vector<const QLabel*> names() const
    {
        m_list->show();
        m_list->adjustSize();
        QApplication::processEvents();
        std::vector<const QLabel*> labels;
        for (const QLabel* const label : m_list->findChildren<QLabel*>()) {
            if (label->isVisible() && label->parent() != m_list.get()) labels.push_back(label);
        }
        std::ranges::sort(labels, {}, [](const QLabel* label) { return label->mapToGlobal(QPoint()).y(); });
        return labels;
    }

    QStringList shownNames() const
    {
        QStringList texts;
        for (const QLabel* const label : names())
            texts += label->text();
        return texts;
    }

    std::unique_ptr<LoadList> m_list;
};

LOCKSTEP_TEST(LoadListTest, "load_list_test")
#include "load_list_test.moc"
