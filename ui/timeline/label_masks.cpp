// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/label_masks.h"

#include <algorithm>

#include <QPainter>

namespace lockstep {

namespace {

constexpr size_t kMaxCache_bytes = size_t(32) << 20; // maximum size of the cache
// Number of pixels by which slanted letters may extend beyond each end of a label.
constexpr int kOverhang = 2;

// PlacedMask is one label with its position: x is relative to the first pixel of the time axis, y to the
// image.
template<class Mask>
struct PlacedMask {
    const Mask* mask;
    int x;
    int y;
    QRgb color;
};

void blend(QRgb* line, const uint8_t* coverage, int width, QRgb color)
{
    for (int x = 0; x < width; ++x) {
        if (coverage[x] == 255) {
            line[x] = color;
        } else if (coverage[x] != 0) {
            line[x] = blended(color, line[x], coverage[x]);
        }
    }
}

} // namespace

LabelMasks::LabelMasks(const QFont& font) : m_font(font), m_metrics(font) {}

const LabelMasks::Mask& LabelMasks::maskOf(std::string_view label)
{
    const auto found = m_masks.find(label);
    if (found != m_masks.end()) return found->second;
    const Mask& mask = m_masks.emplace(label, made(label)).first->second;
    m_stored_bytes += label.size() + mask.coverage.size();
    return mask;
}

LabelMasks::Mask LabelMasks::made(std::string_view label)
{
    const QString text = QString::fromUtf8(label.data(), static_cast<qsizetype>(label.size()));
    Mask mask;
    mask.width = m_metrics.horizontalAdvance(text) + 2 * kOverhang;
    const int height = m_metrics.height();
    if (m_scratch.width() < mask.width)
        m_scratch = QImage(mask.width, height, QImage::Format_ARGB32_Premultiplied);
    m_scratch.fill(Qt::transparent);
    {
        QPainter painter(&m_scratch);
        painter.setFont(m_font);
        painter.setPen(Qt::white);
        painter.drawText(kOverhang, m_metrics.ascent(), text);
    }
    mask.coverage.reserve(static_cast<size_t>(mask.width) * static_cast<size_t>(height));
    for (int y = 0; y < height; ++y) {
        const auto* const line = reinterpret_cast<const QRgb*>(m_scratch.constScanLine(y));
        for (int x = 0; x < mask.width; ++x)
            mask.coverage.push_back(static_cast<uint8_t>(qAlpha(line[x])));
    }
    return mask;
}

void LabelMasks::raster(QImage& image, const DisplayList& list, const SlicePalette& palette, bool pinned,
                        const Workers& workers)
{
    if (m_stored_bytes > kMaxCache_bytes) {
        m_masks.clear();
        m_stored_bytes = 0;
    }
    std::vector<std::vector<PlacedMask<Mask>>> groups;
    for (const std::vector<uint32_t>& together : disjointRowGroups(list, pinned)) {
        auto& placed = groups.emplace_back();
        for (const uint32_t at : together) {
            const DisplayRow& row = list.rows[at];
            const int y = row.y + (row.height - m_metrics.height()) / 2;
            for (const SliceBox& box : row.boxes) {
                if (box.labelLength == 0) continue;
                placed.push_back({&maskOf(row.labelOf(box)),
                                  box.begin + list.metrics.labelPadding - kOverhang, y, palette.text(box)});
            }
        }
    }
    const int bandTop = pinned ? 0 : list.pinnedHeight;
    const int bandBottom = std::min(image.height(), pinned ? list.pinnedHeight : list.size.height);
    const int width = std::min(list.timeWidth(), image.width() - list.headerWidth);
    uchar* const pixels = image.bits();
    const auto stride = static_cast<ptrdiff_t>(image.bytesPerLine());
    workers.run(groups.size(), [&](size_t i, size_t) {
        for (const PlacedMask<Mask>& label : groups[i]) {
            const int left = std::max(0, label.x), right = std::min(width, label.x + label.mask->width);
            if (left >= right) continue;
            const int bottom = std::min(bandBottom, label.y + m_metrics.height());
            for (int y = std::max(bandTop, label.y); y < bottom; ++y) {
                auto* const line = reinterpret_cast<QRgb*>(pixels + y * stride) + list.headerWidth;
                const uint8_t* const coverage =
                    label.mask->coverage.data() + ptrdiff_t(y - label.y) * label.mask->width;
                blend(line + left, coverage + (left - label.x), right - left, label.color);
            }
        }
    });
}

} // namespace lockstep
