// SPDX-License-Identifier: Apache-2.0
// LogView: painting of a line.
#include <algorithm>
#include <array>

#include <QPainter>
#include <QScrollBar>
#include <QTextLayout>

#include "core/base/text.h"
#include "ui/run/log_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

QColor LogView::colorOf(const AnsiStyle& style, LogTone tone) const
{
    const Theme& theme = *m_theme;
    const auto own = [&theme](SliceCategory category) { return theme.category(category); };
    QColor color = theme.text;
    if (tone == LogTone::good) color = theme.good;
    if (tone == LogTone::warn) color = theme.warn;
    if (tone == LogTone::bad) color = theme.bad;
    if (tone == LogTone::note) color = theme.mutedText;
    if (style.color) {
        // The terminal colors black and white are replaced by the theme's text color.
        const std::array<QColor, 8> colors{theme.text,
                                           theme.bad,
                                           theme.good,
                                           theme.warn,
                                           theme.accent,
                                           own(SliceCategory::copyToHost),
                                           own(SliceCategory::cudaApi),
                                           theme.text};
        const uint32_t index = *style.color;
        if (index == 8) {
            color = theme.mutedText;
        } else if (index < 16) {
            color = colors[index % 8];
        } else {
            color = theme.ownColor((index & 0x1000000U) != 0 ? index & 0xFFFFFFU : cubeColor(index));
        }
    }
    return style.isDim ? mixed(theme.window, color, 0.6) : color;
}

void LogView::paintRow(QPainter& painter, size_t row, int y, int height, const QTextLayout& layout) const
{
    const uint64_t number = m_index.number(row);
    const LogLine& line = m_buffer->line(number);
    const int width = viewport()->width();
    if (isSelected(number))
        painter.fillRect(0, y, width, height, mixed(m_theme->window, m_theme->accent, 0.18));
    painter.setPen(m_theme->mutedText);
    const int baseline = y + painter.fontMetrics().ascent();
    painter.drawText(0, baseline, QString::fromStdString(utcTimeText(line.time_ns)).left(12));
    if (m_hosts.size() > 1) {
        const int left = static_cast<int>(13 * m_columnWidth);
        painter.drawText(left, baseline,
                         painter.fontMetrics().elidedText(hostName(line.host, m_hosts), Qt::ElideMiddle,
                                                          m_prefixWidth - left));
    }
    painter.save();
    painter.setClipRect(m_prefixWidth, y, width - m_prefixWidth, height);
    painter.setPen(colorOf({}, line.tone));
    layout.draw(&painter, QPointF(m_prefixWidth - horizontalScrollBar()->value(), y));
    painter.restore();
}

void LogView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    if (m_buffer == nullptr || m_index.rows() == 0) {
        painter.setFont(font());
        painter.setPen(m_theme->mutedText);
        const bool isFiltered = m_buffer != nullptr && m_buffer->end() > 0;
        const QString hint = isFiltered && m_search.isActive() ? tr("Searching\u2026")
                             : isFiltered
                                 ? tr("No matching lines.")
                                 : tr("No output yet. The program's output appears here in its own colors.");
        painter.drawText(viewport()->rect(), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, hint);
        return;
    }
    painter.setFont(viewport()->font());
    int y = 0, maxWidth = m_maxWidth;
    for (size_t row = topRow(); row < m_index.rows() && y < viewport()->height(); ++row) {
        QTextLayout layout;
        const int height = layOut(m_buffer->line(m_index.number(row)), layout);
        paintRow(painter, row, y, height, layout);
        y += height;
        if (!m_isWrapping && layout.lineCount() > 0)
            maxWidth =
                std::max(maxWidth, static_cast<int>(layout.lineAt(0).naturalTextWidth()) + m_lineHeight);
    }
    if (maxWidth > m_maxWidth) { // extend the horizontal scroll range
        m_maxWidth = maxWidth;
        QMetaObject::invokeMethod(
            this, [this] { showScrollBars(); }, Qt::QueuedConnection);
    }
}

} // namespace lockstep
