// SPDX-License-Identifier: Apache-2.0
// ActivityBuckets: a busy row summed up over fixed buckets of 2^k ns, level above level, so that a pixel of
// any width costs two or three reads whatever it holds. What folded groups, rank maps and the minimap are
// drawn from as long as a pixel is no narrower than the finest bucket. Made with the rest of a report's LOD,
// immutable; any thread.
#pragma once

#include <span>
#include <vector>

#include "core/lanes/activity.h"
#include "core/lanes/lod_row.h"

namespace lockstep {

class ActivityBuckets {
  public:
    ActivityBuckets() = default;
    // O(intervals). 4 bytes an interval, at least 2 KB, more for small rows, and at most 2 MB.
    explicit ActivityBuckets(const LodRow& row);

    // The least length of a pixel that can be answered for; below it, ask the row.
    Duration finest() const { return {int64_t(1) << m_shift}; }
    // Adds to each of `parts` what the activities took of `range`, cut into parts.size() equal pixels. Exact
    // to 1/255 for whole buckets; within a bucket work counts as spread evenly. range is on the report's
    // clock. O(pixels).
    void addTo(TimeRange range, std::span<ActivityParts> parts) const;
    size_t residentBytes() const { return m_buckets.capacity() * sizeof(uint32_t); }

  private:
    struct Level {
        size_t first = 0; // into m_buckets
        size_t count = 0;
    };

    void addToOne(TimeRange range, double pixel_ns, std::span<ActivityParts> parts) const;
    void sumRow(const LodRow& row, std::vector<std::array<int64_t, kActivities>>& sums) const;

    int64_t m_begin_ns = 0;
    int m_shift = 0; // the finest buckets are 2^m_shift ns
    std::vector<Level> m_levels;
    // A byte an activity, the first lowest. 255 = all of the bucket's time; what is not 0 is at least 1.
    std::vector<uint32_t> m_buckets;
};

} // namespace lockstep
