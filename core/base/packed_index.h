// SPDX-License-Identifier: Apache-2.0
// PackedIndex: where in a gzip or zstd file unpacking can begin without all that comes before: a point every
// few megabytes of text. Found while the file is read, kept by its report; immutable then, any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

struct PackedPoint {
    uint64_t text_bytes = 0;   // how far into the unpacked text
    uint64_t stored_bytes = 0; // the same in the file
    uint8_t bits = 0;          // how many of the byte before still belong to what follows: gzip
    bool isBegin = true;       // of a gzip member or zstd frame; else `window` is needed
    std::string window = {};   // the text before, at most 32 KB of it: what matches refer to
};

class PackedIndex {
  public:
    // Between points of one gzip member. At 300 MB/s and more half a point is unpacked in some 15 ms; a point
    // takes 32 KB.
    static constexpr uint64_t kSpan_bytes = uint64_t(8) << 20;

    // In the order of the text.
    void add(PackedPoint point) { m_points.push_back(std::move(point)); }
    bool wantsPointAt(uint64_t text_bytes) const
    {
        return text_bytes >= (m_points.empty() ? 0 : m_points.back().text_bytes) + kSpan_bytes;
    }
    // The last point at or before that place of the text; nullptr: the file's begin.
    const PackedPoint* before(uint64_t text_bytes) const
    {
        const auto after =
            std::ranges::upper_bound(m_points, text_bytes, std::ranges::less(), &PackedPoint::text_bytes);
        return after == m_points.begin() ? nullptr : &*(after - 1);
    }
    size_t size() const { return m_points.size(); }
    size_t residentBytes() const
    {
        size_t bytes = m_points.capacity() * sizeof(PackedPoint);
        for (const PackedPoint& point : m_points)
            bytes += point.window.capacity();
        return bytes;
    }

  private:
    std::vector<PackedPoint> m_points;
};

} // namespace lockstep
