// SPDX-License-Identifier: Apache-2.0
// StatusLine: what the bottom line of the window says: how the clocks were aligned and how well, the time
// under the cursor, the selection's length, sums of selected cells, and how many reports take how much
// memory. UI thread.
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

// "wall clock, no bound can be stated", "wall clock ±4.1 µs (2 of 8 not placed)": the basis of comparing
// times.
QString basisText(const Scene& scene);

class StatusLine : public QStatusBar {
    Q_OBJECT

  public:
    // Follows both, which outlive it.
    StatusLine(const WorkspaceController& reports, const ViewState& view, Workers workers,
               QWidget* parent = nullptr);
    // The areas' sums are being counted.
    bool isBusy() const;
    QString selectionText() const;

    void setTheme(const Theme& theme);
    void setSummary(const QString& text);

  private:
    void takeScene();
    void showReports();
    // "Basis **wall clock**" in the theme's colours.
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
