// SPDX-License-Identifier: Apache-2.0
// LedgerView: draws the visible cells of a ledger. A cell shows a stripe and a symbol for the state and, if
// there is room, the name of the state and the size. Arrow keys change the current cell, Space selects the
// report, Enter activates it; the tooltip shows details. UI thread.
#pragma once

#include <optional>
#include <set>

#include <QAbstractScrollArea>

#include "ui/run/ledger_grid.h"
#include "ui/style/theme.h"

namespace lockstep {

class LedgerView : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit LedgerView(QWidget* parent = nullptr);

    void setLedger(const Ledger& ledger);
    void setTheme(const Theme& theme);
    const std::set<size_t>& chosen() const { return m_chosen; }
    void setChosen(std::set<size_t> entries);
    std::optional<size_t> current() const { return m_current; }
    void setCurrent(std::optional<size_t> entry);
    // Returns the height of all rows in pixels.
    int contentHeight() const;
    // Returns the rectangle of an entry's cell in viewport coordinates; a null rectangle if the ledger has no
    // such entry.
    QRect rectOf(size_t entry) const;
    std::optional<size_t> entryAt(QPoint position) const;

  signals:
    void currentChanged();
    void chosenChanged();
    void activated(size_t entry);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

  private:
    // Line is one line of the grid: a row, or the heading of a section. A heading has no row.
    struct Line {
        size_t section = 0;
        std::optional<size_t> row;
    };

    void showScrollBars();
    int lineHeight() const;
    int labelWidth() const;
    int slotWidth(const LedgerGrid::Section& section) const;
    int columnLeft(const LedgerGrid::Section& section, size_t column) const;
    QRect cellRect(size_t line, size_t column, size_t slot) const;
    void paintHeading(QPainter& painter, size_t line) const;
    void paintRow(QPainter& painter, size_t line) const;
    void paintCell(QPainter& painter, const QRect& rect, size_t entry) const;
    void move(int lines, int steps);
    void reveal(size_t entry);
    struct Position {
        size_t line, slot;
    };
    std::optional<Position> positionOf(size_t entry) const;
    std::vector<size_t> entriesOf(size_t line) const; // from left to right

    Ledger m_ledger;
    LedgerGrid m_grid;
    std::vector<Line> m_lines;
    std::set<size_t> m_chosen;
    std::optional<size_t> m_current;
    const Theme* m_theme = &lightTheme();
};

// Returns the label of a row: "rank 0 · node0", "controller · node0".
QString ledgerRowText(const LedgerGrid::Row& row, bool isWholeRun);

} // namespace lockstep
