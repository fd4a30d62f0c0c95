// SPDX-License-Identifier: Apache-2.0
// IdentityView: the sheet of identities: typing sets every selected cell of the column, Ctrl+V pastes a block
// of tab-separated cells, Delete takes back what was said. UI thread.
#pragma once

#include "ui/models/report_identity_model.h"
#include "ui/panels/table_view.h"

namespace lockstep {

class IdentityView : public TableView {
    Q_OBJECT

  public:
    // model outlives the view.
    explicit IdentityView(ReportIdentityModel& model, QWidget* parent = nullptr);

    // Sets the cell and, when it is selected, all selected cells of its column.
    void setFrom(const QModelIndex& cell, const QString& text);
    // From the first selected cell on, as far as there are rows and columns; one value fills the selection. A
    // first line of column names, as copying gives it, is passed over.
    void paste(const QString& text);
    void takeBack();
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
