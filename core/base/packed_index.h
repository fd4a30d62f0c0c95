// SPDX-License-Identifier: Apache-2.0
// PackedIndex: the points of a gzip or zstd file at which decompression can start, one every few megabytes of
// text. Built while the file is read and stored with its report; immutable afterwards. Any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

struct PackedPoint {
    uint64_t text_bytes = 0;   // offset in the decompressed text
    uint64_t stored_bytes = 0; // offset in the file
    uint8_t bits = 0;          // number of bits in the previous byte that belong to the following data (gzip)
    bool isBegin = true;       // start of a gzip member or zstd frame; if false, `window` is needed
    std::string window = {};   // preceding text, at most 32 KB, that back-references can refer to
};

class PackedIndex {
  public:
    // Distance between points of one gzip member. Decompressing half of this distance takes about 15 ms at
    // 300 MB/s. Each point takes 32 KB of memory.
    static constexpr uint64_t kSpan_bytes = uint64_t(8) << 20;

    // Adds a point. Points must be added in text order.
    void add(PackedPoint point) { m_points.push_back(std::move(point)); }
    bool needsPointAt(uint64_t text_bytes) const
    {
        return text_bytes >= (m_points.empty() ? 0 : m_points.back().text_bytes) + kSpan_bytes;
    }
    // Returns the last point at or before a text offset, or nullptr for the start of the file.
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
