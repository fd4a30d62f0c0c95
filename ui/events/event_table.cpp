// SPDX-License-Identifier: Apache-2.0
#include "ui/events/event_table.h"

#include <algorithm>

#include <QClipboard>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include "core/base/text.h"
#include "ui/events/event_summary.h"
#include "ui/events/event_table_accessible.h"
#include "ui/panels/filter_header.h"
#include "ui/panels/table_cell_delegate.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

EventTable::EventTable(QWidget* parent)
    : QAbstractScrollArea(parent), m_model(new EventModel(this)), m_header(new FilterHeader(this)),
      m_delegate(new TableCellDelegate(this)), m_rows(*m_model, *m_delegate),
      m_copy([this](const Result<std::string>& text) {
          if (!text) return;
          QGuiApplication::clipboard()->setText(QString::fromStdString(*text));
          emit copied(std::ranges::count(*text, '\n') - 1);
      }),
      m_sum([this](const Result<std::string>& text) {
          if (text) emit summaryChanged(QString::fromStdString(*text));
      })
{
    installEventTableAccessibility(); // before the first accessibility query for this widget
    setFrameShape(NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setFont(smallFont(scaledPixels(100) / 100.0));
    setContextMenuPolicy(Qt::CustomContextMenu);
    m_header->setModel(m_model);
    connect(m_header, &QHeaderView::sectionClicked, this,
            [this](int section) { emit orderRequested(static_cast<EventColumn>(section)); });
    const auto arranged = [this] {
        if (m_isPlacing) return;
        place();
        viewport()->update();
        emit columnsChanged();
    };
    connect(m_header, &QHeaderView::sectionResized, this, arranged);
    connect(m_header, &QHeaderView::sectionMoved, this, arranged);
    connect(m_header, &QHeaderView::geometriesChanged, this, &EventTable::place);
    connect(m_model, &QAbstractItemModel::dataChanged, viewport(), qOverload<>(&QWidget::update));
    connect(this, &QWidget::customContextMenuRequested, this, &EventTable::showMenu);
    setColumns(firstColumns());
}

int EventTable::rowHeight() const
{
    return scaledPixels(24);
}

int EventTable::rowsShown() const
{
    return std::max(1, viewport()->height() / rowHeight());
}

int EventTable::firstRow() const
{
    return verticalScrollBar()->value();
}

void EventTable::setTheme(const Theme& theme)
{
    m_rows.setTheme(theme);
    m_delegate->setTheme(theme);
    setFont(smallFont(scaledPixels(100) / 100.0));
    place();
    viewport()->update();
}

void EventTable::setMatched(std::vector<TextMatcher> texts)
{
    m_rows.setMatched(std::move(texts));
    viewport()->update();
}

void EventTable::setStretchColumn(EventColumn column)
{
    m_stretch = column;
    stretch();
}

void EventTable::stretch()
{
    if (!m_stretch || m_header->isSectionHidden(static_cast<int>(*m_stretch))) return;
    int others = 0;
    for (int i = 0; i < m_header->count(); ++i) {
        if (i != static_cast<int>(*m_stretch) && !m_header->isSectionHidden(i))
            others += m_header->sectionSize(i);
    }
    m_header->resizeSection(static_cast<int>(*m_stretch),
                            std::max(scaledPixels(120), viewport()->width() - others));
}

ShownColumns EventTable::columns() const
{
    return shownColumns(*m_header);
}

void EventTable::setColumns(const ShownColumns& columns)
{
    m_isPlacing = true;
    showColumns(*m_header, columns);
    m_isPlacing = false;
    stretch();
    place();
    viewport()->update();
}

void EventTable::setList(std::shared_ptr<const EventList> list)
{
    const auto row = list != nullptr && m_currentSlice.isValid() ? list->rowOf(m_currentSlice) : std::nullopt;
    m_model->setList(std::move(list));
    m_current.row = row ? static_cast<int>(*row) : -1;
    m_anchor = m_current;
    if (!row) m_currentSlice = {};
    m_delegate->setCurrentRow(m_current.row);
    place();
    if (row) showRow(m_current.row);
    announceRows(*this);
    summarize();
    updateVisibleRows();
    viewport()->update();
}

// Positions the header above the rows. The vertical scroll bar scrolls by rows, the horizontal one by pixels.
void EventTable::place()
{
    if (m_isPlacing) return;
    m_isPlacing = true;
    const int head = m_header->isHidden() ? 0 : m_header->sizeHint().height();
    setViewportMargins(0, head, 0, 0);
    const QRect area = viewport()->geometry();
    m_header->setGeometry(area.left(), area.top() - head, area.width(), head);
    verticalScrollBar()->setRange(0, std::max(0, m_model->rowCount() - rowsShown()));
    verticalScrollBar()->setPageStep(rowsShown());
    verticalScrollBar()->setSingleStep(1);
    horizontalScrollBar()->setRange(0, std::max(0, m_header->length() - area.width()));
    horizontalScrollBar()->setPageStep(area.width());
    horizontalScrollBar()->setSingleStep(scaledPixels(40));
    m_header->setOffset(horizontalScrollBar()->value());
    m_isPlacing = false;
}

void EventTable::scrollContentsBy(int, int)
{
    m_header->setOffset(horizontalScrollBar()->value());
    updateVisibleRows();
    viewport()->update();
}

void EventTable::updateVisibleRows()
{
    std::vector<EventColumn> shown;
    for (const ShownColumn& column : columns())
        shown.push_back(column.column);
    m_model->setVisible(firstRow(), firstRow() + rowsShown() + 1, shown);
}

QRect EventTable::cellRect(int row, EventColumn column) const
{
    const int section = static_cast<int>(column);
    return {m_header->sectionViewportPosition(section), (row - firstRow()) * rowHeight(),
            m_header->sectionSize(section), rowHeight()};
}

void EventTable::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_rows.theme().window);
    const int end = std::min(m_model->rowCount(), firstRow() + rowsShown() + 2);
    const bool isOneCell = m_current.row == m_anchor.row && m_current.visual == m_anchor.visual;
    for (int row = firstRow(); row < end; ++row) {
        for (int visual = 0; visual < m_header->count(); ++visual) {
            const int section = m_header->logicalIndex(visual);
            if (m_header->isSectionHidden(section)) continue;
            const auto column = static_cast<EventColumn>(section);
            QStyleOptionViewItem option;
            option.initFrom(this);
            option.state &= ~QStyle::State_HasFocus;
            option.font = font();
            option.rect = cellRect(row, column);
            if (option.rect.right() < 0 || option.rect.left() > viewport()->width()) continue;
            if (!isOneCell && isSelected(row, column)) option.state |= QStyle::State_Selected;
            const bool isCurrent = row == m_current.row && visual == m_current.visual;
            if (isCurrent && hasFocus()) option.state |= QStyle::State_HasFocus;
            m_rows.paint(painter, option, row, column);
        }
        // The row continues to the right of the last column.
        const int bottomLine = (row - firstRow() + 1) * rowHeight() - 1;
        const int columnsEnd = m_header->length() - horizontalScrollBar()->value();
        if (columnsEnd < viewport()->width())
            painter.fillRect(columnsEnd, bottomLine, viewport()->width() - columnsEnd, 1,
                             m_rows.theme().line);
    }
    if (hasFocus() && m_current.row < 0) {
        painter.setPen(m_rows.theme().accent);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void EventTable::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    m_isPlacing = true;
    stretch();
    m_isPlacing = false;
    place();
    updateVisibleRows();
}

