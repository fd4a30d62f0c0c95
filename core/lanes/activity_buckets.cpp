// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/activity_buckets.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace lockstep {

namespace {

constexpr int64_t kMaxBuckets = 1 << 18; // limit for the finest level
constexpr int64_t kMinBuckets = 256;
constexpr int64_t kSmallRow =
    4'096; // rows with at most this many intervals get several buckets per interval, for precise drawing
constexpr int64_t kBucketsPerInterval = 8;
constexpr int64_t kIntervalsPerBucket = 2; // for large rows

constexpr int kPoint = 24; // number of fractional bits in a position in buckets
constexpr uint32_t kWhole = 1u << kPoint;
constexpr uint32_t kLanes = 0x00FF00FF; // selects two bytes as two 16-bit lanes

// Spreads four bytes to four 16-bit lanes, so that each can be multiplied by a weight of at most 256.
uint64_t spread(uint32_t bucket)
{
    static_assert(kActivities == 4);
    const uint64_t pairs = (bucket | uint64_t(bucket) << 16) & 0x0000'FFFF'0000'FFFFull;
    return (pairs | pairs << 8) & 0x00FF'00FF'00FF'00FFull;
}

// Parts of a pixel, in units of 1/256.
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

// The last bucket gets the remaining weight, so that rounding leaves no gap. A row that is much narrower than
// a pixel gets the smallest weight, so it remains visible.
uint64_t sumBetween(const uint32_t* buckets, int64_t from, int64_t to, const Weights& weights)
{
    const uint64_t all = std::max<uint64_t>(1, weights.of(to - from));
    int64_t bucket = from >> kPoint;
    const int64_t last = (to - 1) >> kPoint;
    if (bucket == last) return spread(buckets[bucket]) * all;
    uint64_t usedWeight = std::min(all, weights.of(((bucket + 1) << kPoint) - from));
    uint64_t sum = spread(buckets[bucket]) * usedWeight;
    while (++bucket < last) {
        const uint64_t whole = std::min(all - usedWeight, weights.of(int64_t(1) << kPoint));
        sum += spread(buckets[bucket]) * whole;
        usedWeight += whole;
    }
    return sum + spread(buckets[last]) * (all - usedWeight);
}

void addOne(const uint32_t* buckets, int64_t from, int64_t to, const Weights& weights, ActivityParts& parts)
{
    const uint64_t sum = sumBetween(buckets, from, to, weights);
    // Rounded up so that nonzero activity remains visible.
    const uint64_t part = ((sum + 0x00FF'00FF'00FF'00FFull) >> 8) & 0x00FF'00FF'00FF'00FFull;
    uint64_t lanes = 0;
    std::memcpy(&lanes, parts.data(), sizeof lanes);
    lanes += part;
    std::memcpy(parts.data(), &lanes, sizeof lanes);
}

constexpr uint32_t kRun = 32; // number of pixels per run; their positions fit into 32 bits

// Adds kRun pixels that consist of one or two buckets each, all within the row. `from` is a position in the
// first bucket. The loops are branch-free, so that the compiler can vectorize them for eight pixels.
[[gnu::always_inline]] inline void addRunOf(const uint32_t* buckets, uint32_t from, uint32_t step,
                                            uint16_t* parts)
{
    const auto factor = static_cast<uint32_t>((uint64_t(1) << (16 + kPoint)) / step - 1);
    uint32_t at[kRun], weight0[kRun], weight1[kRun];
    for (uint32_t x = 0; x < kRun; ++x) {
        const uint32_t place = from + x * step;
        const uint32_t first = kWhole - (place & (kWhole - 1));
        const uint32_t second = std::min(kWhole, step - first);
        const uint32_t of = ((second >> 9) * factor + (1u << 22)) >> 23;
        at[x] = place >> kPoint;
        weight0[x] = ((first >> 9) * factor + (1u << 22)) >> 23;
        weight1[x] = step - first > kWhole ? std::min(256 - weight0[x], of) : 256 - weight0[x];
    }
    uint32_t bucket[3][kRun];
    for (uint32_t x = 0; x < kRun; ++x) {
        for (uint32_t i = 0; i < 3; ++i)
            bucket[i][x] = buckets[at[x] + i];
    }
    uint32_t low[kRun], high[kRun];
    for (uint32_t x = 0; x < kRun; ++x) {
        const uint32_t w0 = weight0[x], w1 = weight1[x], w2 = 256 - w0 - w1;
        const uint32_t b0 = bucket[0][x], b1 = bucket[1][x], b2 = bucket[2][x];
        const uint32_t even = (b0 & kLanes) * w0 + (b1 & kLanes) * w1 + (b2 & kLanes) * w2;
        const uint32_t odd = (b0 >> 8 & kLanes) * w0 + (b1 >> 8 & kLanes) * w1 + (b2 >> 8 & kLanes) * w2;
        low[x] = (even + kLanes) >> 8 & kLanes;
        high[x] = (odd + kLanes) >> 8 & kLanes;
    }
    for (uint32_t x = 0; x < kRun; ++x) {
        parts[4 * x] = static_cast<uint16_t>(parts[4 * x] + low[x]);
        parts[4 * x + 1] = static_cast<uint16_t>(parts[4 * x + 1] + high[x]);
        parts[4 * x + 2] = static_cast<uint16_t>(parts[4 * x + 2] + (low[x] >> 16));
        parts[4 * x + 3] = static_cast<uint16_t>(parts[4 * x + 3] + (high[x] >> 16));
    }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void addRunByAvx2(const uint32_t* buckets, uint32_t from, uint32_t step,
                                          uint16_t* parts)
{
    addRunOf(buckets, from, step, parts);
}
#endif

void addRun(const uint32_t* buckets, uint32_t from, uint32_t step, ActivityParts* parts)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return addRunByAvx2(buckets, from, step, parts->data());
#endif
    addRunOf(buckets, from, step, parts->data());
}

} // namespace

ActivityBuckets::ActivityBuckets(const LodRow& row)
{
    if (row.count() == 0) return;
    m_begin_ns = row.start(0);
    const int64_t length = std::max<int64_t>(1, row.end(row.count() - 1) - m_begin_ns);
    const int64_t few = std::min(kSmallRow, row.count() * kBucketsPerInterval);
    const int64_t wanted =
        std::clamp(std::max(few, row.count() / kIntervalsPerBucket), kMinBuckets, kMaxBuckets);
    // Uses the smallest power of two that gives at most the desired number of buckets.
    m_shift = static_cast<int>(std::bit_width(static_cast<uint64_t>((length - 1) / wanted)));
    std::vector<std::array<int64_t, kActivities>> sums(static_cast<size_t>((length - 1) >> m_shift) + 1);
    sumRow(row, sums);
    for (int shift = m_shift;; ++shift) {
        m_levels.push_back({m_buckets.size(), sums.size()});
        const auto bucket_ns = static_cast<double>(int64_t(1) << shift);
        for (const auto& sum : sums) {
            uint32_t& bucket = m_buckets.emplace_back(0);
            for (size_t i = 0; i < kActivities; ++i) {
                const double part = static_cast<double>(sum[i]) / bucket_ns * 255.0;
                const auto of = static_cast<uint32_t>(sum[i] == 0 ? 0.0 : std::clamp(part + 0.5, 1.0, 255.0));
                bucket |= of << 8 * i;
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

// Handles a row that is a tiny part of one pixel but must remain visible.
void ActivityBuckets::addToOne(TimeRange range, double pixel_ns, std::span<ActivityParts> parts) const
{
    const double place = static_cast<double>(m_begin_ns - range.begin.ns) / pixel_ns;
    const auto x = static_cast<size_t>(std::clamp(place, 0.0, static_cast<double>(parts.size() - 1)));
    for (size_t i = 0; i < kActivities; ++i)
        parts[x][i] = static_cast<uint16_t>(parts[x][i] + ((m_buckets.back() >> 8 * i & 0xFF) > 0 ? 1 : 0));
}

void ActivityBuckets::addTo(TimeRange range, std::span<ActivityParts> parts) const
{
    if (m_levels.empty() || parts.empty() || range.isEmpty()) return;
    const int64_t length_ns = static_cast<int64_t>(m_levels.front().count) << m_shift;
    if (range.end.ns <= m_begin_ns || range.begin.ns - m_begin_ns >= length_ns) return;
    const double pixel_ns = static_cast<double>(range.length().ns) / static_cast<double>(parts.size());
    // A pixel consists of two or three buckets, each between half a pixel and one pixel wide.
    const int pixelShift =
        static_cast<int>(std::bit_width(static_cast<uint64_t>(std::max(1.0, pixel_ns)))) - 1;
    const int level = std::clamp(pixelShift - m_shift, 0, static_cast<int>(m_levels.size()) - 1);
    if (pixel_ns > static_cast<double>(length_ns) * kMaxBuckets) return addToOne(range, pixel_ns, parts);
    const uint32_t* const buckets = m_buckets.data() + m_levels[static_cast<size_t>(level)].first;
    // From here on, positions are in buckets with 24 fractional bits.
    const auto count = static_cast<int64_t>(m_levels[static_cast<size_t>(level)].count) << kPoint;
    const double scale =
        static_cast<double>(int64_t(1) << kPoint) / static_cast<double>(int64_t(1) << (m_shift + level));
    const double start = static_cast<double>(range.begin.ns - m_begin_ns) * scale;
    const auto step = std::max<int64_t>(1, static_cast<int64_t>(pixel_ns * scale));
    const Weights weights(step);
    const double before = std::floor(-start / (pixel_ns * scale));
    auto x = static_cast<size_t>(std::clamp(before, 0.0, static_cast<double>(parts.size())));
    while (x < parts.size()) {
        const auto left = static_cast<int64_t>(start + static_cast<double>(x) * pixel_ns * scale);
        const int64_t from = std::max<int64_t>(0, left), to = std::min(count, left + step);
        if (from >= count) return;
        const bool isInside = left >= 0 && left + (kRun + 2) * step + 2 * kWhole < count;
        if (isInside && step >= kWhole && step < 2 * kWhole && x + kRun <= parts.size()) {
            addRun(buckets + (left >> kPoint), static_cast<uint32_t>(left & (kWhole - 1)),
                   static_cast<uint32_t>(step), parts.data() + x);
            x += kRun;
            continue;
        }
        if (to > from) addOne(buckets, from, to, weights, parts[x]);
        ++x;
    }
}

} // namespace lockstep
