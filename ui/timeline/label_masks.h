// SPDX-License-Identifier: Apache-2.0
// LabelMasks caches the labels of slices as coverage masks. Qt draws each label once; raster() then blends
// the masks into the scan lines of an image, several rows in parallel. The same names occur thousands of
// times within a frame and in successive frames, so blending a mask is much cheaper than drawing the text
// again. Owned by a LanePainter; one thread.
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
    // `font` has the size in device pixels.
    explicit LabelMasks(const QFont& font);

    // Draws the labels of either the pinned rows or the scrolling rows. `image` has format RGB32 and the size
    // of the list, and already contains everything below the labels.
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
    size_t m_stored_bytes = 0;
};

} // namespace lockstep
