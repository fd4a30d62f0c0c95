// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/activity_buckets.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

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
    static_assert(kActivities == 4);
    const uint64_t bytes = std::bit_cast<uint32_t>(bucket);
    const uint64_t pairs = (bytes | bytes << 16) & 0x0000'FFFF'0000'FFFFull;
    return (pairs | pairs << 8) & 0x00FF'00FF'00FF'00FFull;
}

constexpr int kPoint = 24; // bits behind the point of a place among buckets

// What a length is of a pixel, of 256.
class Weights {
  public:
    explicit Weights(int64_t step) : m_factor((uint64_t(256) << 32) / static_cast<uint64_t>(step)) {}
    uint64_t of(int64_t length) const
    {
        return std::min<uint64_t>(256, (static_cast<uint64_t>(length) * m_factor + (1u << 31)) >> 32);
    }

  private:
    uint64_t m_factor;
};

// What is left of the weights goes to the last bucket, so that rounding makes no hole.
uint64_t sumBetween(const std::array<uint8_t, kActivities>* buckets, int64_t from, int64_t to,
                    const Weights& weights)
{
    const uint64_t all = weights.of(to - from);
    int64_t bucket = from >> kPoint;
    const int64_t last = (to - 1) >> kPoint;
    if (bucket == last) return spread(buckets[bucket]) * all;
    uint64_t given = std::min(all, weights.of(((bucket + 1) << kPoint) - from));
    uint64_t sum = spread(buckets[bucket]) * given;
    while (++bucket < last) {
        const uint64_t whole = std::min(all - given, weights.of(int64_t(1) << kPoint));
        sum += spread(buckets[bucket]) * whole;
        given += whole;
    }
    return sum + spread(buckets[last]) * (all - given);
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

// The whole row is next to nothing of one pixel, and still seen.
void ActivityBuckets::addToOne(TimeRange range, double pixel_ns, std::span<ActivityParts> parts) const
{
    const double place = static_cast<double>(m_begin_ns - range.begin.ns) / pixel_ns;
    const auto x = static_cast<size_t>(std::clamp(place, 0.0, static_cast<double>(parts.size() - 1)));
    for (size_t i = 0; i < kActivities; ++i)
        parts[x][i] = static_cast<uint16_t>(parts[x][i] + (m_buckets.back()[i] > 0 ? 1 : 0));
}

void ActivityBuckets::addTo(TimeRange range, std::span<ActivityParts> parts) const
{
    if (m_levels.empty() || parts.empty() || range.isEmpty()) return;
    const int64_t length_ns = static_cast<int64_t>(m_levels.front().count) << m_shift;
    if (range.end.ns <= m_begin_ns || range.begin.ns - m_begin_ns >= length_ns) return;
    const double pixel_ns = static_cast<double>(range.length().ns) / static_cast<double>(parts.size());
    // Buckets between a half and one pixel wide: two or three of them make it up.
    const int pixelShift =
        static_cast<int>(std::bit_width(static_cast<uint64_t>(std::max(1.0, pixel_ns)))) - 1;
    const int level = std::clamp(pixelShift - m_shift, 0, static_cast<int>(m_levels.size()) - 1);
    if (pixel_ns > static_cast<double>(length_ns) * kMostBuckets) return addToOne(range, pixel_ns, parts);
    const Bucket* const buckets = m_buckets.data() + m_levels[static_cast<size_t>(level)].first;
    // In buckets from here on, with 24 bits behind the point.
    const auto count = static_cast<int64_t>(m_levels[static_cast<size_t>(level)].count) << kPoint;
    const double scale =
        static_cast<double>(int64_t(1) << kPoint) / static_cast<double>(int64_t(1) << (m_shift + level));
    const double start = static_cast<double>(range.begin.ns - m_begin_ns) * scale;
    const auto step = std::max<int64_t>(1, static_cast<int64_t>(pixel_ns * scale));
    const Weights weights(step);
    const double first =
        std::clamp(std::floor(-start / (pixel_ns * scale)), 0.0, static_cast<double>(parts.size()));
    for (auto x = static_cast<size_t>(first); x < parts.size(); ++x) {
        const auto left = static_cast<int64_t>(start + static_cast<double>(x) * pixel_ns * scale);
        const int64_t from = std::max<int64_t>(0, left), to = std::min(count, left + step);
        if (from >= count) return;
        if (to <= from) continue;
        const uint64_t sum = sumBetween(buckets, from, to, weights);
        // Rounded up: what is there is seen.
        const uint64_t part = ((sum + 0x00FF'00FF'00FF'00FFull) >> 8) & 0x00FF'00FF'00FF'00FFull;
        uint64_t lanes = 0;
        std::memcpy(&lanes, parts[x].data(), sizeof lanes);
        lanes += part;
        std::memcpy(parts[x].data(), &lanes, sizeof lanes);
    }
}

} // namespace lockstep
