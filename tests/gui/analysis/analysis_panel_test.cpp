// SPDX-License-Identifier: Apache-2.0
// Tests AnalysisPanel: every analysis can be found, given arguments, run and explained; rows lead to slices;
// the command line that it shows makes the same table.
#include "ui/analysis/analysis_panel.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeWidget>

#include "core/session/shell_quote.h"
#include "tests/gui/support/click_when_shown.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/analysis/analysis_list.h"
#include "ui/analysis/argument_form.h"
#include "ui/charts/chart_pane.h"
#include "ui/panels/charted_table.h"
#include "ui/panels/elided_label.h"
#include "ui/panels/table_view.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class AnalysisPanelTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        m_panel.reset();
        m_view = std::make_unique<ViewState>();
        m_panel = std::make_unique<AnalysisPanel>(*m_view, test::workers());
        m_panel->setTheme(lightTheme());
        m_panel->resize(1200, 420);
        m_panel->show();
        m_scene = test::madeScene(test::madeWorkspace(2, 1));
        m_panel->setScene(m_scene);
        m_view->setScopeChoice(ScopeChoice::whole);
        QTRY_VERIFY(m_panel->table() != nullptr && !m_panel->isBusy());
    }

    void everyAnalysisIsListedAndRuns()
    {
        QSet<QString> listed;
        for (QTreeWidgetItemIterator item(m_panel->list()->tree()); *item != nullptr; ++item) {
            if ((*item)->childCount() > 0) continue;
            const QString name = (*item)->data(0, AnalysisList::kNameRole).toString();
            listed.insert(name);
            const Analysis* const analysis = findAnalysis(name.toStdString());
            QVERIFY(analysis != nullptr);
            QCOMPARE((*item)->text(0).toStdString(), std::string(analysis->title));
        }
        QCOMPARE(listed.size(),
                 qsizetype(analyses().size() - 1)); // except the notes, which have their own panel
        for (const Analysis& analysis : analyses()) {
            if (analysis.name == "notes") continue;
            choose(analysis.name);
            const bool hasRows = m_panel->table() != nullptr && m_panel->table()->rowCount() > 0;
            QCOMPARE(m_panel->hint().isEmpty(), hasRows);
            if (m_panel->table() != nullptr) QCOMPARE(m_panel->table()->name(), std::string(analysis.name));
            QCOMPARE(m_panel->form()->findChildren<QWidget*>(Qt::FindDirectChildrenOnly).isEmpty(),
                     analysis.arguments.empty());
            if (analysis.arguments.empty()) continue;
            // The row of arguments is fully visible, whichever table was shown before.
            QWidget* const field = m_panel->form()->field(analysis.arguments.front().name);
            QVERIFY(field != nullptr);
            QTRY_VERIFY2(field->visibleRegion().boundingRect().height() >= field->sizeHint().height() - 2,
                         std::string(analysis.name).c_str());
        }
    }

    // Typed into the field and chosen with Return and the arrow keys.
    void typingFindsAName()
    {
        QLineEdit* const search = m_panel->list()->search();
        search->setFocus();
        QTest::keyClicks(search, "util");
        QStringList shown;
        for (QTreeWidgetItemIterator item(m_panel->list()->tree()); *item != nullptr; ++item) {
            if ((*item)->childCount() == 0 && !(*item)->isHidden())
                shown << (*item)->data(0, AnalysisList::kNameRole).toString();
        }
        QVERIFY(shown.contains("gpu_time_util"));
        QVERIFY(!shown.contains("nvtx_sum"));
        const auto chosen = [this] { return QString::fromUtf8(m_panel->list()->current()->name); };
        QTest::keyClick(search, Qt::Key_Down);
        QCOMPARE(chosen(), shown.front());
        QTest::keyClick(search, Qt::Key_Up); // it is already the first one
        QCOMPARE(chosen(), shown.front());
        search->selectAll();
        QTest::keyClicks(search, "nvtx_sum");
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(chosen(), QString("nvtx_sum"));
        QTRY_VERIFY(!m_panel->isBusy());
        search->clear();
        QVERIFY(!m_panel->list()->tree()->topLevelItem(0)->isHidden());
    }

    void argumentsChangeTheTable()
    {
        choose("cuda_gpu_kern_sum");
        const auto* const base = qobject_cast<QCheckBox*>(m_panel->form()->field("base"));
        QVERIFY(base != nullptr && !base->toolTip().isEmpty());
        QSignalSpy tables(m_panel.get(), &AnalysisPanel::tableChanged);
        QTest::mouseClick(m_panel->form()->field("base"), Qt::LeftButton, {}, QPoint(8, base->height() / 2));
        QTRY_VERIFY(!tables.isEmpty() && !m_panel->isBusy());
        QCOMPARE(m_panel->table()->name(), std::string("cuda_gpu_kern_sum:base"));

        choose("gpu_gaps");
        auto* const gap = qobject_cast<QLineEdit*>(m_panel->form()->field("gap"));
        QCOMPARE(gap->placeholderText(), QString("500ms"));
        type(gap, "1ns");
        QCOMPARE(m_panel->table()->name(), std::string("gpu_gaps:gap=1ns"));
        const size_t rows = m_panel->table()->rowCount();
        type(gap, "soon");
        QVERIFY2(m_panel->hint().contains("argument ':gap' must be a time such as"),
                 qPrintable(m_panel->hint()));
        type(gap, "");
        QCOMPARE(m_panel->table()->name(), std::string("gpu_gaps"));
        QVERIFY(rows >= m_panel->table()->rowCount());
    }

    void groupsAndRanges()
    {
        choose("cuda_gpu_kern_sum");
        const size_t total = m_panel->table()->rowCount();
        QSignalSpy tables(m_panel.get(), &AnalysisPanel::tableChanged);
        m_panel->grouping()->setCurrentText("rank");
        QTRY_VERIFY(!tables.isEmpty() && !m_panel->isBusy());
        QVERIFY(m_panel->table()->rowCount() > total);
        QCOMPARE(m_panel->table()->column(0).name, std::string("Rank"));
        tables.clear();
        m_view->setScopeChoice(ScopeChoice::selected);
        QTRY_VERIFY(!tables.isEmpty() && !m_panel->isBusy());
        QVERIFY(m_panel->hint().contains("No range selected"));
    }

    void rowsLeadToSlices()
    {
        choose("cuda_gpu_kern_sum");
        QSignalSpy revealed(m_view.get(), &ViewState::revealRequested);
        m_panel->view()->selectTableRow(0);
        QTest::keyClick(m_panel->view(), Qt::Key_Return);
        QCOMPARE(revealed.size(), 1);
        QVERIFY(m_scene->holds(m_panel->table()->longest(0)));
    }

    // A table that is opened again appears immediately; in another scene it is computed again.
    void tablesAreComputedOnce()
    {
        choose("cuda_gpu_kern_sum");
        const Table* const first = m_panel->table();
        choose("nvtx_sum");
        choose("cuda_gpu_kern_sum");
        QCOMPARE(m_panel->table(), first);
        const ResultCache& results = *m_view->results();
        QVERIFY(results.tableCount() >= 3);
        QSignalSpy tables(m_panel.get(), &AnalysisPanel::tableChanged);
        m_panel->setScene(test::madeScene(test::madeWorkspace(1, 1)));
        QTRY_VERIFY(!tables.isEmpty() && !m_panel->isBusy());
        QVERIFY(m_panel->table() != first);
        QCOMPARE(results.tableCount(), size_t(1));
    }

    void stoppingKeepsThePreviousTable()
    {
        choose("cuda_gpu_kern_sum");
        const Table* const before = m_panel->table();
        QPushButton* button = nullptr;
        for (QPushButton* const each : m_panel->findChildren<QPushButton*>()) {
            if (each->text() == "Stop") button = each;
        }
        const test::ClickWhenShown stop(*button);
        m_panel->setScene(test::madeScene(test::madeWorkspace(4, 4)));
        QTRY_VERIFY(stop.hasClicked());
        QVERIFY(!m_panel->isBusy());
        QCOMPARE(m_panel->table(), before);
        QVERIFY(m_panel->view()->isVisible());
        QVERIFY(!button->isVisible());
        choose("nvtx_sum"); // and continues
        QVERIFY(m_panel->table() != nullptr && m_panel->hint().isEmpty());
    }

    // A panel as wide as a small window keeps its table readable: the chart is hidden.
    void chartFollowsTheTable()
    {
        choose("cuda_gpu_kern_sum");
        QVERIFY(m_panel->pane()->charts()->isVisible());
        choose("inventory");
        QVERIFY(!m_panel->pane()->charts()->isVisible());
        choose("temporal_breakdown");
        QVERIFY(m_panel->pane()->charts()->isVisible());
        m_panel->resize(900, 420);
        QVERIFY(!m_panel->pane()->charts()->isVisible());
    }

    void commandLineMakesTheSameTable()
    {
        choose("gpu_gaps");
        type(qobject_cast<QLineEdit*>(m_panel->form()->field("gap")), "2us");
        m_panel->grouping()->setCurrentText("rank");
        QTRY_VERIFY(!m_panel->isBusy());
        for (QPushButton* const button : m_panel->findChildren<QPushButton*>()) {
            if (button->text() == "Copy command") QTest::mouseClick(button, Qt::LeftButton);
        }
        const std::string copied = QGuiApplication::clipboard()->text().toStdString();
        QVERIFY2(copied.starts_with("lockstep --export 'gpu_gaps:gap=2us' --by rank "), copied.c_str());
        for (const ReportKey key : m_scene->shown.keys())
            QVERIFY(copied.find(m_scene->shown.report(key).provenance.path.string()) != copied.npos);
        m_view->setScopeChoice(ScopeChoice::visible);
        m_view->setVisible({{5}, {70}});
        QVERIFY(m_panel->commandLine().contains("--time-range 5ns..70ns"));
    }

    void showsItsInputs()
    {
        choose("temporal_breakdown");
        const auto* const source = labelCalled("Source of the table");
        QVERIFY(source->text().startsWith("Source: kernels, copies, memsets and whole graphs"));
        QVERIFY(source->toolTip().startsWith("kernels, copies"));
        m_panel->setScene(std::make_shared<const Scene>());
        QTRY_VERIFY(m_panel->hint().startsWith("No reports open"));
        QVERIFY(source->text().isEmpty());
    }

    // Not the work after the gap, to which the row leads.
    void gapIsShownWithTheWorkAroundIt()
    {
        choose("gpu_gaps");
        type(qobject_cast<QLineEdit*>(m_panel->form()->field("gap")), "1ns");
        QVERIFY(m_panel->table()->rowCount() > 0);
        m_panel->view()->selectTableRow(0);
        QTest::keyClick(m_panel->view(), Qt::Key_Return);
        const SliceRef next = m_panel->table()->longest(0);
        QCOMPARE(m_view->slice(), next);
        const TimeRange gap = *m_panel->table()->range(0);
        const ClockMap& map = m_scene->alignment.map(next.report);
        const TimeRange shown = m_view->visible();
        QVERIFY(shown.begin < map.alignedFromTrace(gap.begin) && map.alignedFromTrace(gap.end) < shown.end);
        QVERIFY(shown.length().ns < 2 * gap.length().ns);
    }

    // The advice to widen the range appears only where a wider range exists.
    void emptyTableSuggestsARemedy()
    {
        choose("gpu_gaps");
        QVERIFY2(m_panel->hint().startsWith("No gap is longer than 500"), qPrintable(m_panel->hint()));
        QVERIFY2(m_panel->hint().endsWith("Lower the threshold (option gap)."), qPrintable(m_panel->hint()));
        const TimeRange all = m_scene->extent();
        const auto hintOf = [&](ScopeChoice choice, TimeRange range) {
            QSignalSpy tables(m_panel.get(), &AnalysisPanel::tableChanged);
            m_view->setVisible(range);
            m_view->setRange(range);
            m_view->setScopeChoice(choice);
            return test::waitUntil([&] { return !tables.isEmpty() && !m_panel->isBusy(); }) ? m_panel->hint()
                                                                                            : QString("none");
        };
        const TimeRange part{all.begin, {all.begin.ns + all.length().ns / 2}};
        QVERIFY(hintOf(ScopeChoice::visible, all).endsWith("(option gap)."));
        QVERIFY(hintOf(ScopeChoice::visible, part)
                    .endsWith("Zoom out (0: zoom to fit) or set the range to Whole."));
        QVERIFY(hintOf(ScopeChoice::selected, part).endsWith("Set the range to Whole to count everything."));
    }

    void truncatedLineEndsWithAnEllipsis()
    {
        choose("temporal_breakdown");
        const auto* const source = dynamic_cast<const ElidedLabel*>(labelCalled("Source of the table"));
        QVERIFY(source != nullptr);
        QVERIFY2(source->shownText().endsWith(QChar(0x2026)), qPrintable(source->shownText()));
        QVERIFY(source->toolTip().size() > source->shownText().size());
    }

    void cleanup()
    {
        // For inspection by a person.
        if (const QByteArray folder = qgetenv("LOCKSTEP_PICTURES"); !folder.isEmpty())
            m_panel->grab().save(folder + "/analysis_" + QTest::currentTestFunction() + ".png");
    }

  private:
    void choose(std::string_view name)
    {
        QSignalSpy tables(m_panel.get(), &AnalysisPanel::tableChanged);
        if (m_panel->list()->current() == findAnalysis(name)) return;
        m_panel->list()->select(*findAnalysis(name));
        QTRY_VERIFY(!tables.isEmpty() && !m_panel->isBusy());
    }

    void type(QLineEdit* field, const QString& text)
    {
        QSignalSpy tables(m_panel.get(), &AnalysisPanel::tableChanged);
        field->setFocus();
        field->selectAll();
        QTest::keyClick(field, Qt::Key_Delete);
        QTest::keyClicks(field, text);
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_VERIFY(!tables.isEmpty() && !m_panel->isBusy());
    }

    QLabel* labelCalled(const QString& name) const
    {
        for (QLabel* const label : m_panel->findChildren<QLabel*>()) {
            if (label->accessibleName() == name) return label;
        }
        return nullptr;
    }

    ScenePtr m_scene;
    std::unique_ptr<ViewState> m_view;
    std::unique_ptr<AnalysisPanel> m_panel;
};

LOCKSTEP_TEST(AnalysisPanelTest, "analysis_panel_test")
#include "analysis_panel_test.moc"
