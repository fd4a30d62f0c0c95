// SPDX-License-Identifier: Apache-2.0
// LedgerView: draws the cells of a ledger and, if they are too small for words, a legend of their symbols. A
// cell shows a symbol and a color for the state of its report, or of the report that most needs attention if
// it stands for several. It has no scroll bars: more ranks get smaller cells, see LedgerLayout. Arrow keys
// change the current cell, Space selects its reports, Enter activates it; the tooltip shows details. UI
// thread.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include <QWidget>

#include "ui/run/ledger_layout.h"
#include "ui/style/theme.h"

namespace lockstep {

class LedgerView : public QWidget {
    Q_OBJECT

  public:
    // Returns the time of the last change of a report (Unix epoch ns, clock of its host), if it is known.
    using TimeOf = std::function<std::optional<int64_t>(const LedgerEntry&)>;

    explicit LedgerView(QWidget* parent = nullptr);

    void setLedger(const Ledger& ledger);
    void setTimes(TimeOf timeOf) { m_timeOf = std::move(timeOf); }
    void setTheme(const Theme& theme);
    const std::set<size_t>& chosen() const { return m_chosen; }
    void setChosen(std::set<size_t> entries);
    std::optional<size_t> current() const { return m_current; }
    void setCurrent(std::optional<size_t> entry);
    // Returns the height of all rows and the legend in pixels.
    int contentHeight() const { return m_layout.height + m_legendHeight; }
    const LedgerLayout& cells() const { return m_layout; }
    // Returns the rectangle of the cell of an entry; a null rectangle if the ledger has no such entry.
    QRect rectOf(size_t entry) const;
    // Returns the entry at a position. If the cell stands for several reports, this is the one whose state it
    // shows.
    std::optional<size_t> entryAt(QPoint position) const;
    // Returns the details of the cell that contains the entry, one per line.
    QString textOf(size_t entry) const;

  signals:
    void currentChanged();
    void chosenChanged();
    void activated(size_t entry);
    void contentHeightChanged();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

  private:
    struct LegendItem {
        LedgerState state;
        bool isFailure = false; // stands for failed processes instead of the state
        QRect rect;
    };

    void placeCells();
    void placeLegend();
    void paintText(QPainter& painter, const LedgerText& text) const;
    void paintSign(QPainter& painter, const QRectF& rect, const LedgerEntry& entry) const;
    void paintTile(QPainter& painter, const LedgerTile& tile) const;
    void paintWords(QPainter& painter, const QRect& rect, const LedgerEntry& entry) const;
    void paintLegend(QPainter& painter) const;
    void setCurrentTile(size_t tile);
    void toggleChosen(const LedgerTile& tile);
    void moveBy(int tiles, int lines);

    Ledger m_ledger;
    LedgerGrid m_grid;
    LedgerLayout m_layout;
    std::vector<LegendItem> m_legend; // empty if the cells have words
    int m_legendHeight = 0;
    std::set<size_t> m_chosen;
    std::optional<size_t> m_current;
    TimeOf m_timeOf;
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
