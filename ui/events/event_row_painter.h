// SPDX-License-Identifier: Apache-2.0
// EventRowPainter extends the default painting of table cells: it tints search matches in names, and can draw
// a square in the category's color instead of the row number. Part of EventTable. UI thread.
#pragma once

#include <utility>
#include <vector>

#include <QPainter>
#include <QStyleOptionViewItem>

#include "core/search/event_query.h"
#include "ui/events/event_model.h"
#include "ui/style/theme.h"

namespace lockstep {

class TableCellDelegate;

class EventRowPainter {
  public:
    // model and cells must outlive the painter.
    EventRowPainter(const EventModel& model, const TableCellDelegate& cells) : m_model(model), m_cells(cells)
    {
    }

    void setTheme(const Theme& theme) { m_theme = &theme; }
    void setMatched(std::vector<TextMatcher> texts) { m_matched = std::move(texts); }
    void setSwatches(bool areShown) { m_areSwatchesShown = areShown; }
    const Theme& theme() const { return *m_theme; }

    // Paints one cell. option: rectangle, font and whether the cell is selected.
    void paint(QPainter& painter, const QStyleOptionViewItem& option, int row, EventColumn column) const;

  private:
    void paintSwatch(QPainter& painter, const QRect& cell, int row) const;
    void paintMatches(QPainter& painter, const QStyleOptionViewItem& option, int row) const;

    const EventModel& m_model;
    const TableCellDelegate& m_cells;
    const Theme* m_theme = &lightTheme();
    std::vector<TextMatcher> m_matched;
    bool m_areSwatchesShown = false;
};

// Returns where the characters [from, to) of `whole` are in `shown`, its elided form. Characters that were
// left out are at the ellipsis.
std::pair<qsizetype, qsizetype> shownPart(const QString& whole, const QString& shown, qsizetype from,
                                          qsizetype to);

} // namespace lockstep
