// SPDX-License-Identifier: Apache-2.0
// Tests FindingsPanel: findings are listed and explained, a key leads to their location, and rules can be
// stopped. If nothing is found, the panel lists the rules that ran.
#include "ui/findings/findings_panel.h"

#include <algorithm>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>

#include "core/export/html_report.h"
#include "tests/gui/support/click_when_shown.h"
#include "tests/support/made_reports.h"
#include "tests/support/model_testers.h"
#include "tests/support/part.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/findings/finding_detail.h"
#include "ui/findings/findings_list.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class FindingsPanelTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_panel.reset();
        m_view = std::make_unique<ViewState>();
        m_panel = std::make_unique<FindingsPanel>(*m_view, test::workers());
        QVERIFY(test::testModels(*m_panel) > 0);
        m_panel->setTheme(lightTheme());
        m_panel->resize(1300, 420);
        m_view->setScopeChoice(ScopeChoice::whole);
        m_panel->show();
        m_scene = test::madeScene(test::madeWorkspace(2, 2));
        m_panel->setScene(m_scene);
        QTRY_VERIFY(m_panel->findings() != nullptr && !m_panel->isBusy());
    }

    void firstFindingIsExplained()
    {
        const RunFindings& all = *m_panel->findings();
        QVERIFY(!all.found.empty());
        QCOMPARE(m_panel->list()->current(), 0);
        QVERIFY(m_panel->detail()->text().contains(QString::fromStdString(all.found[0].sentence)));
        QVERIFY(m_panel->detail()->text().contains("What to do"));
        QVERIFY(m_panel->sumText().contains("overlaps counted once"));
    }

    // The HTML report contains the same text in the same order.
    void reportHasTheSameText()
    {
        const RunFindings& all = *m_panel->findings();
        QVERIFY(all.found.size() > 1);
        static const QRegularExpression kTags("<[^>]*>"), kNumber("^\\d+  ");
        QString report = QString::fromStdString(findingsHtml(all)).remove(kTags);
        for (const auto& [entity, letter] :
             {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}})
            report.replace(entity, letter);
        qsizetype at = report.indexOf(m_panel->sumText());
        QVERIFY2(at > 0, qPrintable(m_panel->sumText()));
        for (int row = 0; row < m_panel->list()->shownCount(); ++row) {
            m_panel->list()->setCurrentIndex(m_panel->list()->model()->index(row, 0));
            QStringList lines = m_panel->detail()->text().split('\n');
            QVERIFY(lines.size() > 8);
            for (QString& line : lines) {
                at = report.indexOf(line.remove(kNumber), at);
                QVERIFY2(at > 0, qPrintable(line));
            }
        }
    }

    void helpDescribesTheRule()
    {
        QSignalSpy asked(m_panel.get(), &Panel::helpRequested);
        QTest::mouseClick(&test::part<QPushButton>(*m_panel->detail(), "help"), Qt::LeftButton);
        QCOMPARE(asked.size(), 1);
        const std::string& rule = m_panel->findings()->found[0].rule;
        const QString section = rule.find("util") != rule.npos   ? "Idle GPU"
                                : rule.find("comm") != rule.npos ? "Exposed communication"
                                                                 : "";
        QVERIFY2(!section.isEmpty(), rule.c_str());
        QCOMPARE(asked[0][0].toString(), "findings#" + section);
    }

    void keysChooseAndJump()
    {
        QVERIFY(m_panel->findings()->found.size() > 1);
        m_panel->list()->setFocus();
        QTest::keyClick(m_panel->list(), Qt::Key_Down);
        QCOMPARE(m_panel->list()->current(), 1);
        const RunFinding& second = m_panel->findings()->found[1];
        QVERIFY(m_panel->detail()->text().contains(QString::fromStdString(second.sentence)));
        QSignalSpy revealed(m_view.get(), &ViewState::revealRequested);
        QTest::keyClick(m_panel->list(), Qt::Key_Return);
        QCOMPARE(revealed.size(), 1);
        QCOMPARE(m_view->slice(), second.show);
        QTest::mouseClick(&test::part<QPushButton>(*m_panel->detail(), "show"), Qt::LeftButton);
        QCOMPARE(revealed.size(), 2);
    }

    // Omitted findings are mentioned. The selected finding stays selected while it is shown, and keys move
    // through the shown findings.
    void filteredAndOrdered()
    {
        const auto& found = m_panel->findings()->found;
        QVERIFY(found.size() > 1);
        QTest::keyClick(m_panel->list(), Qt::Key_Down);
        QTest::keyClicks(m_panel->findField(), QString::fromStdString(found[1].rule));
        QVERIFY(m_panel->list()->shownCount() < static_cast<int>(found.size()));
        QCOMPARE(m_panel->list()->current(), 1);
        QVERIFY(m_panel->detail()->text().contains(QString::fromStdString(found[1].sentence)));
        m_panel->findField()->setText("nothing has this word");
        QCOMPARE(m_panel->list()->shownCount(), 0);
        QCOMPARE(m_panel->list()->current(), -1);
        QVERIFY(!m_panel->detail()->text().contains(QString::fromStdString(found[1].sentence)));
        QVERIFY2(sumOnScreen().startsWith("0 of "), qPrintable(sumOnScreen()));
        m_panel->findField()->clear();
        QCOMPARE(m_panel->list()->shownCount(), static_cast<int>(found.size()));
        test::part<QComboBox>(*m_panel, "order").setFocus();
        QTest::keyClick(&test::part<QComboBox>(*m_panel, "order"), Qt::Key_End); // by rule
        const std::vector<int> shown = shownFindings(*m_panel->findings(), {}, FindingOrder::rule);
        QVERIFY(std::ranges::is_sorted(
            shown, {}, [&](int i) -> const std::string& { return found[static_cast<size_t>(i)].rule; }));
        QTest::keyClick(m_panel->list(), Qt::Key_Home);
        QCOMPARE(m_panel->list()->current(), shown[0]);
    }

    // The selected finding stays selected in another scene.
    void choiceIsPreserved()
    {
        QTest::keyClick(m_panel->list(), Qt::Key_Down);
        const std::string rule = m_panel->findings()->found[1].rule;
        QSignalSpy changed(m_panel.get(), &FindingsPanel::findingsChanged);
        m_panel->setScene(test::madeScene(test::madeWorkspace(1, 2)));
        QTRY_VERIFY(!changed.isEmpty() && !m_panel->isBusy());
        const auto& found = m_panel->findings()->found;
        QCOMPARE(found[static_cast<size_t>(m_panel->list()->current())].rule, rule);
    }

    void stoppingKeepsThePreviousList()
    {
        const RunFindings* const before = m_panel->findings();
        QSignalSpy changed(m_panel.get(), &FindingsPanel::findingsChanged);
        const test::ClickWhenShown stop(test::part<QPushButton>(*m_panel, "stop"));
        m_panel->setScene(test::madeScene(test::madeWorkspace(4, 4)));
        QTRY_VERIFY(stop.hasClicked());
        QCOMPARE(changed.size(), 1);
        QVERIFY(!m_panel->isBusy());
        QCOMPARE(m_panel->findings(), before);
        QVERIFY(!test::part<QPushButton>(*m_panel, "stop").isVisible());
        m_view->setScopeChoice(ScopeChoice::visible);
        m_view->setScopeChoice(ScopeChoice::whole);
        QTRY_VERIFY(!m_panel->isBusy());
        QVERIFY(m_panel->findings() != before);
    }

    void emptyListExplainsWhy()
    {
        QSignalSpy changed(m_panel.get(), &FindingsPanel::findingsChanged);
        m_view->setScopeChoice(ScopeChoice::selected);
        QTRY_VERIFY(!changed.isEmpty() && !m_panel->isBusy());
        QVERIFY(m_panel->hint().contains("No range selected"));
        changed.clear();
        // An instant before the first event contains nothing that a rule could find.
        m_view->setRange(TimeRange{{-100}, {-50}});
        QTRY_VERIFY(!changed.isEmpty() && !m_panel->isBusy());
        QVERIFY2(m_panel->hint().startsWith("No findings in "), qPrintable(m_panel->hint()));
        changed.clear();
        m_panel->setScene(std::make_shared<const Scene>());
        QTRY_VERIFY(!changed.isEmpty() && !m_panel->isBusy());
        QVERIFY(m_panel->hint().startsWith("No reports open"));
        QVERIFY(m_panel->sumText().isEmpty());
    }

    // A panel hidden behind another does nothing.
    void worksOnlyInFront()
    {
        QSignalSpy changed(m_panel.get(), &FindingsPanel::findingsChanged);
        m_panel->setUncovered(false);
        m_panel->setScene(test::madeScene(test::madeWorkspace(1, 1)));
        QVERIFY(!m_panel->isBusy());
        m_panel->setUncovered(true);
        QTRY_VERIFY(!changed.isEmpty() && !m_panel->isBusy());
        QCOMPARE(m_panel->findings()->reports, size_t(2));
    }

    // The list has about 220 pixels in a window of 1280x720 and shows at least six findings there.
    void lowListIsCompact()
    {
        auto many = std::make_shared<RunFindings>(*m_panel->findings());
        while (many->found.size() < 8)
            many->found.push_back(many->found.front());
        FindingsList list;
        list.resize(760, 220);
        list.show();
        list.setFindings(many);
        QVERIFY(list.isCompact());
        QTRY_VERIFY(list.viewport()->rect().contains(list.visualRect(list.model()->index(5, 0))));
        const int compact = list.visualRect(list.model()->index(0, 0)).height();
        list.setFilter(QString::fromStdString(many->found.back().rule) + " no such word");
        QCOMPARE(list.shownCount(), 0);
        list.setFilter({});
        list.resize(760, 600);
        QVERIFY(!list.isCompact());
        QTRY_VERIFY(list.visualRect(list.model()->index(0, 0)).height() > compact);
        many->found.resize(2); // all of them fit
        list.resize(760, 220);
        list.setFindings(many);
        QVERIFY(!list.isCompact());
    }

    void cleanup()
    {
        // For inspection by a person.
        if (const QByteArray folder = qgetenv("LOCKSTEP_PICTURES"); !folder.isEmpty())
            m_panel->grab().save(folder + "/findings_" + QTest::currentTestFunction() + ".png");
    }

  private:
    QString sumOnScreen() const
    {
        for (const QLabel* const label : m_panel->findChildren<QLabel*>()) {
            if (label->text() == m_panel->sumText()) return label->text();
        }
        return {};
    }

    ScenePtr m_scene;
    std::unique_ptr<ViewState> m_view;
    std::unique_ptr<FindingsPanel> m_panel;
};

LOCKSTEP_TEST(FindingsPanelTest, "findings_panel_test")
#include "findings_panel_test.moc"
