// SPDX-License-Identifier: Apache-2.0
// KernelPanel: cuda_gpu_kern_sum over what is seen, selected or everything, in total or per rank, with a
// chart of the largest beside it. Recomputed off the UI thread when its range changes; only while it is on
// screen. UI thread.
#pragma once

#include <memory>

#include <QTimer>

#include "core/analysis/scope.h"
#include "core/analysis/table.h"
#include "ui/async/latest_job.h"
#include "ui/window/panel.h"

class QButtonGroup;
class QLabel;
class QPushButton;

namespace lockstep {

class ChartedTable;
class KernelChart;
class TableView;
class ViewState;

class KernelPanel : public Panel {
    Q_OBJECT

  public:
    // Sums what the view's scope says, which its buttons choose; a row that is activated is revealed there.
    // view outlives the panel.
    KernelPanel(ViewState& view, Workers workers, QWidget* parent = nullptr);
    ~KernelPanel() override;

    void setPerRank(bool isPerRank);
    void setFullNames(bool isFull);
    // Everywhere, by its base name: found in the table once that is made.
    void showKernel(const std::string& baseName);
    // Whether what the range cuts is in Avg, Med, Min, Max and StdDev.
    QPushButton* cutSwitch() const { return m_cutSwitch; }
    QString footText() const;
    void setTheme(const Theme& theme) override;
    bool isBusy() const override { return m_job.isRunning() || m_soon.isActive(); }

    ChartedTable* pane() const { return m_pane; }
    TableView* view() const;
    KernelChart* chart() const { return m_chart; }
    // What the table on screen says; nullptr before the first one.
    const Table* table() const;

  signals:
    // A new table is on screen.
    void tableChanged();

  protected:
    // The table stays until the new one is there: its rows name slices by keys that last.
    void rebuild() override;

  private:
    QWidget* makeBar();
    QWidget* makeFoot();
    void tellCut();
    void findAsked();
    bool hasKernels() const;
    QString emptyText(const Table& made) const;
    void compute();
    void take(Result<std::shared_ptr<const Table>> outcome);
    // hint: stands in place of a table without rows.
    void showTable(const std::shared_ptr<const Table>& made, const QString& hint);

    ViewState& m_viewState;
    QButtonGroup* m_grouping = nullptr;
    QButtonGroup* m_names = nullptr;
    KernelChart* m_chart;
    ChartedTable* m_pane;
    QWidget* m_footBar = nullptr;
    QLabel* m_foot = nullptr;
    QPushButton* m_cutSwitch = nullptr;
    QString m_askedKernel; // is gone to in the next table that has it
    ScenePtr m_askedScene; // what the table is made of, or the one that is being made
    Scope m_askedScope;
    QTimer m_soon;
    LatestJob<std::shared_ptr<const Table>> m_job;
};

} // namespace lockstep
