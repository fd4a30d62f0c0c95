// SPDX-License-Identifier: Apache-2.0
// Tests the memory panel's choices: pools, colors and search of the allocator map, compared moments, and
// fragmentation over time. Figures on screen must be those of the replay.
#include <QAbstractButton>
#include <QButtonGroup>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTest>

#include "core/readers/reader.h"
#include "tests/gui/memory/memory_panel_site.h"
#include "tests/support/part.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/memory/allocator_pane.h"
#include "ui/memory/fragmentation_pane.h"
#include "ui/memory/memory_panel.h"
#include "ui/memory/moment_picker.h"
#include "ui/memory/table_pane.h"
#include "ui/panels/table_view.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

using namespace lockstep;

class MemoryChoicesTest : public QObject, private test::MemoryPanelSite {
    Q_OBJECT

  private:
    void open(std::initializer_list<const char*> names)
    {
        Workspace workspace;
        for (const char* const name : names) {
            const auto file = test::sourceFolder() / "tests/golden/memory/snapshots" / name;
            workspace.add(readReport(file, Progress()).value());
        }
        show(workspace);
    }
    MemorySource source(size_t row = 0) const { return memorySources(*m_panel->scene()).at(row); }
    TablePane& comparison()
    {
        const auto found = m_panel->views()->findItems("Compare", Qt::MatchExactly);
        m_panel->views()->setCurrentItem(found.front());
        settle();
        return *qobject_cast<TablePane*>(m_panel->pane(m_panel->views()->currentRow()));
    }
    static QString legendText(const AllocatorPane& pane)
    {
        return test::part<QLabel>(pane, "rows").text() + '\n' + test::part<QLabel>(pane, "legend").text();
    }
    static int64_t change(const TablePane& pane)
    {
        int64_t sum = 0;
        for (size_t row = 0; row < pane.table()->rowCount(); ++row)
            sum += pane.table()->number(0, row);
        return sum;
    }

  private slots:
    void init() { makePanel(); }

    void noViewIsWiderThanASmallScreen()
    {
        QApplication::setFont(interfaceFont(1));
        qApp->setStyleSheet(styleSheetOf(lightTheme(), 1));
        open({"annotated.pickle", "graph.pickle"});
        // without the list of views and the card
        const int most = 1280 - scaledPixels(168) - scaledPixels(338);
        for (int row = 0; row < m_panel->views()->count(); ++row) {
            m_panel->openView(row);
            settle();
            const int width = m_panel->pane(row)->minimumSizeHint().width();
            QVERIFY2(width <= most,
                     qPrintable(QString("%1: %2").arg(m_panel->views()->item(row)->text()).arg(width)));
        }
    }

    void onePoolIsShownAndTheRestCounted()
    {
        open({"graph.pickle"});
        AllocatorPane& pane = m_panel->open<AllocatorPane>();
        settle();
        const size_t all = pane.map()->picture()->state.segments.size();
        size_t shown = 0;
        for (int pool = 1; pool <= 3; ++pool) {
            pane.pools()->setCurrentIndex(pool);
            settle();
            const AllocatorLayout& layout = pane.map()->picture()->layout;
            shown += all - layout.left;
            for (const AllocatorRow& row : layout.rows)
                QCOMPARE(static_cast<int>(row.pool), pool - 1);
            if (layout.left > 0)
                QVERIFY2(legendText(pane).contains("hidden (other pools): "), qPrintable(legendText(pane)));
        }
        QCOMPARE(shown, all);
        QVERIFY(!pane.map()->picture()->layout.rows.empty()); // graph.pickle has a private pool
    }

    void colorsHaveALegend()
    {
        open({"plain.pickle"});
        AllocatorPane& pane = m_panel->open<AllocatorPane>();
        settle();
        QVERIFY2(legendText(pane).contains("other"), qPrintable(legendText(pane)));
        QVERIFY(!legendText(pane).contains("KV cache")); // no such category in the file
        const QImage before = pane.map()->grab().toImage();
        test::part<QButtonGroup>(pane, "color").button(1)->click();
        settle();
        QVERIFY(legendText(pane).contains("younger"));
        QVERIFY(pane.map()->grab().toImage() != before);
        test::part<QButtonGroup>(pane, "color").button(2)->click();
        settle();
        QVERIFY(legendText(pane).contains("same stack"));
    }

