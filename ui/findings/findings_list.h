// SPDX-License-Identifier: Apache-2.0
// FindingsList: findings as rows of 69 px: severity, sentence and what to do, small bars of evidence of which
// only the guilty are coloured, and the cost. Painted by hand. UI thread.
#pragma once

#include <memory>

#include <QListView>

#include "core/analysis/training/findings.h"
#include "ui/style/theme.h"

namespace lockstep {

class FindingsList : public QListView {
    Q_OBJECT

  public:
    explicit FindingsList(QWidget* parent = nullptr);

    // Keeps the chosen finding where its rule is found again. nullptr for none.
    void setFindings(std::shared_ptr<const RunFindings> findings);
    void setTheme(const Theme& theme);
    // -1 for none.
    int current() const { return currentIndex().isValid() ? currentIndex().row() : -1; }

  signals:
    void chosen(int finding);
    void activated(int finding); // Return, or a double click

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

  private:
    class Rows;
    class Painter;

    std::shared_ptr<const RunFindings> m_findings;
    Rows* m_rows;
    Painter* m_painter;
};

// Bars side by side, one line below them; the threshold as a dashed line where it is asked for. The whole
// rect is used.
void paintFindingBars(QPainter& painter, const QRect& rect, const RunFinding& finding, const Theme& theme,
                      bool hasThreshold);
// "high" and the like, in the window's language.
QString severityWord(FindingSeverity severity);
QColor severityColor(FindingSeverity severity, const Theme& theme);
// "4.1 ms a step", or "4.1 ms" of the whole range where no steps are known.
QString costText(const RunFindings& findings, int64_t cost_ns);

} // namespace lockstep
