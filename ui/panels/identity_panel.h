// IdentityPanel: whose each report is, to be looked at and corrected, with the buttons that read and write it
// as a file. UI thread.
#pragma once

#include <QWidget>

#include "ui/models/report_identity_model.h"

class QLabel;
class QLineEdit;

namespace lockstep {

class IdentityView;

class IdentityPanel : public QWidget {
    Q_OBJECT

  public:
    explicit IdentityPanel(QWidget* parent = nullptr);

    void setEntries(const std::vector<ReportEntry>& entries);
    void setTheme(const Theme& theme);
    // What could not be done with the last edit or file, above the sheet; empty for nothing.
    void setMessage(const QString& text);
    QString message() const;
    IdentityView* view() const { return m_view; }
    ReportIdentityModel& model() { return *m_model; }

  signals:
    void editRequested(const std::vector<IdentityCell>& cells);
    void importRequested();
    void exportRequested();

  private:
    QWidget* makeBar();

    ReportIdentityModel* m_model;
    QLabel* m_hint;
    QLabel* m_count;
    QLabel* m_message;
    QWidget* m_bar = nullptr;
    IdentityView* m_view;
};

} // namespace lockstep
