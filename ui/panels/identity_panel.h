// SPDX-License-Identifier: Apache-2.0
// IdentityPanel shows the identity of each open report for review and editing, with buttons that import and
// export the identities as a file. UI thread.
#pragma once

#include "ui/models/report_identity_model.h"
#include "ui/window/panel.h"

class QLabel;
class QLineEdit;

namespace lockstep {

class IdentityView;
class ReportList;

class IdentityPanel : public Panel {
    Q_OBJECT

  public:
    // `list` must outlive the panel.
    explicit IdentityPanel(const ReportList& list, QWidget* parent = nullptr);

    void setTheme(const Theme& theme) override;
    // Shows a message above the table that explains why the last edit, import or export failed; an empty
    // string hides the message.
    void setMessage(const QString& text);
    QString message() const;
    IdentityView* view() const { return m_view; }
    ReportIdentityModel& model() { return *m_model; }

  signals:
    void editRequested(const std::vector<IdentityCell>& cells);
    void importRequested();
    void exportRequested();

  protected:
    void rebuild() override;

  private:
    QWidget* makeBar();

    const ReportList& m_list;
    ReportIdentityModel* m_model;
    QLabel* m_hint;
    QLabel* m_count;
    QLabel* m_message;
    QWidget* m_bar = nullptr;
    IdentityView* m_view;
};

} // namespace lockstep
