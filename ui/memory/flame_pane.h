// SPDX-License-Identifier: Apache-2.0
// FlamePane: the flame graph of the live memory of a moment by stack, with search, both directions, zoom, and
// what the peak would be without a frame. The tree, its layout and the what-if are computed off the UI
// thread. UI thread.
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
    // The lines below the graph: what is chosen, and what it holds.
    QString footText() const;

  protected:
    void refresh() override;
    void factsArrived() override;
    void pointedChanged(bool hasMoved) override;

  private:
    struct Request;

    QWidget* makeFoot();
    MemoryMoment moment() const;
    void offerCursor();
    // The tree again, or of the tree that is shown only the layout.
    void compute(bool isSameTree);
    void showChosen(uint32_t node);
    void tellLegend();
    void askWithout(uint32_t node);

    QButtonGroup* m_at;
    QButtonGroup* m_width;
    QButtonGroup* m_order;
    QPushButton* m_allFrames;
    QLineEdit* m_find;
    MemoryFlameView* m_view;
    QLabel* m_hint;
    QLabel* m_name;
    QLabel* m_holds;
    QLabel* m_legend;
    QPushButton* m_zoomOut;
    QPushButton* m_timeline;
    uint32_t m_focus = 0;
    LatestJob<std::shared_ptr<const FlamePicture>> m_job;
    LatestJob<MemoryPeak> m_without;
};

} // namespace lockstep