    void searchMatchesAreCountedAndVisited()
    {
        open({"plain.pickle"});
        AllocatorPane& pane = m_panel->open<AllocatorPane>();
        settle();
        const PlacedBlock block = pane.map()->picture()->state.blocks.back();
        QTest::keyClicks(pane.find(), QString("0x%1").arg(block.address, 0, 16));
        settle();
        QVERIFY2(legendText(pane).contains("blocks found: 1 (" +
                                           byteQText(static_cast<int64_t>(block.size_bytes))),
                 qPrintable(legendText(pane)));
        QTest::keyClick(pane.find(), Qt::Key_Return);
        QCOMPARE(pane.map()->chosen(), block.life);
        pane.find()->setText("no such frame anywhere");
        settle();
        QCOMPARE(pane.map()->picture()->found->count, 0u);
        QTest::keyClick(pane.find(), Qt::Key_Return); // no match to go to
        QCOMPARE(pane.map()->chosen(), block.life);
        pane.find()->clear();
        settle();
        QVERIFY(!pane.map()->picture()->found);
    }

    void namedStepsCanBeCompared()
    {
        open({"annotated.pickle", "plain.pickle"});
        TablePane& pane = comparison();
        QComboBox* const moments = pane.side(true)->moments();
        const auto steps = stepEnds(*source().report, source().device(), "step");
        QVERIFY(steps.size() > 1);
        QCOMPARE(moments->count(), static_cast<int>(steps.size()) + 3);
        for (size_t i = 0; i < steps.size(); ++i) {
            moments->setCurrentIndex(1 + static_cast<int>(i));
            settle();
            QVERIFY(moments->currentText().contains("step"));
            QCOMPARE(change(pane), source().device().levelsAt(steps[i].moment).active -
                                       source().device().levelsAt(0).active);
        }
        // Another snapshot has its own steps.
        pane.side(true)->snapshots()->setCurrentIndex(1);
        settle();
        const auto others = stepEnds(*source(1).report, source(1).device(), "step");
        QCOMPARE(moments->count(), static_cast<int>(others.size()) + 3);
        moments->setCurrentIndex(moments->findText("end"));
        settle();
        QCOMPARE(change(pane), source(1).device().levelsAt(source(1).device().lastMoment()).active -
                                   source().device().levelsAt(0).active);
    }

    // Whoever has looked at one snapshot and then chosen another wants to compare the two.
    void theOtherSnapshotIsComparedFirst()
    {
        open({"annotated.pickle", "plain.pickle"});
        m_panel->snapshots()->setCurrentIndex(1);
        TablePane& pane = comparison();
        QCOMPARE(pane.side(false)->snapshots()->currentIndex(), 0);
        QCOMPARE(pane.side(true)->snapshots()->currentIndex(), 1);
        QCOMPARE(change(pane), source(1).device().peaks.active.levels.active -
                                   source(0).device().peaks.active.levels.active);
    }

    void fragmentationIsDrawnAndListedAtTheCursor()
    {
        open({"random.pickle"});
        FragmentationPane& pane = m_panel->open<FragmentationPane>();
        settle();
        const DeviceReplay& device = source().device();
        MemoryMoment most = 0;
        for (MemoryMoment m = 0; m <= device.lastMoment(); ++m)
            if (device.levelsAt(m).unused() > device.levelsAt(most).unused()) most = m;
        const auto freeAt = [&](MemoryMoment moment) {
            return byteQText(static_cast<int64_t>(fragmentationOf(stateAt(device, moment)).free_bytes)) +
                   " free,";
        };
        QVERIFY2(pane.momentText().contains(freeAt(most)), qPrintable(pane.momentText()));
        QCOMPARE(pane.table()->rowCount(), pinnedSegments(stateAt(device, most)).size());
        QTest::mouseClick(pane.chart(), Qt::LeftButton, {}, pane.chart()->plot().center());
        settle();
        const auto picked = pane.chart()->cursorMoment();
        QVERIFY(picked.has_value());
        QVERIFY2(pane.momentText().contains(freeAt(*picked)), qPrintable(pane.momentText()));
        QCOMPARE(pane.table()->rowCount(), pinnedSegments(stateAt(device, *picked)).size());
        pane.choice()->button(1)->click();
        settle();
        QVERIFY(pane.table()->rowCount() > 1);
    }
};

LOCKSTEP_TEST(MemoryChoicesTest, "memory_choices_test")
#include "memory_choices_test.moc"
