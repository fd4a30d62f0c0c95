#include "core/lanes/activity_buckets.h"

#include <algorithm>
#include <bit>

namespace lockstep {

namespace {

constexpr int64_t kMostBuckets = 1 << 18; // of the finest level
constexpr int64_t kLeastBuckets = 256;
constexpr int64_t kSmallRow = 4'096; // up to so many buckets there are several an interval, to be drawn from
constexpr int64_t kBucketsPerInterval = 8;
constexpr int64_t kIntervalsPerBucket = 2; // of large rows

// Four bytes as four lanes of 16 bits: a lane times a weight of at most 256 stays in it.
uint64_t spread(std::array<uint8_t, kActivities> bucket)
{
    return uint64_t(bucket[0]) | uint64_t(bucket[1]) << 16 | uint64_t(bucket[2]) << 32 |
           uint64_t(bucket[3]) << 48;
}

// Of 256, which is a whole pixel.
uint64_t weightOf(double part)
{
    return std::min<uint64_t>(256, static_cast<uint64_t>(part + 0.5));
}

} // namespace

ActivityBuckets::ActivityBuckets(const LodRow& row)
{
    if (row.count() == 0) return;
    m_begin_ns = row.start(0);
    const int64_t length = std::max<int64_t>(1, row.end(row.count() - 1) - m_begin_ns);
    const int64_t few = std::min(kSmallRow, row.count() * kBucketsPerInterval);
    const int64_t wanted =
        std::clamp(std::max(few, row.count() / kIntervalsPerBucket), kLeastBuckets, kMostBuckets);
    // The first power of two with no more buckets than wanted.
    m_shift = static_cast<int>(std::bit_width(static_cast<uint64_t>((length - 1) / wanted)));
    std::vector<std::array<int64_t, kActivities>> sums(static_cast<size_t>((length - 1) >> m_shift) + 1);
    sumRow(row, sums);
    for (int shift = m_shift;; ++shift) {
        m_levels.push_back({m_buckets.size(), sums.size()});
        const auto bucket_ns = static_cast<double>(int64_t(1) << shift);
        for (const auto& sum : sums) {
            Bucket& bucket = m_buckets.emplace_back();
            for (size_t i = 0; i < kActivities; ++i) {
                const double part = static_cast<double>(sum[i]) / bucket_ns * 255.0;
                bucket[i] = static_cast<uint8_t>(sum[i] == 0 ? 0.0 : std::clamp(part + 0.5, 1.0, 255.0));
            }
        }
        if (sums.size() == 1) break;
        for (size_t i = 0; i < sums.size(); ++i) {
            if (i % 2 == 0) {
                sums[i / 2] = sums[i];
            } else {
                for (size_t k = 0; k < kActivities; ++k)
                    sums[i / 2][k] += sums[i][k];
            }
        }
        sums.resize((sums.size() + 1) / 2);
    }
    m_buckets.shrink_to_fit();
}

void ActivityBuckets::sumRow(const LodRow& row, std::vector<std::array<int64_t, kActivities>>& sums) const
{
    for (uint32_t i = 0; i < row.count(); ++i) {
        const auto activity = static_cast<size_t>(activityOf(row.category(i)));
        int64_t begin = row.start(i) - m_begin_ns;
        const int64_t end = row.end(i) - m_begin_ns;
        while (begin < end) {
            const int64_t bucket = begin >> m_shift;
            const int64_t until = std::min(end, (bucket + 1) << m_shift);
            sums[static_cast<size_t>(bucket)][activity] += until - begin;
            begin = until;
        }
    }
}

void ActivityBuckets::addTo(TimeRange range, std::span<ActivityParts> parts) const
{
    if (m_levels.empty() || parts.empty() || range.isEmpty()) return;
    const double pixel_ns = static_cast<double>(range.length().ns) / static_cast<double>(parts.size());
    // Buckets between a half and one pixel wide: two or three of them make it up.
    const int pixelShift =
        static_cast<int>(std::bit_width(static_cast<uint64_t>(std::max(1.0, pixel_ns)))) - 1;
    const int level = std::clamp(pixelShift - m_shift, 0, static_cast<int>(m_levels.size()) - 1);
    const Bucket* const buckets = m_buckets.data() + m_levels[static_cast<size_t>(level)].first;
    const auto count = static_cast<double>(m_levels[static_cast<size_t>(level)].count);
    const double toBuckets = 1.0 / static_cast<double>(int64_t(1) << (m_shift + level));
    const double start = static_cast<double>(range.begin.ns - m_begin_ns) * toBuckets;
    const double step = pixel_ns * toBuckets;
    const double toWeight = 256.0 / step;
    const double firstPixel = std::clamp(-start / step, 0.0, static_cast<double>(parts.size()));
    for (auto x = static_cast<size_t>(firstPixel); x < parts.size(); ++x) {
        const double from = std::max(0.0, start + static_cast<double>(x) * step);
        const double to = std::min(count, start + static_cast<double>(x + 1) * step);
        if (from >= count) return;
        auto bucket = static_cast<size_t>(from);
        const auto lastBucket = static_cast<size_t>(to);
        uint64_t sum = 0;
        if (bucket == lastBucket) {
            sum = spread(buckets[bucket]) * weightOf((to - from) * toWeight);
        } else {
            // What is left of the weights goes to the last bucket, so that rounding makes no hole.
            const uint64_t all = weightOf((to - from) * toWeight);
            uint64_t given = weightOf((static_cast<double>(bucket + 1) - from) * toWeight);
            sum = spread(buckets[bucket]) * given;
            while (++bucket < lastBucket) {
                const uint64_t whole = std::min(all - given, weightOf(toWeight));
                sum += spread(buckets[bucket]) * whole;
                given += whole;
            }
            if (to > static_cast<double>(lastBucket)) sum += spread(buckets[lastBucket]) * (all - given);
        }
        // Rounded up: what is there is seen.
        const uint64_t part = ((sum + 0x00FF'00FF'00FF'00FFull) >> 8) & 0x00FF'00FF'00FF'00FFull;
        for (size_t i = 0; i < kActivities; ++i)
            parts[x][i] = static_cast<uint16_t>(parts[x][i] + ((part >> (16 * i)) & 0xFF));
    }
}

} // namespace lockstep
