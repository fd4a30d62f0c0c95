// SPDX-License-Identifier: Apache-2.0
#include "ui/run/log_view.h"

#include <algorithm>
#include <cmath>

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

// Number of lines that are indexed before control returns to the event loop.
constexpr size_t kLinesPerBatch = 20'000;
constexpr int kTimeColumns = 13; // "12:04:31.204 "
constexpr size_t kMaxCopied_bytes = 64 << 20;

} // namespace

LogView::LogView(QWidget* parent) : QAbstractScrollArea(parent)
{
    setFrameShape(NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Log"));
    viewport()->setCursor(Qt::IBeamCursor);
    m_search.setInterval(0);
    connect(&m_search, &QTimer::timeout, this, &LogView::refresh);
    m_drag.setInterval(50);
    connect(&m_drag, &QTimer::timeout, this, &LogView::scrollWhileDragging);
    measure();
}

void LogView::measure()
{
    const QFont font = codeFont();
    viewport()->setFont(font);
    const QFontMetricsF metrics(font);
    m_lineHeight = static_cast<int>(std::ceil(metrics.height())) + scaledPixels(3);
    m_columnWidth = metrics.horizontalAdvance('0');
    qsizetype hostColumns = 0;
    for (const QString& host : m_hosts)
        hostColumns = std::max(hostColumns, std::min<qsizetype>(host.size(), 24));
    const qsizetype columns = kTimeColumns + (m_hosts.size() > 1 ? hostColumns + 1 : 0);
    m_prefixWidth = static_cast<int>(std::ceil(static_cast<double>(columns) * m_columnWidth));
}

void LogView::setBuffer(const LogBuffer* buffer, const QStringList& hosts)
{
    m_buffer = buffer;
    m_hosts = hosts;
    const LogQuery query = m_index.query();
    m_index = {};
    m_index.setQuery(query);
    m_current.reset();
    m_mark.reset();
    m_top = 0;
    m_maxWidth = 0;
    measure();
    refresh();
}

void LogView::setQuery(const LogQuery& query)
{
    if (query == m_index.query()) return;
    m_index.setQuery(query);
    m_maxWidth = 0;
    refresh();
    emit matchesChanged();
}

void LogView::setTheme(const Theme& theme)
{
    m_theme = &theme;
    measure();
    showScrollBars();
}

void LogView::setFollowing(bool isFollowing)
{
    if (m_isFollowing == isFollowing) return;
    if (!isFollowing && m_index.rows() > 0)
        m_top = m_index.number(std::min(lastPageRow(), m_index.rows() - 1));
    m_isFollowing = isFollowing;
    showScrollBars();
    emit followingChanged(isFollowing);
}

void LogView::setWrapping(bool isWrapping)
{
    m_isWrapping = isWrapping;
    showScrollBars();
}

void LogView::refresh()
{
    if (m_buffer == nullptr) {
        m_search.stop();
        return viewport()->update();
    }
    const size_t before = m_index.matches().size();
    const bool isDone = m_index.follow(*m_buffer, kLinesPerBatch);
    if (isDone == m_search.isActive()) isDone ? m_search.stop() : m_search.start();
    showScrollBars();
    if (m_index.matches().size() != before || isDone) emit matchesChanged();
}

size_t LogView::topRow() const
{
    return m_isFollowing ? lastPageRow() : std::min(m_index.rowFrom(m_top), lastPageRow());
}

int LogView::layOut(const LogLine& line, QTextLayout& layout) const
{
    const std::string& bytes = line.content.text;
    const QString text = QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
    const bool isAscii = text.size() == static_cast<qsizetype>(bytes.size());
    const auto utf16Index = [&](size_t byte) {
        return isAscii
                   ? static_cast<int>(byte)
                   : static_cast<int>(QString::fromUtf8(bytes.data(), static_cast<qsizetype>(byte)).size());
    };
    QList<QTextLayout::FormatRange> formats;
    for (const AnsiSpan& span : line.content.spans) {
        QTextCharFormat format;
        format.setForeground(colorOf(span.style, line.tone));
        if (span.style.isBold) format.setFontWeight(QFont::Bold);
        formats.push_back({utf16Index(span.begin), utf16Index(span.end) - utf16Index(span.begin), format});
    }
    for (const size_t at : m_index.positions(line)) {
        QTextCharFormat format;
        format.setBackground(mixed(m_theme->window, m_theme->warn, 0.35));
        formats.push_back(
            {utf16Index(at), utf16Index(at + m_index.query().text.size()) - utf16Index(at), format});
    }
    layout.setText(text);
    layout.setFont(viewport()->font());
    layout.setFormats(formats);
    QTextOption option;
    option.setWrapMode(m_isWrapping ? QTextOption::WrapAtWordBoundaryOrAnywhere : QTextOption::NoWrap);
    layout.setTextOption(option);
    layout.beginLayout();
    int height = 0;
    const int width = std::max(viewport()->width() - m_prefixWidth, 10 * m_lineHeight);
    for (QTextLine one = layout.createLine(); one.isValid(); one = layout.createLine()) {
        one.setLineWidth(m_isWrapping ? width : 1e6);
        one.setPosition(QPointF(0, height));
        height += m_lineHeight;
    }
    layout.endLayout();
    return std::max(height, m_lineHeight);
}

int LogView::heightOf(size_t row) const
{
    if (!m_isWrapping) return m_lineHeight;
    QTextLayout layout;
    return layOut(m_buffer->line(m_index.number(row)), layout);
}

size_t LogView::lastPageRow() const
{
    size_t row = m_index.rows();
    for (int room = viewport()->height(); row > 0; --row) {
        room -= heightOf(row - 1);
        if (room < 0) break;
    }
    // If a line is taller than the page, its beginning is shown.
    return std::min(row, m_index.rows() > 0 ? m_index.rows() - 1 : 0);
}

void LogView::showScrollBars()
{
    m_isPlacing = true;
    const auto last = static_cast<int>(m_buffer == nullptr ? 0 : lastPageRow());
    verticalScrollBar()->setRange(0, last);
    verticalScrollBar()->setPageStep(std::max(1, viewport()->height() / m_lineHeight - 1));
    verticalScrollBar()->setValue(m_buffer == nullptr ? 0 : static_cast<int>(topRow()));
    const int room = viewport()->width() - m_prefixWidth;
    horizontalScrollBar()->setRange(0, m_isWrapping ? 0 : std::max(0, m_maxWidth - room));
    horizontalScrollBar()->setPageStep(std::max(1, room));
    horizontalScrollBar()->setSingleStep(m_lineHeight);
    m_isPlacing = false;
    viewport()->update();
}

void LogView::scrollContentsBy(int, int dy)
{
    viewport()->update();
    if (m_isPlacing || dy == 0 || m_buffer == nullptr || m_index.rows() == 0) return;
    const auto row = static_cast<size_t>(verticalScrollBar()->value());
    m_top = m_index.number(std::min(row, m_index.rows() - 1));
    const bool isAtEnd = verticalScrollBar()->value() == verticalScrollBar()->maximum();
    if (isAtEnd == m_isFollowing) return;
    m_isFollowing = isAtEnd;
    emit followingChanged(isAtEnd);
}

std::optional<size_t> LogView::rowAt(int y) const
{
    if (m_buffer == nullptr || y < 0) return std::nullopt;
    int bottom = 0;
    for (size_t row = topRow(); row < m_index.rows(); ++row) {
        bottom += heightOf(row);
        if (y < bottom) return row;
        if (bottom > viewport()->height()) break;
    }
    return std::nullopt;
}

void LogView::makeVisible(size_t row)
{
    const size_t top = topRow();
    const auto visible = static_cast<size_t>(std::max(1, viewport()->height() / m_lineHeight));
    if (row >= top && row < top + visible && !m_isWrapping) return;
    if (row >= top && row < top + visible / 2) return;
    setFollowing(false);
    m_top = m_index.number(row > visible / 2 ? row - visible / 2 : 0);
    showScrollBars();
}

void LogView::moveTo(size_t row, bool extends)
{
    if (m_index.rows() == 0) return;
    const size_t to = std::min(row, m_index.rows() - 1);
    m_current = m_index.number(to);
    if (!extends || !m_mark) m_mark = m_current;
    if (to + 1 < m_index.rows()) setFollowing(false);
    makeVisible(to);
    viewport()->update();
    emit matchesChanged();
}

void LogView::step(bool isForward)
{
    const std::deque<uint64_t>& matches = m_index.matches();
    if (matches.empty()) return;
    const uint64_t from = m_current.value_or(m_index.rows() > 0 ? m_index.number(topRow()) : 0);
    auto next = isForward ? std::ranges::upper_bound(matches, from) : std::ranges::lower_bound(matches, from);
    if (isForward && !m_current) next = std::ranges::lower_bound(matches, from);
    if (isForward && next == matches.end()) next = matches.begin();
    if (!isForward) next = next == matches.begin() ? matches.end() - 1 : next - 1;
    moveTo(m_index.rowFrom(*next), false);
}

void LogView::goTo(uint64_t number)
{
    refresh();
    setFollowing(false);
    const size_t row = m_index.rowFrom(number);
    if (row < m_index.rows()) moveTo(row, false);
}

size_t LogView::matchPosition() const
{
    if (!m_current) return 0;
    const auto found = std::ranges::lower_bound(m_index.matches(), *m_current);
    if (found == m_index.matches().end() || *found != *m_current) return 0;
    return static_cast<size_t>(found - m_index.matches().begin()) + 1;
}

QString LogView::textToCopy(LogFormat format) const
{
    if (m_buffer == nullptr) return {};
    size_t from = 0, to = m_index.rows();
    if (m_mark && m_current) {
        from = m_index.rowFrom(std::min(*m_mark, *m_current));
        to = std::min(to, m_index.rowFrom(std::max(*m_mark, *m_current)) + 1);
    }
    std::string text;
    LogWriter writer(format, m_hosts);
    for (size_t row = from; row < to && text.size() < kMaxCopied_bytes; ++row) {
        const LogLine& line = m_buffer->line(m_index.number(row));
        writer.append(text, line.time_ns, line.host, line.content.text);
    }
    return QString::fromStdString(text);
}

void LogView::copy(LogFormat format) const
{
    QGuiApplication::clipboard()->setText(textToCopy(format));
}

void LogView::selectAll()
{
    if (m_index.rows() == 0) return;
    m_mark = m_index.number(0);
    m_current = m_index.number(m_index.rows() - 1);
    viewport()->update();
}

bool LogView::isSelected(uint64_t number) const
{
    return m_mark && m_current && number >= std::min(*m_mark, *m_current) &&
           number <= std::max(*m_mark, *m_current);
}

void LogView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy)) return copy(LogFormat::withTimes);
    if (m_buffer == nullptr || m_index.rows() == 0) return QAbstractScrollArea::keyPressEvent(event);
    const size_t last = m_index.rows() - 1;
    if (event->matches(QKeySequence::SelectAll)) return selectAll();
    const size_t at = m_current ? std::min(m_index.rowFrom(*m_current), last) : topRow();
    const auto page = static_cast<size_t>(verticalScrollBar()->pageStep());
    const bool extends = event->modifiers().testFlag(Qt::ShiftModifier);
    switch (event->key()) {
    case Qt::Key_Up:
        return moveTo(at > 0 ? at - 1 : 0, extends);
    case Qt::Key_Down:
        return moveTo(at + 1, extends);
    case Qt::Key_PageUp:
        return moveTo(at > page ? at - page : 0, extends);
    case Qt::Key_PageDown:
        return moveTo(at + page, extends);
    case Qt::Key_Home:
        return moveTo(0, extends);
    case Qt::Key_End:
        moveTo(last, extends);
        return setFollowing(true);
    case Qt::Key_Escape:
        m_current.reset();
        m_mark.reset();
        emit matchesChanged();
        return viewport()->update();
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void LogView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) return;
    if (const auto row = rowAt(event->position().toPoint().y()))
        moveTo(*row, event->modifiers().testFlag(Qt::ShiftModifier));
}

