// SPDX-License-Identifier: Apache-2.0
// AllocatorPane shows the allocator's segments at a point in the history, which the user selects with a
// scrubber. A worker computes each state; a newer request replaces an older one. UI thread.
#pragma once

#include "ui/async/latest_job.h"
#include "ui/memory/allocator_map.h"
#include "ui/memory/area_view.h"
#include "ui/memory/memory_pane.h"

class QComboBox;
class QLabel;
class QLineEdit;

namespace lockstep {

class Scrubber;
class TableModel;
class TableView;

class AllocatorPane : public MemoryPane {
    Q_OBJECT

  public:
    explicit AllocatorPane(QWidget* parent = nullptr);
    ~AllocatorPane() override;

    void setTheme(const Theme& theme) override;
    bool isBusy() const override { return m_job.isRunning() || m_silhouette.isRunning(); }
    void showMoment(MemoryMoment moment) override;
    bool showsBlocks() const override { return true; }
    const AllocatorState* shownState() const override;
    // Returns the table of the largest blocks, which is hidden if the pane is too low for it.
    TableView* largest() const { return m_largest; }

    AllocatorMap* map() const { return m_map; }
    QComboBox* pools() const { return m_pool; }
    QLineEdit* find() const { return m_find; }
    // Returns "12.3 ms, entry 412 of 9 031", followed by the active, requested and reserved bytes at that
    // time.
    QString momentText() const;

  signals:
    void stateShown();

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void refresh() override;
    void factsArrived() override;
    void pointedChanged(bool hasMoved) override;

  private:
    void makeControls();
    void makeLegend();
    QWidget* makeFooter();
    void makeLargest();
    void selectLargest();
    void fitLargest();              // fits the table's height to its rows
    void goTo(MemoryMoment moment); // moves the cursor as if the user had moved it
    bool isOfSource() const;        // true if the scrubber's position belongs to the current source
    void computeState();
    void computeSilhouette();
    void showMomentText();
    void showRowCounts();

    QComboBox* m_pool = nullptr;
    QButtonGroup *m_order = nullptr, *m_color = nullptr;
    QLineEdit* m_find = nullptr;
    AllocatorMap* m_map;
    Scrubber* m_scrubber;
    TableModel* m_largestModel;
    TableView* m_largest;
    QLabel *m_rows = nullptr, *m_legend = nullptr, *m_levels = nullptr;
    QWidget *m_legendLine = nullptr, *m_footer = nullptr;
    QLabel* m_header = nullptr;
    QLabel* m_time = nullptr;
    QLabel* m_entry = nullptr;
    std::shared_ptr<const ReportMemory> m_shown; // recording to which the scrubber's position belongs
    size_t m_shownDevice = 0;
    LatestJob<std::shared_ptr<const AllocatorPicture>> m_job;
    LatestJob<std::shared_ptr<const AreaPicture>> m_silhouette;
};

} // namespace lockstep
