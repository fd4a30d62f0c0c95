// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/highlight_painter.h"

#include <algorithm>
#include <map>
#include <vector>

namespace lockstep {

namespace {

// HighlightBand holds the highlighted pixel ranges [left, right) of rows with the same top and bottom.
using HighlightBand = std::vector<std::pair<int, int>>;

// Returns the rectangle of a highlighted slice, cut to the pinned or the scrolling part of the frame.
QRect rowOf(const DisplayList& list, const DisplayMark& mark)
{
    const bool isPinned = std::ranges::any_of(list.rows, [&](const DisplayRow& row) {
        return row.isPinned && row.y == mark.y && row.track.report == mark.slice.report;
    });
    const QRect all(0, 0, list.size.width, list.size.height);
    const QRect part =
        isPinned ? QRect(0, 0, list.size.width, list.pinnedHeight) : all.adjusted(0, list.pinnedHeight, 0, 0);
    return QRect(mark.x, mark.y, mark.width, mark.height) & part;
}

} // namespace

void dimAllButHighlighted(QPainter& painter, const DisplayList& list, const Theme& theme)
{
    std::map<std::pair<int, int>, HighlightBand>
        bands; // by top and bottom; rows of different bands never overlap
    for (const DisplayMark& mark : list.highlighted) {
        const QRect rect = rowOf(list, mark);
        if (!rect.isEmpty())
            bands[{rect.top(), rect.bottom() + 1}].emplace_back(rect.left(), rect.right() + 1);
    }
    QColor wash = theme.window;
    wash.setAlphaF(theme.isDark ? 0.50f : 0.52f);
    const int left = list.headerWidth, right = list.size.width;
    int y = 0;
    for (auto& [edges, highlighted] : bands) {
        const auto [top, bottom] = edges;
        if (top > y) painter.fillRect(left, y, right - left, top - y, wash);
        std::ranges::sort(highlighted);
        int x = left;
        const int from = std::max(y, top);
        for (const auto& [begin, end] : highlighted) {
            if (begin > x && bottom > from) painter.fillRect(x, from, begin - x, bottom - from, wash);
            x = std::max(x, end);
        }
        if (x < right && bottom > from) painter.fillRect(x, from, right - x, bottom - from, wash);
        y = std::max(y, bottom);
    }
    if (y < list.size.height) painter.fillRect(left, y, right - left, list.size.height - y, wash);
}

} // namespace lockstep
