// SPDX-License-Identifier: Apache-2.0
// TablePane is a memory view in the form of a table: allocations by stack (with the peak that would result
// without the selected stack), leak suspects, peaks by rank, settings, or a comparison of two points in time.
// Workers compute the table. UI thread.
#pragma once

#include "core/analysis/memory_tables/stack_tables.h"
#include "ui/async/latest_job.h"
#include "ui/memory/memory_pane.h"

class QDoubleSpinBox;
class QLabel;
class QLineEdit;

namespace lockstep {

class MomentPicker;
class TableModel;
class TableView;

enum class MemoryTableKind : uint8_t { byStack, leaks, compare, ranks, settings };

class TablePane : public MemoryPane {
    Q_OBJECT

  public:
    TablePane(MemoryTableKind kind, const QString& name, const QString& caption, QWidget* parent = nullptr);
    ~TablePane() override;

    void setTheme(const Theme& theme) override;
    bool isBusy() const override { return m_job.isRunning() || m_without.isRunning(); }
    TableView* view() const { return m_view; }
    // Returns the displayed table, or nullptr if no table was computed yet.
    const Table* table() const;
    QString footText() const;
    QDoubleSpinBox* threshold() const { return m_threshold; } // only for the leak view
    // Returns the picker for the earlier or (isAfter) the later of the two compared points in time. Only for
    // the Compare view.
    MomentPicker* side(bool isAfter) const { return m_sides[isAfter]; }

  protected:
    void refresh() override;
    void factsArrived() override;

  private:
    using Work = std::function<Result<TablePtr>(const Progress&)>;

    void makeControls();
    Work work() const;
    Work leakWork() const;
    Work compareWork() const;
    Work rankWork() const;
    void compute();
    void take(Result<TablePtr> made);
    void computePeakWithout(int row);

    const MemoryTableKind m_kind;
    const QString m_caption;
    TableModel* m_model;
    TableView* m_view;
    QLabel* m_foot;
    QLineEdit* m_find = nullptr;
    QDoubleSpinBox* m_threshold = nullptr;
    std::array<MomentPicker*, 2> m_sides{};
    LatestJob<TablePtr> m_job;
    LatestJob<MemoryPeak> m_without;
};

} // namespace lockstep
