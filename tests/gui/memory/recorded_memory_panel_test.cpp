// SPDX-License-Identifier: Apache-2.0
// Tests the memory panel with files of other recorders than the allocator: available views, block
// descriptions, and why a view is empty.
#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>

#include "tests/gui/memory/memory_panel_site.h"
#include "tests/support/made_memory.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"
#include "ui/memory/memory_card.h"
#include "ui/memory/memory_panel.h"
#include "ui/window/view_state.h"

using namespace lockstep;
using namespace lockstep::test;

class RecordedMemoryPanelTest : public QObject, private test::MemoryPanelSite {
    Q_OBJECT

  private:
    void open(const std::vector<std::shared_ptr<const Report>>& reports)
    {
        Workspace workspace;
        for (const auto& report : reports)
            workspace.add(report);
        m_panel->setScene(madeScene(workspace));
        QTRY_VERIFY(!m_panel->isBusy());
    }
    static std::shared_ptr<const Report> recordedBy(MemoryRecorder recorder)
    {
        MadeKernels of;
        of.tool = "tool";
        of.memory = recorder;
        return madeKernels(of);
    }
    // Returns the text shown instead of an empty view, or an empty text.
    QString whyEmpty(const QString& view)
    {
        for (int row = 0; row < m_panel->views()->count(); ++row) {
            if (m_panel->views()->item(row)->text() != view) continue;
            m_panel->views()->setCurrentRow(row);
            return m_panel->why()->isVisible() ? m_panel->why()->text() : QString();
        }
        qFatal("no view %s", qPrintable(view));
    }

  private slots:
    void init() { makePanel(); }

    void emptyViewShowsTheReason()
    {
        open({recordedBy(MemoryRecorder::torchProfiler)});
        for (const char* const view :
             {"Active memory", "Allocated", "Flame graph", "By stack", "Leak suspects", "Compare", "Ranks"}) {
            bool isThere = false;
            for (int row = 0; row < m_panel->views()->count(); ++row)
                isThere |= m_panel->views()->item(row)->text() == view;
            if (isThere) QVERIFY2(whyEmpty(view).isEmpty(), view);
        }
        for (const char* const view : {"Allocator state", "Cached segments", "Fragmentation"})
            QVERIFY2(whyEmpty(view).contains("no allocator segments in "), view);
        QVERIFY(whyEmpty("Settings").contains("no allocator settings in "));
        open({recordedBy(MemoryRecorder::categories)});
        QVERIFY(whyEmpty("By stack").contains("only totals over time"));
        QVERIFY(whyEmpty("Active memory").isEmpty());
        bool offersBlocks = true;
        for (const QAbstractButton* const button : m_panel->pane(0)->findChildren<QAbstractButton*>()) {
            if (button->text() == "blocks") offersBlocks = button->isEnabled();
            if (button->text() == "Show allocator state") QVERIFY(!button->isVisible());
        }
        QVERIFY(!offersBlocks);
        QVERIFY(!m_panel->card()->text().contains("Never freed"));
        open({madeMemory({})});
        for (int row = 0; row < m_panel->views()->count(); ++row)
            QVERIFY(whyEmpty(m_panel->views()->item(row)->text()).isEmpty());
    }

    void cardShowsKnownValues()
    {
        open({recordedBy(MemoryRecorder::cudaDriver)});
        const QString driver = m_panel->card()->text();
        QVERIFY2(driver.contains("allocator segments, not tensors"), qPrintable(driver));
        QVERIFY2(driver.contains("Reserved memory is not recorded"), qPrintable(driver));
        QVERIFY2(!driver.contains("requested") && !driver.contains("of reserved"), qPrintable(driver));
        QVERIFY(m_panel->snapshots()->currentText().contains("allocated from the driver"));
        open({recordedBy(MemoryRecorder::torchProfiler)});
        QVERIFY(m_panel->card()->text().contains("known only as a sum"));
    }

    // All files of one process are offered, though the lane shows only the richest.
    void offersEveryRecording()
    {
        open({recordedBy(MemoryRecorder::cudaDriver), madeMemory({}),
              recordedBy(MemoryRecorder::torchProfiler)});
        QCOMPARE(m_panel->snapshots()->count(), 3);
        m_panel->snapshots()->setCurrentIndex(0);
        QVERIFY(!whyEmpty("Allocator state").isEmpty());
        m_panel->snapshots()->setCurrentIndex(1);
        QVERIFY(!m_panel->why()->isVisible());
    }
};

LOCKSTEP_TEST(RecordedMemoryPanelTest, "recorded_memory_panel_test")
#include "recorded_memory_panel_test.moc"
