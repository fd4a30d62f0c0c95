// SPDX-License-Identifier: Apache-2.0
// FindingsList: findings as rows of 69 px: severity, sentence and what to do, small bars of evidence of which
// only the guilty are coloured, and the cost. Painted by hand. UI thread.
#pragma once

#include <memory>
#include <vector>

#include <QListView>

#include "core/analysis/training/findings.h"
#include "ui/style/theme.h"

namespace lockstep {

enum class FindingOrder : uint8_t { cost, severity, rule };

// Findings that have every word of the text in their severity, rule, sentence, advice or a rank's label,
// without regard to case; in this order, equal ones as they are. Indices of found.
std::vector<int> shownFindings(const RunFindings& findings, const QString& text, FindingOrder order);

class FindingsList : public QListView {
    Q_OBJECT

  public:
    explicit FindingsList(QWidget* parent = nullptr);

    // Keeps the chosen finding where its rule is found again. nullptr for none.
    void setFindings(std::shared_ptr<const RunFindings> findings);
    void setTheme(const Theme& theme);
    // What is shown of them and how; the chosen one stays where it is still shown.
    void setFilter(const QString& text);
    void setOrder(FindingOrder order);
    int shownCount() const { return model()->rowCount(); }
    // Of found; -1 for none.
    int current() const;

  signals:
    void chosen(int finding);
    void activated(int finding); // Return, or a double click

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

  private:
    class Rows;
    class Painter;

    void showAgain(int finding);

    std::shared_ptr<const RunFindings> m_findings;
    QString m_filter;
    FindingOrder m_order = FindingOrder::cost;
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
