// SPDX-License-Identifier: Apache-2.0
// FlameGraphPane: what is selected as a flame graph, under NVTX ranges or in its stacks, merged over lanes
// and ranks, with search, both directions and zoom. Tree, search and layout are made off the UI thread, and
// only while the pane can be seen. UI thread.
#pragma once

#include <memory>

#include <QWidget>

#include "core/analysis/area_flame.h"
#include "core/scene/scene.h"
#include "ui/async/latest_job.h"
#include "ui/charts/flame_view.h"

class QButtonGroup;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lockstep {

// All that is drawn.
struct AreaFlameChart : FlameChart {
    std::shared_ptr<const AreaFlame> flame;
    FlameHits hits; // of no text: none
    QString searched;
    bool isByCount = false;

    size_t frameCount() const override { return flame->frames.size(); }
    uint32_t parentOf(uint32_t node) const override { return flame->frames[node].parent; }
    uint32_t depthOf(uint32_t node) const override { return flame->frames[node].depth; }
    bool isTreeOf(const FlameChart& other) const override;
    QString textOf(const FlameBox& box) const override;
    QString sizeText(const FlameBox& box) const override;
    QColor colorOf(const FlameBox& box, const Theme& theme) const override;
    bool isFramed(const FlameBox& box) const override;
};

class FlameGraphPane : public QWidget {
    Q_OBJECT

  public:
    explicit FlameGraphPane(Workers workers, QWidget* parent = nullptr);
    ~FlameGraphPane() override;

    void setSelection(ScenePtr scene, AreaQuery query);
    void setTheme(const Theme& theme);
    bool isBusy() const { return m_job.isRunning(); }

    FlameView* view() const { return m_view; }
    const AreaFlameChart* chart() const { return static_cast<const AreaFlameChart*>(m_view->chart()); }
    QLineEdit* find() const { return m_find; }
    QButtonGroup* by() const { return m_by; }               // ranges, stack
    QButtonGroup* direction() const { return m_direction; } // top down, bottom up
    QButtonGroup* width() const { return m_width; }         // sum, count
    // "3 frames, 21.3 %", and what was left out.
    QString hitsText() const;
    QString noteText() const;

  private:
    using ChartPtr = std::shared_ptr<const AreaFlameChart>;

    void makeBar();
    // The tree again, or of the one that is shown only search and layout.
    void compute(bool isSameTree);
    void showChart(Result<ChartPtr> made);

    ScenePtr m_scene;
    AreaQuery m_query;
    QButtonGroup* m_by = nullptr;
    QButtonGroup* m_direction = nullptr;
    QButtonGroup* m_width = nullptr;
    QLabel* m_hits = nullptr;
    QLineEdit* m_find = nullptr;
    FlameView* m_view;
    QLabel* m_note;
    uint32_t m_focus = 0;
    bool m_isTreeStale = true;
    LatestJob<ChartPtr> m_job;
};

} // namespace lockstep
