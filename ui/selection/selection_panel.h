// SPDX-License-Identifier: Apache-2.0
// SelectionPanel summarizes the selected areas and slices: a table of totals per group at the left, a flame
// graph above a histogram of durations at the right. The data is recomputed off the UI thread whenever the
// selection changes, but only while the panel is visible. UI thread.
#pragma once

#include <memory>

#include "core/analysis/area_aggregate.h"
#include "core/analysis/duration_histogram.h"
#include "ui/async/latest_job.h"
#include "ui/window/computed_panel.h"

class QButtonGroup;
class QLabel;
class QPushButton;

namespace lockstep {

class AreaDelegate;
class ChartedTable;
class FlameGraphPane;
class HistogramView;
class ViewState;

struct AreaTotals {
    std::shared_ptr<const AreaAggregate> aggregate;
    std::shared_ptr<const Table> table;
};

class SelectionPanel : public ComputedPanel<AreaTotals> {
    Q_OBJECT

  public:
    // The panel follows the selection of `view`; choosing histogram bars selects their slices. `view` must
    // outlive the panel.
    SelectionPanel(ViewState& view, Workers workers, QWidget* parent = nullptr);
    ~SelectionPanel() override;

    void setTheme(const Theme& theme) override;
    bool isBusy() const override;
    bool followsSelection() const override { return true; }

    ChartedTable* pane() const { return m_pane; }
    QButtonGroup* grouping() const { return m_grouping; }
    HistogramView* histogram() const { return m_histogram; }
    FlameGraphPane* flame() const { return m_flame; }
    // Returns the data on screen, or nullptr if nothing is selected.
    const AreaAggregate* aggregate() const { return m_made ? m_made->aggregate.get() : nullptr; }
    QString footText() const;
    QString durationsText() const;

  protected:
    void compute() override;
    void take(Result<AreaTotals> made) override;

  private:
    QWidget* makeLeft();
    QWidget* makeRight();
    AreaQuery query() const;
    AreaGroup group() const;
    void showFooter();
    // Starts computing the durations of the current row's group, or of all slices.
    void computeDurations();
    void showDurations(Result<DurationHistogram> made);
    void pickBars(int first, int last);
    std::optional<std::string> chosenGroup() const;

    ViewState& m_view;
    const Theme* m_theme = &lightTheme();
    QButtonGroup* m_grouping = nullptr;
    QPushButton* m_clip = nullptr;
    QLabel* m_lengthLabel = nullptr;
    QLabel* m_footer = nullptr;
    ChartedTable* m_pane = nullptr;
    AreaDelegate* m_delegate = nullptr;
    QLabel* m_durationsOf = nullptr;
    QLabel* m_durations = nullptr;
    HistogramView* m_histogram = nullptr;
    FlameGraphPane* m_flame = nullptr;
    QWidget* m_right = nullptr;
    ScenePtr m_requestedScene; // scene that the table was computed from
    AreaQuery m_query;
    std::optional<AreaTotals> m_made;
    LatestJob<DurationHistogram> m_durationsJob;
    LatestJob<SliceList> m_pickJob;
};

} // namespace lockstep