void LogView::mouseMoveEvent(QMouseEvent* event)
{
    if (!event->buttons().testFlag(Qt::LeftButton)) return;
    m_dragY = event->position().toPoint().y();
    const bool isBeyond = m_dragY < 0 || m_dragY >= viewport()->height();
    if (isBeyond != m_drag.isActive()) isBeyond ? m_drag.start() : m_drag.stop();
    if (const auto row = rowAt(m_dragY)) moveTo(*row, true);
}

void LogView::mouseReleaseEvent(QMouseEvent*)
{
    m_drag.stop();
}

// Extends the selection by as many lines as the mouse is away from the edge.
void LogView::scrollWhileDragging()
{
    if (m_buffer == nullptr || m_index.rows() == 0 || !m_current) return m_drag.stop();
    const int beyond = m_dragY < 0 ? m_dragY : m_dragY - viewport()->height();
    const auto lines = static_cast<size_t>(1 + std::abs(beyond) / m_lineHeight);
    const size_t at = m_index.rowFrom(*m_current);
    moveTo(m_dragY >= 0 ? at + lines : at - std::min(at, lines), true);
    const size_t now = m_index.rowFrom(*m_current);
    const auto onPage = static_cast<size_t>(std::max(1, viewport()->height() / m_lineHeight - 1));
    m_top = m_index.number(m_dragY < 0 ? now : now - std::min(now, onPage));
    showScrollBars();
}

void LogView::contextMenuEvent(QContextMenuEvent* event)
{
    if (m_buffer == nullptr) return;
    if (event->reason() == QContextMenuEvent::Mouse) {
        const auto row = rowAt(event->pos().y());
        if (row && !isSelected(m_index.number(*row))) moveTo(*row, false);
    }
    emit menuRequested(event->globalPos());
}

void LogView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    showScrollBars();
}

void LogView::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        measure();
        showScrollBars();
    }
}

} // namespace lockstep
