// SPDX-License-Identifier: Apache-2.0
// IdentityView is the table of report identities. Typed text is entered into all selected cells of the
// column, Ctrl+V pastes a block of tab-separated cells, and Delete reverts edits. UI thread.
#pragma once

#include "ui/models/report_identity_model.h"
#include "ui/panels/table_view.h"

namespace lockstep {

class IdentityView : public TableView {
    Q_OBJECT

  public:
    // `model` must outlive the view.
    explicit IdentityView(ReportIdentityModel& model, QWidget* parent = nullptr);

    // Sets the cell and, if the cell is selected, all selected cells in its column.
    void setFrom(const QModelIndex& cell, const QString& text);
    // Pastes starting at the first selected cell and ignores values beyond the last row or column. A single
    // value fills the selection. Skips a header line of column names like the one that Copy produces.
    void paste(const QString& text);
    void rollBack();
    const ReportIdentityModel& identities() const { return m_model; }

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    using Cells = std::vector<std::pair<QModelIndex, QString>>;

    QModelIndex inModel(const QModelIndex& shown) const;
    QModelIndexList selectedInOrder() const;

    ReportIdentityModel& m_model;
};

} // namespace lockstep
