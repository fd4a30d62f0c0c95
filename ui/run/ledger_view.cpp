// SPDX-License-Identifier: Apache-2.0
#include "ui/run/ledger_view.h"

#include <algorithm>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>

#include "core/base/text.h"
#include "ui/run/run_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kMaxCellsHeight = 290; // px at scale 1

} // namespace

LedgerView::LedgerView(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setFont(smallFont(scaledPixels(93) / 100.0));
    setAccessibleName(tr("Collection status of the reports"));
    setMouseTracking(true);
}

void LedgerView::setLedger(const Ledger& ledger)
{
    m_ledger = ledger;
    m_grid = ledgerGrid(ledger);
    const size_t count = ledger.entries().size();
    if (m_current && *m_current >= count) m_current.reset();
    std::erase_if(m_chosen, [count](size_t entry) { return entry >= count; });
    placeCells();
    emit currentChanged(); // emitted because details of the current entry may have changed
}

void LedgerView::placeCells()
{
    const int before = contentHeight();
    m_layout = layOutLedger(m_ledger, m_grid, width(), scaledPixels(kMaxCellsHeight), fontMetrics());
    placeLegend();
    update();
    if (contentHeight() != before) emit contentHeightChanged();
}

// The legend names the states that occur, in lines below the cells.
void LedgerView::placeLegend()
{
    m_legend.clear();
    m_legendHeight = 0;
    const bool hasWords = m_layout.detail == LedgerLayout::Detail::words &&
                          std::ranges::all_of(m_layout.tiles, [](const LedgerTile& tile) {
                              return tile.rect.width() >= scaledPixels(90);
                          });
    if (hasWords || m_layout.tiles.empty()) return;
    const auto counts = m_ledger.counts();
    const int height = fontMetrics().height() + scaledPixels(4);
    int x = scaledPixels(8), y = m_layout.height + scaledPixels(2);
    const auto add = [&](LegendItem item, const QString& text) {
        const int itemWidth = scaledPixels(14) + fontMetrics().horizontalAdvance(text);
        if (x + itemWidth > width() && x > scaledPixels(8)) {
            x = scaledPixels(8);
            y += height;
        }
        item.rect = QRect(x, y, itemWidth, height);
        m_legend.push_back(item);
        x += itemWidth + scaledPixels(14);
    };
    for (size_t state = 0; state < kLedgerStates; ++state) {
        if (counts[state] > 0)
            add({static_cast<LedgerState>(state), false, {}},
                ledgerStateText(static_cast<LedgerState>(state)));
    }
    const auto failed = std::ranges::find_if(
        m_ledger.entries(), [](const LedgerEntry& entry) { return entry.writer.hasFailed(); });
    if (failed != m_ledger.entries().end()) add({failed->state, true, {}}, ledgerEntryState(*failed));
    m_legendHeight = y + height - m_layout.height;
}

void LedgerView::setTheme(const Theme& theme)
{
    m_theme = &theme;
    update();
}

void LedgerView::setChosen(std::set<size_t> entries)
{
    m_chosen = std::move(entries);
    update();
    emit chosenChanged();
}

void LedgerView::setCurrent(std::optional<size_t> entry)
{
    m_current = entry;
    if (entry) setAccessibleDescription(textOf(*entry));
    update();
    emit currentChanged();
}

void LedgerView::setCurrentTile(size_t tile)
{
    setCurrent(leadingEntry(m_ledger, m_layout.tiles[tile].entries));
}

QRect LedgerView::rectOf(size_t entry) const
{
    const auto tile = m_layout.tileOf(entry);
    return tile ? m_layout.tiles[*tile].rect : QRect();
}

std::optional<size_t> LedgerView::entryAt(QPoint position) const
{
    const auto tile = m_layout.tileAt(position);
    if (!tile) return std::nullopt;
    return leadingEntry(m_ledger, m_layout.tiles[*tile].entries);
}

