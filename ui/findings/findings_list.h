// SPDX-License-Identifier: Apache-2.0
// FindingsList shows findings as rows of 69 px at scale 1: severity, sentence, fix, small evidence bars and
// the cost. Only the bars of the reports that cause the finding are colored. A low list that cannot show all
// findings uses compact rows of 34 px, without the fix and the names of the bars. A delegate paints the rows.
// UI thread.
#pragma once

#include <memory>
#include <vector>

#include <QListView>

#include "core/analysis/training/findings.h"
#include "ui/style/theme.h"

namespace lockstep {

enum class FindingOrder : uint8_t { cost, severity, rule };

// Returns the indices in findings.found of the findings that contain every word of the text, ignoring case.
// The search covers the severity, rule, sentence, fix, advice and the labels of highlighted bars. The sort by
// `order` is stable.
std::vector<int> shownFindings(const RunFindings& findings, const QString& text, FindingOrder order);

class FindingsList : public QListView {
    Q_OBJECT

  public:
    explicit FindingsList(QWidget* parent = nullptr);

    // Keeps the selection if the new findings contain the rule of the selected finding. nullptr clears the
    // list.
    void setFindings(std::shared_ptr<const RunFindings> findings);
    void setTheme(const Theme& theme);
    // Filter and sort the list. The selected finding stays selected if it is still shown.
    void setFilter(const QString& text);
    void setOrder(FindingOrder order);
    int shownCount() const { return model()->rowCount(); }
    bool isCompact() const { return m_isCompact; }
    // Returns the index in found of the selected finding, or -1.
    int current() const;

  signals:
    void chosen(int finding);
    void activated(int finding); // Return, or a double click

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

  private:
    class Rows;
    class Painter;

    void refillList(int finding);
    void fitRows();

    std::shared_ptr<const RunFindings> m_findings;
    QString m_filter;
    FindingOrder m_order = FindingOrder::cost;
    bool m_isCompact = false;
    Rows* m_rows;
    Painter* m_painter;
};

// Paints the bars side by side on a base line, and, if hasThreshold is true, the threshold as a dashed line.
// Fills the whole rect.
void paintFindingBars(QPainter& painter, const QRect& rect, const RunFinding& finding, const Theme& theme,
                      bool hasThreshold);
// Returns "high", "medium" or "low" in the window's language.
QString severityWord(FindingSeverity severity);
QColor severityColor(FindingSeverity severity, const Theme& theme);
// Returns "4.1 ms/step", or "4.1 ms" for the whole range if no steps are known.
QString costText(const RunFindings& findings, int64_t cost_ns);

} // namespace lockstep
