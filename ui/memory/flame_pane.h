// SPDX-License-Identifier: Apache-2.0
// FlamePane shows live memory at one point in time as a flame graph by stack, with search, zoom and both
// directions. For the selected frame, it shows the peak that would result without that frame's memory.
// Workers compute the tree, the layout and that peak. UI thread.
#pragma once

#include "ui/async/latest_job.h"
#include "ui/memory/flame_view.h"
#include "ui/memory/memory_pane.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace lockstep {

class FlamePane : public MemoryPane {
    Q_OBJECT

  public:
    explicit FlamePane(QWidget* parent = nullptr);
    ~FlamePane() override;

    void setTheme(const Theme& theme) override;
    bool isBusy() const override { return m_job.isRunning() || m_without.isRunning(); }
    MemoryFlameView* view() const { return m_view; }
    QLineEdit* find() const { return m_find; }
    QButtonGroup* at() const { return m_at; } // peak, cursor, OOM, end
    // Returns the lines below the graph: the selected frame and its memory.
    QString footText() const;

  protected:
    void refresh() override;
    void factsArrived() override;
    void pointedChanged(bool hasMoved) override;

  private:
    struct Request;

    QWidget* makeFooter();
    MemoryMoment moment() const;
    void offerCursor();
    // Computes the tree and its layout. If isSameTree is true, computes only the layout of the current tree.
    void compute(bool isSameTree);
    void showChosen(uint32_t node);
    void showLegend();
    void computePeakWithout(uint32_t node);

    QButtonGroup* m_at;
    QButtonGroup* m_width;
    QButtonGroup* m_order;
    QPushButton* m_allFrames;
    QLineEdit* m_find;
    MemoryFlameView* m_view;
    QLabel* m_hint;
    QLabel* m_name;
    QLabel* m_usage;
    QLabel* m_legend;
    QPushButton* m_zoomOut;
    QPushButton* m_timeline;
    uint32_t m_focus = 0;
    LatestJob<std::shared_ptr<const FlamePicture>> m_job;
    LatestJob<MemoryPeak> m_without;
};

} // namespace lockstep