QString LedgerView::textOf(size_t entry) const
{
    const LedgerEntry& one = m_ledger.entries()[entry];
    QStringList lines;
    const auto tile = m_layout.tileOf(entry);
    if (tile && m_layout.tiles[*tile].entries.size() > 1) {
        std::array<size_t, kLedgerStates> counts{};
        for (const size_t at : m_layout.tiles[*tile].entries)
            ++counts[static_cast<size_t>(m_ledger.entries()[at].state)];
        QStringList states;
        for (size_t state = 0; state < kLedgerStates; ++state) {
            if (counts[state] > 0)
                states << QString::number(counts[state]) + " " +
                              ledgerStateText(static_cast<LedgerState>(state));
        }
        const bool isRank = m_layout.detail == LedgerLayout::Detail::ranks && one.rank;
        lines << (isRank ? tr("Rank %1").arg(*one.rank) : QString::fromStdString(one.host)) + ": " +
                     states.join(", ");
    }
    lines << ledgerEntryText(one);
    if (const auto time_ns = m_timeOf ? m_timeOf(one) : std::nullopt)
        lines << tr("last change: %1 UTC").arg(QString::fromStdString(utcTimeText(*time_ns)).left(8));
    return lines.join('\n');
}

// Moves the current cell by a number of cells or lines.
void LedgerView::moveBy(int tiles, int lines)
{
    if (m_layout.tiles.empty()) return;
    const auto at = m_current ? m_layout.tileOf(*m_current) : std::nullopt;
    if (!at) return setCurrentTile(0);
    if (lines != 0) return setCurrentTile(m_layout.tileBelow(*at, lines));
    const auto last = static_cast<std::ptrdiff_t>(m_layout.tiles.size()) - 1;
    setCurrentTile(
        static_cast<size_t>(std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(*at) + tiles, 0, last)));
}

void LedgerView::toggleChosen(const LedgerTile& tile)
{
    const bool isAny =
        std::ranges::any_of(tile.entries, [this](size_t entry) { return m_chosen.contains(entry); });
    for (const size_t entry : tile.entries)
        isAny ? static_cast<void>(m_chosen.erase(entry)) : static_cast<void>(m_chosen.insert(entry));
    update();
    emit chosenChanged();
}

void LedgerView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::SelectAll)) {
        std::set<size_t> all;
        for (size_t i = 0; i < m_ledger.entries().size(); ++i)
            all.insert(i);
        return setChosen(std::move(all));
    }
    constexpr int kPageLines = 5;
    const auto tile = m_current ? m_layout.tileOf(*m_current) : std::nullopt;
    switch (event->key()) {
    case Qt::Key_Left:
        return moveBy(-1, 0);
    case Qt::Key_Right:
        return moveBy(1, 0);
    case Qt::Key_Up:
        return moveBy(0, -1);
    case Qt::Key_Down:
        return moveBy(0, 1);
    case Qt::Key_PageUp:
        return moveBy(0, -kPageLines);
    case Qt::Key_PageDown:
        return moveBy(0, kPageLines);
    case Qt::Key_Home:
        if (!m_layout.tiles.empty()) setCurrentTile(0);
        return;
    case Qt::Key_End:
        if (!m_layout.tiles.empty()) setCurrentTile(m_layout.tiles.size() - 1);
        return;
    case Qt::Key_Space:
        if (tile) toggleChosen(m_layout.tiles[*tile]);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current) emit activated(*m_current);
        return;
    case Qt::Key_Escape:
        return setChosen({});
    default:
        QWidget::keyPressEvent(event);
    }
}

void LedgerView::mousePressEvent(QMouseEvent* event)
{
    const auto tile = m_layout.tileAt(event->position().toPoint());
    if (!tile || event->button() != Qt::LeftButton) return;
    const std::vector<size_t>& entries = m_layout.tiles[*tile].entries;
    const auto from = m_current ? m_layout.tileOf(*m_current) : std::nullopt;
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        toggleChosen(m_layout.tiles[*tile]);
    } else if (event->modifiers().testFlag(Qt::ShiftModifier) && from) {
        for (size_t i = std::min(*from, *tile); i <= std::max(*from, *tile); ++i)
            m_chosen.insert(m_layout.tiles[i].entries.begin(), m_layout.tiles[i].entries.end());
    } else {
        m_chosen = {entries.begin(), entries.end()};
    }
    setCurrentTile(*tile);
    emit chosenChanged();
}

void LedgerView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const auto entry = entryAt(event->position().toPoint())) emit activated(*entry);
}

bool LedgerView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const auto entry = entryAt(help->pos());
    QToolTip::showText(help->globalPos(), entry ? textOf(*entry) : QString(), this);
    return true;
}

void LedgerView::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    if (!m_current && event->reason() != Qt::MouseFocusReason) moveBy(0, 0);
    update();
}

void LedgerView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (event->oldSize().width() != width()) placeCells();
}

} // namespace lockstep
