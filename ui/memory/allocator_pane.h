// SPDX-License-Identifier: Apache-2.0
// AllocatorPane: what is in each segment of the allocator at one moment of its history, which a scrubber
// chooses. The state of a moment is worked out off the UI thread, the newest moment first. UI thread.
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
    bool tellsBlocks() const override { return true; }
    const AllocatorState* shownState() const override;
    // Of the state that is shown; hidden where there is no room for it.
    TableView* largest() const { return m_largest; }

    AllocatorMap* map() const { return m_map; }
    QComboBox* pools() const { return m_pool; }
    QButtonGroup* coloring() const { return m_color; }
    QLineEdit* find() const { return m_find; }
    QString legendText() const;
    Scrubber* scrubber() const { return m_scrubber; }
    // "12.3 ms, entry 412 of 9 031" and what is active, requested and reserved then.
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
    QWidget* makeFoot();
    void makeLargest();
    void selectLargest();
    void fitLargest();              // as high as its rows
    void goTo(MemoryMoment moment); // as the user does
    bool isOfSource() const;        // whether the scrubber's moment is one of the current source
    void computeState();
    void computeSilhouette();
    void tellMoment();
    void tellRows();

    QComboBox* m_pool = nullptr;
    QButtonGroup *m_order = nullptr, *m_color = nullptr;
    QLineEdit* m_find = nullptr;
    AllocatorMap* m_map;
    Scrubber* m_scrubber;
    TableModel* m_largestModel;
    TableView* m_largest;
    QLabel *m_rows = nullptr, *m_legend = nullptr, *m_levels = nullptr;
    QWidget *m_legendLine = nullptr, *m_foot = nullptr;
    QLabel* m_head = nullptr;
    QLabel* m_time = nullptr;
    QLabel* m_entry = nullptr;
    std::shared_ptr<const ReportMemory> m_shown; // whose moment the scrubber is at
    size_t m_shownDevice = 0;
    LatestJob<std::shared_ptr<const AllocatorPicture>> m_job;
    LatestJob<std::shared_ptr<const AreaPicture>> m_silhouette;
};

} // namespace lockstep
