// SPDX-License-Identifier: Apache-2.0
// StatusLine shows the alignment method and its error, the time under the cursor, the length of the
// selection, the sums of selected cells, and the number of reports with their memory use. UI thread.
#pragma once

#include <optional>

#include <QStatusBar>

#include "core/base/workers.h"
#include "core/scene/scene.h"
#include "ui/style/theme.h"

class QLabel;

namespace lockstep {

class SelectionTotals;
class ViewState;
class WorkspaceController;

// Returns how the clocks are aligned, such as "wall clock, error unknown" or "wall clock ± 4.1 µs (2 of 8
// reports not aligned)".
QString basisText(const Scene& scene);

class StatusLine : public QStatusBar {
    Q_OBJECT

  public:
    // `reports` and `view` outlive the status line.
    StatusLine(const WorkspaceController& reports, const ViewState& view, Workers workers,
               QWidget* parent = nullptr);
    // Returns true while the totals of area selections are being computed.
    bool isBusy() const;
    QString selectionText() const;

    void setTheme(const Theme& theme);
    void setSummary(const QString& text);

  private:
    void applyScene();
    void showReports();
    // Returns rich text such as "Clocks <b>wall clock</b>" in the theme's colors.
    QString rich(const QString& name, const QString& value) const;
    void showAll();

    const WorkspaceController& m_workspace;
    const ViewState& m_view;
    SelectionTotals* m_totals;
    const Theme* m_theme = &lightTheme();
    QString m_basisText;
    QLabel* m_basis;
    QLabel* m_hover;
    QLabel* m_selection;
    QLabel* m_summary;
    QLabel* m_reports;
};

} // namespace lockstep
