// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/span_raster.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/timeline/lane_kind.h"

namespace lockstep {

namespace {

// Canvas is the part of the image that one row may write, clipped to its band.
struct Canvas {
    QRgb* firstLine;  // at x of the first time pixel
    ptrdiff_t stride; // distance between two lines, in pixels
    int top;
    int bottom;
    int width;

    QRgb* line(int y) const { return firstLine + y * stride; }
};

void put(QRgb* line, const Span& span, QRgb color, int width)
{
    const int begin = std::min<int>(span.begin, width), end = std::min<int>(span.end, width);
    if (span.ink.part == 255) return std::fill(line + begin, line + end, color);
    for (int x = begin; x < end; ++x)
        line[x] = blended(color, line[x], span.ink.part);
}

bool hasPattern(const DisplayRow& row, const SlicePalette& palette)
{
    return std::ranges::any_of(row.spans, [&](const Span& span) {
        return palette.pattern(span.ink) != SlicePalette::Pattern::none;
    });
}

// Adds the pattern to a span that was drawn. `at` is the line within the row.
void putPattern(QRgb* line, const Span& span, const SlicePalette& palette, int width, int at)
{
    const SlicePalette::Pattern pattern = palette.pattern(span.ink);
    if (pattern == SlicePalette::Pattern::none) return;
    const QRgb color = palette.mark(span.ink);
    for (int x = span.begin; x < std::min<int>(span.end, width); ++x) {
        if (palette.isMarked(pattern, x, at)) line[x] = blended(color, line[x], span.ink.part);
    }
}

// Draws the slanted lines of a span over what is there. `at` is the line within the row.
void putHatch(QRgb* line, const Span& span, QRgb color, const SlicePalette& palette, int width, int at)
{
    for (int x = span.begin; x < std::min<int>(span.end, width); ++x) {
        if (palette.isHatched(x, at)) line[x] = color;
    }
}

// Draws one line and copies it, because all lines of the row are equal.
void rasterFlat(const DisplayRow& row, const SlicePalette& palette, const Canvas& canvas)
{
    QRgb* const line = canvas.line(canvas.top);
    for (const Span& span : row.spans)
        put(line, span, palette.color(span.ink), canvas.width);
    for (int y = canvas.top + 1; y < canvas.bottom; ++y)
        std::memcpy(canvas.line(y), line, static_cast<size_t>(canvas.width) * sizeof(QRgb));
}

void rasterSpans(const DisplayRow& row, const SlicePalette& palette, const Canvas& canvas)
{
    std::vector<QRgb> colors;
    colors.reserve(row.spans.size());
    for (const Span& span : row.spans)
        colors.push_back(palette.color(span.ink));
    for (int y = canvas.top; y < canvas.bottom; ++y) {
        const int at = y - row.y;
        QRgb* const line = canvas.line(y);
        for (size_t i = 0; i < row.spans.size(); ++i) {
            const Span& span = row.spans[i];
            if (span.top > at || at >= span.bottom) continue;
            if (!SlicePalette::isHatch(span.ink.kind)) {
                put(line, span, colors[i], canvas.width);
                putPattern(line, span, palette, canvas.width, at);
                continue;
            }
            putHatch(line, span, colors[i], palette, canvas.width, at);
        }
    }
}

// Draws a tall row with many narrow spans: for each span, iterates over its lines. This is faster than
// iterating over all spans for each line.
void rasterAreas(const DisplayRow& row, const SlicePalette& palette, const Canvas& canvas)
{
    for (const Span& span : row.spans) {
        const QRgb color = palette.color(span.ink);
        const int bottom = std::min(canvas.bottom, row.y + span.bottom);
        const bool isHatch = SlicePalette::isHatch(span.ink.kind);
        for (int y = std::max(canvas.top, row.y + span.top); y < bottom; ++y) {
            if (isHatch) {
                putHatch(canvas.line(y), span, color, palette, canvas.width, y - row.y);
            } else {
                put(canvas.line(y), span, color, canvas.width);
            }
        }
    }
}

// top: y of the row.
void rasterHeat(const HeatMap& heat, int top, const FrameMetrics& metrics, const SlicePalette& palette,
                const Canvas& canvas)
{
    const int width = std::min(canvas.width, heat.width);
    for (size_t i = 0; i < heat.lines.size(); ++i) {
        const HeatMap::Line& line = heat.lines[i];
        const HeatCell* const cells = heat.lineAt(i);
        const QRgb* last = nullptr;
        for (int y = std::max(canvas.top, top + line.top); y < std::min(canvas.bottom, top + line.bottom);
             ++y) {
            QRgb* const out = canvas.line(y);
            const int inside = std::min(y - top - line.top, top + line.bottom - 1 - y);
            if (line.isOutlier && inside < metrics.line) {
                std::fill(out, out + width, palette.window());
                continue;
            }
            const bool isMissing = width > 0 && cells[0].category == HeatCell::kNoReport;
            if (last != nullptr && !isMissing) {
                std::memcpy(out, last, static_cast<size_t>(width) * sizeof(QRgb));
                continue;
            }
            for (int x = 0; x < width; ++x)
                out[x] = palette.heat(cells[x], palette.isHatched(x, y - top));
            last = out;
        }
    }
}

} // namespace

void rasterRows(QImage& image, const DisplayList& list, const SlicePalette& palette, bool pinned,
                const Workers& workers)
{
    const int bandTop = pinned ? 0 : list.pinnedHeight;
    const int bandBottom = std::min(image.height(), pinned ? list.pinnedHeight : list.size.height);
    const ptrdiff_t stride = image.bytesPerLine() / static_cast<ptrdiff_t>(sizeof(QRgb));
    QRgb* const pixels = reinterpret_cast<QRgb*>(image.bits()) + list.headerWidth;
    const int width = std::min(list.timeWidth(), image.width() - list.headerWidth);
    if (width <= 0) return;
    const auto draw = [&](const DisplayRow& row) {
        const Canvas canvas{pixels, stride, std::max(bandTop, row.y),
                            std::min(bandBottom, row.y + row.height), width};
        if (canvas.top >= canvas.bottom) return;
        if (const HeatMap* const heat = row.kind->heat(row))
            rasterHeat(*heat, row.y, list.metrics, palette, canvas);
        if (row.isFlat && !hasPattern(row, palette)) return rasterFlat(row, palette, canvas);
        if (row.hasAreas) return rasterAreas(row, palette, canvas);
        rasterSpans(row, palette, canvas);
    };
    const std::vector<std::vector<uint32_t>> groups = disjointRowGroups(list, pinned);
    workers.run(groups.size(), [&](size_t i, size_t) {
        for (const uint32_t row : groups[i])
            draw(list.rows[row]);
    });
}

QImage heatImage(const HeatMap& heat, int height, const FrameMetrics& metrics, const SlicePalette& palette)
{
    QImage image(heat.width, height, QImage::Format_ARGB32);
    image.fill(Qt::transparent);
    const ptrdiff_t stride = image.bytesPerLine() / static_cast<ptrdiff_t>(sizeof(QRgb));
    rasterHeat(heat, 0, metrics, palette,
               {reinterpret_cast<QRgb*>(image.bits()), stride, 0, height, heat.width});
    return image;
}

} // namespace lockstep
