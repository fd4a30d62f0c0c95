// SPDX-License-Identifier: Apache-2.0
// ActivityBuckets: a busy row summed over fixed buckets of 2^k ns, in a hierarchy of levels, so that a pixel
// of any width costs two or three reads. Collapsed groups, rank maps and the minimap are drawn from it while
// a pixel is at least as wide as the finest bucket. Built with the other levels of detail of a report.
// Immutable. Thread: any.
#pragma once

#include <span>
#include <vector>

#include "core/lanes/activity.h"
#include "core/lanes/lod_row.h"

namespace lockstep {

class ActivityBuckets {
  public:
    ActivityBuckets() = default;
    // Builds the buckets. O(intervals). Takes 4 bytes per interval, at least 2 KB (more for small rows) and
    // at most 2 MB.
    explicit ActivityBuckets(const LodRow& row);

    // Returns the shortest pixel duration for which the buckets can be used; for shorter durations, use the
    // row.
    Duration finest() const { return {int64_t(1) << m_shift}; }
    // Adds the activities within `range`, which is split into parts.size() equal pixels, to `parts`. `range`
    // is on the report's clock. Accurate to 1/255 for complete buckets. Within a bucket, the function assumes
    // that work is evenly distributed. O(pixels).
    void addTo(TimeRange range, std::span<ActivityParts> parts) const;
    size_t residentBytes() const { return m_buckets.capacity() * sizeof(uint32_t); }

  private:
    struct Level {
        size_t first = 0; // index in m_buckets
        size_t count = 0;
    };

    void addToOne(TimeRange range, double pixel_ns, std::span<ActivityParts> parts) const;
    void sumRow(const LodRow& row, std::vector<std::array<int64_t, kActivities>>& sums) const;

    int64_t m_begin_ns = 0;
    int m_shift = 0; // the finest buckets are 2^m_shift ns long
    std::vector<Level> m_levels;
    // One byte per activity, with the first activity in the lowest byte. 255 is the full duration of the
    // bucket; nonzero fractions are stored as at least 1.
    std::vector<uint32_t> m_buckets;
};

} // namespace lockstep
