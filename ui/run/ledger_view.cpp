// SPDX-License-Identifier: Apache-2.0
#include "ui/run/ledger_view.h"

#include <algorithm>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QScrollBar>
#include <QToolTip>

#include "ui/run/run_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

LedgerView::LedgerView(QWidget* parent) : QAbstractScrollArea(parent)
{
    setFrameShape(NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Collection status of the reports"));
    viewport()->setMouseTracking(true);
}

void LedgerView::setLedger(const Ledger& ledger)
{
    m_ledger = ledger;
    m_grid = ledgerGrid(ledger);
    m_lines.clear();
    for (size_t section = 0; section < m_grid.sections.size(); ++section) {
        if (!m_grid.sections[section].isWholeRun()) m_lines.push_back({section, std::nullopt});
        for (size_t row = 0; row < m_grid.sections[section].rows.size(); ++row)
            m_lines.push_back({section, row});
    }
    const size_t count = ledger.entries().size();
    if (m_current && *m_current >= count) m_current.reset();
    std::erase_if(m_chosen, [count](size_t entry) { return entry >= count; });
    showScrollBars();
    emit currentChanged(); // emitted because details of the current entry may have changed
}

void LedgerView::setTheme(const Theme& theme)
{
    m_theme = &theme;
    viewport()->update();
}

void LedgerView::setChosen(std::set<size_t> entries)
{
    m_chosen = std::move(entries);
    viewport()->update();
    emit chosenChanged();
}

void LedgerView::setCurrent(std::optional<size_t> entry)
{
    m_current = entry;
    if (entry) {
        reveal(*entry);
        setAccessibleDescription(ledgerEntryText(m_ledger.entries()[*entry]));
    }
    viewport()->update();
    emit currentChanged();
}

int LedgerView::lineHeight() const
{
    return scaledPixels(29);
}

int LedgerView::labelWidth() const
{
    int widest = scaledPixels(96);
    for (const LedgerGrid::Section& section : m_grid.sections) {
        for (size_t row = 0; row < std::min<size_t>(section.rows.size(), 64); ++row)
            widest = std::max(widest, fontMetrics().horizontalAdvance(
                                          ledgerRowText(section.rows[row], section.isWholeRun())) +
                                          scaledPixels(20));
    }
    return std::min(widest, viewport()->width() * 2 / 5);
}

int LedgerView::slotWidth(const LedgerGrid::Section& section) const
{
    const int room = viewport()->width() - labelWidth();
    const int slotCount = std::max(1, static_cast<int>(section.slotCount()));
    if (section.isWholeRun() && slotCount == 1) return room;
    return std::max(room / slotCount, scaledPixels(20));
}

int LedgerView::columnLeft(const LedgerGrid::Section& section, size_t column) const
{
    size_t slotCount = 0;
    for (size_t i = 0; i < column; ++i)
        slotCount += section.columns[i].slotCount;
    return labelWidth() + static_cast<int>(slotCount) * slotWidth(section) - horizontalScrollBar()->value();
}

int LedgerView::contentHeight() const
{
    return static_cast<int>(m_lines.size()) * lineHeight();
}

void LedgerView::showScrollBars()
{
    int widest = 0;
    for (const LedgerGrid::Section& section : m_grid.sections)
        widest = std::max(widest, labelWidth() + static_cast<int>(section.slotCount()) * slotWidth(section));
    horizontalScrollBar()->setRange(0, std::max(0, widest - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(scaledPixels(40));
    verticalScrollBar()->setRange(0, std::max(0, contentHeight() - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(lineHeight());
    viewport()->update();
}

QRect LedgerView::cellRect(size_t line, size_t column, size_t slot) const
{
    const LedgerGrid::Section& section = m_grid.sections[m_lines[line].section];
    const int width = slotWidth(section);
    const int top = static_cast<int>(line) * lineHeight() - verticalScrollBar()->value();
    const int gap = scaledPixels(width > scaledPixels(60) ? 5 : 2);
    return {columnLeft(section, column) + static_cast<int>(slot) * width, top + scaledPixels(4), width - gap,
            lineHeight() - scaledPixels(8)};
}

std::vector<size_t> LedgerView::entriesOf(size_t line) const
{
    std::vector<size_t> entries;
    if (!m_lines[line].row) return entries;
    for (const std::vector<size_t>& cell :
         m_grid.sections[m_lines[line].section].rows[*m_lines[line].row].cells)
        entries.insert(entries.end(), cell.begin(), cell.end());
    return entries;
}

std::optional<LedgerView::Position> LedgerView::positionOf(size_t entry) const
{
    for (size_t line = 0; line < m_lines.size(); ++line) {
        const std::vector<size_t> entries = entriesOf(line);
        const auto found = std::ranges::find(entries, entry);
        if (found != entries.end()) return Position{line, static_cast<size_t>(found - entries.begin())};
    }
    return std::nullopt;
}

QRect LedgerView::rectOf(size_t entry) const
{
    for (size_t line = 0; line < m_lines.size(); ++line) {
        if (!m_lines[line].row) continue;
        const LedgerGrid::Row& row = m_grid.sections[m_lines[line].section].rows[*m_lines[line].row];
        for (size_t column = 0; column < row.cells.size(); ++column) {
            const auto found = std::ranges::find(row.cells[column], entry);
            if (found != row.cells[column].end())
                return cellRect(line, column, static_cast<size_t>(found - row.cells[column].begin()));
        }
    }
    return {};
}

std::optional<size_t> LedgerView::entryAt(QPoint position) const
{
    const int y = position.y() + verticalScrollBar()->value();
    if (y < 0 || y / lineHeight() >= static_cast<int>(m_lines.size())) return std::nullopt;
    const auto line = static_cast<size_t>(y / lineHeight());
    if (!m_lines[line].row) return std::nullopt;
    const LedgerGrid::Row& row = m_grid.sections[m_lines[line].section].rows[*m_lines[line].row];
    for (size_t column = 0; column < row.cells.size(); ++column) {
        for (size_t slot = 0; slot < row.cells[column].size(); ++slot) {
            const QRect rect = cellRect(line, column, slot);
            if (position.x() >= rect.left() && position.x() <= rect.right()) return row.cells[column][slot];
        }
    }
    return std::nullopt;
}

void LedgerView::reveal(size_t entry)
{
    const QRect rect = rectOf(entry);
    if (rect.isNull()) return;
    const auto bring = [](QScrollBar* bar, int low, int high, int room) {
        if (low < 0) bar->setValue(bar->value() + low);
        if (high > room) bar->setValue(bar->value() + high - room);
    };
    bring(verticalScrollBar(), rect.top() - scaledPixels(4), rect.bottom() + scaledPixels(4),
          viewport()->height());
    bring(horizontalScrollBar(), rect.left() - labelWidth(), rect.right(), viewport()->width());
}

void LedgerView::move(int lines, int steps)
{
    const auto at = m_current ? positionOf(*m_current) : std::nullopt;
    if (!at) {
        for (size_t line = 0; line < m_lines.size(); ++line) {
            const std::vector<size_t> entries = entriesOf(line);
            if (!entries.empty()) return setCurrent(entries.front());
        }
        return;
    }
    if (steps != 0) {
        const std::vector<size_t> entries = entriesOf(at->line);
        const auto to =
            std::clamp(static_cast<int>(at->slot) + steps, 0, static_cast<int>(entries.size()) - 1);
        return setCurrent(entries[static_cast<size_t>(to)]);
    }
    const int step = lines > 0 ? 1 : -1;
    int left = std::abs(lines);
    std::optional<size_t> found;
    for (int line = static_cast<int>(at->line) + step; line >= 0 && line < static_cast<int>(m_lines.size());
         line += step) {
        const std::vector<size_t> entries = entriesOf(static_cast<size_t>(line));
        if (entries.empty()) continue;
        found = entries[std::min(at->slot, entries.size() - 1)];
        if (--left == 0) break;
    }
    if (found) setCurrent(*found);
}

void LedgerView::keyPressEvent(QKeyEvent* event)
{
    const int page = std::max(1, viewport()->height() / lineHeight() - 1);
    if (event->matches(QKeySequence::SelectAll)) {
        std::set<size_t> all;
        for (size_t i = 0; i < m_ledger.entries().size(); ++i)
            all.insert(i);
        return setChosen(std::move(all));
    }
    switch (event->key()) {
    case Qt::Key_Left:
        return move(0, -1);
    case Qt::Key_Right:
        return move(0, 1);
    case Qt::Key_Up:
        return move(-1, 0);
    case Qt::Key_Down:
        return move(1, 0);
    case Qt::Key_PageUp:
        return move(-page, 0);
    case Qt::Key_PageDown:
        return move(page, 0);
    case Qt::Key_Space:
        if (m_current) {
            if (m_chosen.erase(*m_current) == 0) m_chosen.insert(*m_current);
            viewport()->update();
            emit chosenChanged();
        }
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current) emit activated(*m_current);
        return;
    case Qt::Key_Escape:
        return setChosen({});
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void LedgerView::mousePressEvent(QMouseEvent* event)
{
    const auto entry = entryAt(event->position().toPoint());
    if (!entry || event->button() != Qt::LeftButton) return;
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        if (m_chosen.erase(*entry) == 0) m_chosen.insert(*entry);
    } else if (event->modifiers().testFlag(Qt::ShiftModifier) && m_current) {
        for (size_t i = std::min(*m_current, *entry); i <= std::max(*m_current, *entry); ++i)
            m_chosen.insert(i);
    } else {
        m_chosen = {*entry};
    }
    setCurrent(*entry);
    emit chosenChanged();
}

void LedgerView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const auto entry = entryAt(event->position().toPoint())) emit activated(*entry);
}

bool LedgerView::viewportEvent(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const auto entry = entryAt(help->pos());
    QToolTip::showText(help->globalPos(), entry ? ledgerEntryText(m_ledger.entries()[*entry]) : QString(),
                       viewport());
    return true;
}

void LedgerView::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    if (!m_current && event->reason() != Qt::MouseFocusReason) move(0, 0);
    viewport()->update();
}

void LedgerView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    showScrollBars();
}

} // namespace lockstep
