// SPDX-License-Identifier: Apache-2.0
// LedgerView: the cells of a ledger, drawn where visible: a stripe and a sign for the state, its word and the
// size where they fit. Arrows move, Space chooses, Enter asks for the report; what the cell holds stands in
// its tooltip. UI thread.
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
    // Of all rows.
    int contentHeight() const;
    // In viewport coordinates; empty when it is not visible.
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
    // A line of the picture: a section's heading, or one of its rows.
    struct Line {
        size_t section = 0;
        std::optional<size_t> row;
    };

    void showScrollBars();
    int lineHeight() const;
    int labelWidth() const;
    int placeWidth(const LedgerGrid::Section& section) const;
    int columnLeft(const LedgerGrid::Section& section, size_t column) const;
    QRect cellRect(size_t line, size_t column, size_t place) const;
    void paintHeading(QPainter& painter, size_t line) const;
    void paintRow(QPainter& painter, size_t line) const;
    void paintCell(QPainter& painter, const QRect& rect, size_t entry) const;
    void move(int lines, int places);
    void reveal(size_t entry);
    struct Place {
        size_t line, place;
    };
    std::optional<Place> placeOf(size_t entry) const;
    std::vector<size_t> entriesOf(size_t line) const; // left to right

    Ledger m_ledger;
    LedgerGrid m_grid;
    std::vector<Line> m_lines;
    std::set<size_t> m_chosen;
    std::optional<size_t> m_current;
    const Theme* m_theme = &lightTheme();
};

// "rank 0 · node0", "controller · node0".
QString ledgerRowText(const LedgerGrid::Row& row, bool isWholeRun);

} // namespace lockstep
