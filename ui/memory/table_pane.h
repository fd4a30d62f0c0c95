// SPDX-License-Identifier: Apache-2.0
// TablePane is a memory view in the form of a table: allocations by stack (with the peak that would result
// without the selected stack), leak suspects, peaks by rank, settings, or a comparison of two points in time.
// Next to a table by stack, all frames of the current row's stack are listed. Workers compute the table. UI
// thread.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "core/analysis/memory_tables/stack_tables.h"
#include "ui/async/latest_job.h"
#include "ui/memory/memory_pane.h"

class QDoubleSpinBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;

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
    // For a table by stack, the stack of each row and the sources of the stacks.
    struct TableResult {
        TablePtr table;
        std::vector<RowStack> stacks = {};
        std::optional<MemorySource> source = {}, before = {};
    };
    using Work = std::function<Result<TableResult>(const Progress&)>;

    void makeStackList();
    void makeControls();
    Work work() const;
    Work leakWork() const;
    Work compareWork() const;
    Work rankWork() const;
    void compute();
    void take(Result<TableResult> made);
    void showStack(int row);
    void computePeakWithout(int row);

    const MemoryTableKind m_kind;
    const QString m_caption;
    TableModel* m_model;
    TableView* m_view;
    QHBoxLayout* m_rows; // the view and the list of frames
    QLabel* m_footer;
    QLineEdit* m_find = nullptr;
    QDoubleSpinBox* m_threshold = nullptr;
    std::array<MomentPicker*, 2> m_sides{};
    QPlainTextEdit* m_stack = nullptr;
    TableResult m_result;
    LatestJob<TableResult> m_job;
    LatestJob<MemoryPeak> m_without;
};

} // namespace lockstep
