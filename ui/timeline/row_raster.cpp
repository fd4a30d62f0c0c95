#include "ui/timeline/row_raster.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/parallel.h"

namespace lockstep {

namespace {

constexpr int kGapFrom = 4; // boxes at least this wide leave a pixel free on their right

// Where one row may be written: clipped to its band.
struct Canvas {
    QRgb* firstLine;  // at x of the first time pixel
    ptrdiff_t stride; // in pixels
    int top;
    int bottom;
    int width;

    QRgb* line(int y) const { return firstLine + y * stride; }
};

void rasterSlices(const DisplayRow& row, const SlicePalette& palette, const Canvas& canvas)
{
    // The row is one-dimensional: one line is made and copied.
    QRgb* const line = canvas.line(canvas.top);
    for (const DenseColumn& column : row.columns) {
        const uint32_t part = column.occupancy == 0 ? 200 : 100 + column.occupancy * 155u / 255u;
        line[column.x] = blended(palette.fill(column.category, column.nameHash), line[column.x], part);
    }
    for (const SliceBox& box : row.boxes) {
        const int end = box.end - (box.end - box.begin >= kGapFrom ? 1 : 0);
        std::fill(line + box.begin, line + end, palette.fill(box));
    }
    for (int y = canvas.top + 1; y < canvas.bottom; ++y) {
        std::memcpy(canvas.line(y), line, static_cast<size_t>(canvas.width) * sizeof(QRgb));
    }
}

// Columns of colour that begin at a height of their own.
void rasterHeights(const DisplayRow& row, const std::vector<int>& tops, const std::vector<QRgb>& colors,
                   const Canvas& canvas)
{
    for (int y = canvas.top; y < canvas.bottom; ++y) {
        QRgb* const line = canvas.line(y);
        const int below = y - row.y;
        for (size_t x = 0; x < tops.size(); ++x)
            line[x] = tops[x] <= below ? colors[x] : line[x];
    }
}

void rasterOccupancy(const DisplayRow& row, const SlicePalette& palette, const Canvas& canvas)
{
    const bool isBusy = row.shape == RowShape::busy;
    std::vector<int> tops(static_cast<size_t>(canvas.width), row.height);
    std::vector<QRgb> colors(tops.size());
    for (const SliceBox& box : row.boxes) {
        const QRgb color = isBusy ? palette.busy() : palette.fill(box);
        std::fill(tops.begin() + box.begin, tops.begin() + box.end, 0);
        std::fill(colors.begin() + box.begin, colors.begin() + box.end, color);
    }
    for (const DenseColumn& column : row.columns) {
        tops[column.x] = row.height - std::max(1, (row.height * column.occupancy + 127) / 255);
        colors[column.x] = isBusy ? palette.busy() : palette.fill(column.category, column.nameHash);
    }
    rasterHeights(row, tops, colors, canvas);
}

void rasterCounter(const DisplayRow& row, QRgb color, QRgb background, const Canvas& canvas)
{
    std::vector<int> tops(static_cast<size_t>(canvas.width), row.height);
    std::vector<int> edges(tops.size(), row.height);
    const int height = row.height - 2;
    for (const CounterColumn& sample : row.samples) {
        tops[sample.x] = 2 + static_cast<int>(static_cast<float>(height) * (1 - sample.max));
        edges[sample.x] = 2 + static_cast<int>(static_cast<float>(height) * (1 - sample.min));
    }
    const QRgb area = blended(color, background, 110);
    for (int y = canvas.top; y < canvas.bottom; ++y) {
        QRgb* const line = canvas.line(y);
        const int below = y - row.y;
        for (size_t x = 0; x < tops.size(); ++x) {
            if (below < tops[x]) continue;
            // From the largest to the smallest value in full colour, below it the area.
            line[x] = below <= std::max(edges[x], tops[x]) && tops[x] < row.height ? color : area;
        }
    }
}

void rasterHatch(const DisplayRow& row, QRgb color, const Canvas& canvas)
{
    for (int y = canvas.top; y < canvas.bottom; ++y) {
        QRgb* const line = canvas.line(y);
        for (int x = 0; x < canvas.width; ++x) {
            if ((x + y - row.y) % 8 < 2) line[x] = color;
        }
    }
}

} // namespace

void rasterRows(QImage& image, const DisplayList& list, const SlicePalette& palette, const Theme& theme,
                bool pinned)
{
    const int bandTop = pinned ? 0 : list.pinnedHeight;
    const int bandBottom = std::min(image.height(), pinned ? list.pinnedHeight : list.size.height);
    const ptrdiff_t stride = image.bytesPerLine() / static_cast<ptrdiff_t>(sizeof(QRgb));
    QRgb* const pixels = reinterpret_cast<QRgb*>(image.bits()) + list.headerWidth;
    const int width = std::min(list.timeWidth(), image.width() - list.headerWidth);
    if (width <= 0) return;
    const QRgb counter = theme.category(SliceCategory::cudaApi).rgb();
    parallelFor(list.rows.size(), [&](size_t i, size_t) {
        const DisplayRow& row = list.rows[i];
        const Canvas canvas{pixels, stride, std::max(bandTop, row.y),
                            std::min(bandBottom, row.y + row.height), width};
        if (row.isPinned != pinned || canvas.top >= canvas.bottom) return;
        switch (row.shape) {
        case RowShape::slices:
            if (row.isSummary) return rasterOccupancy(row, palette, canvas);
            return rasterSlices(row, palette, canvas);
        case RowShape::busy:
            return rasterOccupancy(row, palette, canvas);
        case RowShape::counter:
            return rasterCounter(row, counter, theme.lane.rgb(), canvas);
        case RowShape::hatch:
            return rasterHatch(row, blended(theme.bad.rgb(), theme.lane.rgb(), 120), canvas);
        }
    });
}

} // namespace lockstep
