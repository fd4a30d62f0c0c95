// SPDX-License-Identifier: Apache-2.0
// KernelPanel shows cuda_gpu_kern_sum for the visible range, the selected range or everything, in total or
// per rank, with a chart of the largest kernels. The table is recomputed off the UI thread when the range
// changes, but only while the panel is on screen. UI thread.
#pragma once

#include <memory>

#include "core/analysis/scope.h"
#include "core/analysis/table.h"
#include "ui/async/latest_job.h"
#include "ui/window/computed_panel.h"

class QButtonGroup;
class QLabel;
class QPushButton;

namespace lockstep {

class ChartedTable;
class KernelChart;
class TableView;
class ViewState;

class KernelPanel : public ComputedPanel<std::shared_ptr<const Table>> {
    Q_OBJECT

  public:
    // The table covers the scope set in `view`, which the panel's buttons can change. Activating a row
    // reveals the row's longest slice in `view`. `view` must outlive the panel.
    KernelPanel(ViewState& view, Workers workers, QWidget* parent = nullptr);
    ~KernelPanel() override;

    void setPerRank(bool isPerRank);
    void setFullNames(bool isFull);
    // Shows base names for the whole workspace, and selects this kernel once the table contains it.
    void showKernel(const std::string& baseName);
    QString footText() const;
    void setTheme(const Theme& theme) override;

    ChartedTable* pane() const { return m_pane; }
    TableView* view() const;
    KernelChart* chart() const { return m_chart; }
    // Returns the table on screen, or nullptr if no table was computed yet.
    const Table* table() const;

  signals:
    // Emitted when a new table is on screen.
    void tableChanged();

  protected:
    // Keeps the old table until the new one is ready. This is safe because rows refer to slices by stable
    // keys.
    void compute() override;
    void take(Result<std::shared_ptr<const Table>> outcome) override;

  private:
    QWidget* makeBar();
    QWidget* makeFooter();
    void showClippedCount();
    void selectRequestedKernel();
    bool hasKernels() const;
    QString chartTitle() const;
    QString emptyText(const Table& made) const;
    // hint: message that is shown in place of a table without rows.
    void showTable(const std::shared_ptr<const Table>& made, const QString& hint);

    ViewState& m_viewState;
    QButtonGroup* m_grouping = nullptr;
    QButtonGroup* m_names = nullptr;
    KernelChart* m_chart;
    ChartedTable* m_pane;
    QWidget* m_footerBar = nullptr;
    QLabel* m_footer = nullptr;
    QPushButton* m_cutSwitch = nullptr;
    QString m_requestedKernel; // kernel to select in the next table that contains it
    ScenePtr m_requestedScene; // scene of the running job, otherwise of the table on screen
    Scope m_requestedScope;
    GroupBy m_shownBy = GroupBy::total; // of the table on screen
};

} // namespace lockstep