void EventTable::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange && m_header != nullptr) place();
}

bool EventTable::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        const Cell cell = cellAt(help->pos());
        const QString text = cell.row < 0 ? QString()
                                          : m_model->index(cell.row, m_header->logicalIndex(cell.visual))
                                                .data(Qt::ToolTipRole)
                                                .toString();
        QToolTip::showText(help->globalPos(), text, viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

EventTable::Cell EventTable::cellAt(QPoint position) const
{
    const int row = firstRow() + position.y() / rowHeight();
    const int visual = m_header->visualIndexAt(position.x());
    if (position.y() < 0 || row >= m_model->rowCount()) return {};
    return {row, visual < 0 ? m_current.visual : visual};
}

SliceRef EventTable::currentSlice() const
{
    return m_currentSlice;
}

EventColumn EventTable::currentColumn() const
{
    return static_cast<EventColumn>(m_header->logicalIndex(m_current.visual));
}

bool EventTable::isSelected(int row, EventColumn column) const
{
    const auto [left, right] = std::minmax(m_current.visual, m_anchor.visual);
    const auto [top, bottom] = std::minmax(m_current.row, m_anchor.row);
    const int visual = m_header->visualIndex(static_cast<int>(column));
    return top >= 0 && row >= top && row <= bottom && visual >= left && visual <= right;
}

void EventTable::setCurrentRow(int row)
{
    if (row == m_current.row && (row < 0 || m_current.row == m_anchor.row)) return;
    moveTo({row, m_current.visual}, false, false);
}

void EventTable::moveTo(Cell cell, bool extends, bool tells)
{
    const int before = m_current.row;
    m_current = cell;
    if (cell.row >= 0) m_current.row = std::clamp(cell.row, 0, m_model->rowCount() - 1);
    if (!extends) m_anchor = m_current;
    m_currentSlice = m_current.row >= 0 ? m_model->sliceAt(m_current.row) : SliceRef();
    m_delegate->setCurrentRow(m_current.row);
    if (m_current.row >= 0) showRow(m_current.row);
    summarize();
    viewport()->update();
    announceCell(*this);
    if (tells && m_current.row != before) emit currentRowChanged(m_current.row);
}

void EventTable::showRow(int row)
{
    QScrollBar* const bar = verticalScrollBar();
    if (row < bar->value()) bar->setValue(row);
    if (row >= bar->value() + rowsShown()) bar->setValue(row - rowsShown() + 1);
}

void EventTable::mousePressEvent(QMouseEvent* event)
{
    const Cell cell = cellAt(event->position().toPoint());
    if (cell.row < 0 || event->button() != Qt::LeftButton) return;
    moveTo(cell, (event->modifiers() & Qt::ShiftModifier) != 0, true);
}

void EventTable::mouseMoveEvent(QMouseEvent* event)
{
    const Cell cell = cellAt(event->position().toPoint());
    if (cell.row >= 0 && (event->buttons() & Qt::LeftButton) != 0) moveTo(cell, true, false);
}

void EventTable::mouseDoubleClickEvent(QMouseEvent* event)
{
    const Cell cell = cellAt(event->position().toPoint());
    if (cell.row >= 0) emit rowActivated(cell.row);
}

void EventTable::keyPressEvent(QKeyEvent* event)
{
    const int last = m_model->rowCount() - 1;
    const bool extends = (event->modifiers() & Qt::ShiftModifier) != 0;
    const auto go = [&](int row) { moveTo({std::clamp(row, 0, last), m_current.visual}, extends, true); };
    const auto goSide = [&](int by) {
        int visual = m_current.visual + by;
        while (visual >= 0 && visual < m_header->count() &&
               m_header->isSectionHidden(m_header->logicalIndex(visual)))
            visual += by;
        if (visual >= 0 && visual < m_header->count()) moveTo({m_current.row, visual}, extends, true);
    };
    if (event->matches(QKeySequence::Copy)) return copy();
    if (last < 0) return QAbstractScrollArea::keyPressEvent(event);
    if (event->matches(QKeySequence::SelectAll)) {
        m_anchor = {0, 0};
        m_current = {last, m_header->count() - 1};
        summarize();
        return viewport()->update();
    }
    switch (event->key()) {
    case Qt::Key_Down:
        return go(m_current.row + 1);
    case Qt::Key_Up:
        return go(m_current.row - 1);
    case Qt::Key_PageDown:
        return go(m_current.row + rowsShown());
    case Qt::Key_PageUp:
        return go(m_current.row - rowsShown());
    case Qt::Key_Home:
        return go(0);
    case Qt::Key_End:
        return go(last);
    case Qt::Key_Left:
        return goSide(-1);
    case Qt::Key_Right:
        return goSide(1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current.row >= 0) emit rowActivated(m_current.row);
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

std::vector<EventColumn> EventTable::chosenColumns() const
{
    const auto [left, right] = std::minmax(m_current.visual, m_anchor.visual);
    std::vector<EventColumn> out;
    for (int visual = left; visual <= right; ++visual) {
        const int section = m_header->logicalIndex(visual);
        if (section >= 0 && !m_header->isSectionHidden(section))
            out.push_back(static_cast<EventColumn>(section));
    }
    return out;
}

void EventTable::copy()
{
    if (m_current.row < 0 || m_model->list() == nullptr) return;
    const auto [top, bottom] = std::minmax(m_current.row, m_anchor.row);
    const auto first = static_cast<uint64_t>(top);
    const auto end = std::min(static_cast<uint64_t>(bottom) + 1, first + kMaxCopiedRows);
    const EventRowsText what{chosenColumns(), first, end, '\t'};
    m_copy.start([list = m_model->list(), what](const Progress& progress) -> Result<std::string> {
        std::string text;
        LOCKSTEP_TRY(writeEventRows(
            *list, what, [&](std::string_view line) { text += line; }, progress));
        return text;
    });
}

void EventTable::summarize()
{
    const auto [top, bottom] = std::minmax(m_current.row, m_anchor.row);
    const std::vector<EventColumn> columns = chosenColumns();
    const bool isOneCell = top == bottom && columns.size() < 2;
    if (top < 0 || isOneCell || m_model->list() == nullptr) {
        m_sum.cancel();
        return emit summaryChanged({});
    }
    m_sum.start([list = m_model->list(), columns, first = static_cast<uint64_t>(top),
                 end = static_cast<uint64_t>(bottom) + 1](const Progress& progress) {
        return eventSummary(*list, columns, first, end, progress);
    });
}

void EventTable::showMenu(QPoint position)
{
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Copy with header"), QKeySequence::Copy, this, &EventTable::copy);
    menu->popup(mapToGlobal(position));
}

} // namespace lockstep
