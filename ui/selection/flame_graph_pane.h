// SPDX-License-Identifier: Apache-2.0
// FlameGraphPane shows the selection as a flame graph, by NVTX ranges or by stacks, merged across lanes and
// ranks. It supports search, zoom and both directions. Tree, search and layout are computed off the UI
// thread, and only while the pane is visible. UI thread.
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

// AreaFlameChart is the data from which the graph is drawn.
struct AreaFlameChart : FlameChart {
    std::shared_ptr<const AreaFlame> flame;
    FlameHits hits; // empty if there is no search text
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
    QButtonGroup* by() const { return m_by; }               // two buttons: ranges, stack
    QButtonGroup* direction() const { return m_direction; } // two buttons: top down, bottom up
    QButtonGroup* width() const { return m_width; }         // two buttons: sum, count
    // Returns the note on slices that the graph omits.
    QString noteText() const;

  private:
    using ChartPtr = std::shared_ptr<const AreaFlameChart>;

    void makeBar();
    // Recomputes the tree, or only the search and layout if the tree is unchanged.
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
