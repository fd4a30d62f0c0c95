// SPDX-License-Identifier: Apache-2.0
// LabelMasks: the labels of boxes as coverage masks, each drawn by Qt once and then blended into an image's
// scan lines, several rows at once: names repeat thousands of times, in a frame and from frame to frame.
// Owned by a LanePainter; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <QFont>
#include <QFontMetrics>
#include <QImage>

#include "core/base/workers.h"
#include "core/timeline/display_list.h"
#include "ui/timeline/slice_palette.h"

namespace lockstep {

class LabelMasks {
  public:
    // font: as large as in device pixels.
    explicit LabelMasks(const QFont& font);

    // Draws the labels of one band: those of pinned rows, or of those that scroll. image: format RGB32, size
    // of the list, with everything under the labels.
    void raster(QImage& image, const DisplayList& list, const SlicePalette& palette, bool pinned,
                const Workers& workers);

  private:
    struct Mask {
        int width = 0;
        std::vector<uint8_t> coverage; // m_metrics.height() lines of `width`
    };
    struct TextHash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };

    const Mask& maskOf(std::string_view label);
    Mask made(std::string_view label);

    QFont m_font;
    QFontMetrics m_metrics;
    QImage m_scratch;
    std::unordered_map<std::string, Mask, TextHash, std::equal_to<>> m_masks;
    size_t m_held_bytes = 0;
};

} // namespace lockstep
