// SPDX-License-Identifier: Apache-2.0
// BlockSum: sums the slices in one block of a row (see RowSums) that start before a given time. This is the
// innermost step for every drawn pixel. Pure functions used by LodRow; they are scalar, or process four
// slices at once on processors with AVX2, with the same result.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "core/lanes/row_columns.h"

namespace lockstep {

template<uint32_t kKinds>
struct BlockSum {
    uint32_t before = 0;
    int64_t busy_ns = 0;
    std::array<int64_t, kKinds> mix_ns = {}; // by category, except the last one
};

// Reads all slices in the block without data-dependent branches. A branch misprediction costs more than
// reading the few slices that start later.
template<uint32_t kKinds, bool kIsIndexed>
void sumBlock(const RowColumns& row, const SliceCategory* kindAt, uint32_t begin, uint32_t count, int64_t t,
              BlockSum<kKinds>& sum)
{
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at = kIsIndexed ? row.index[begin + i] : begin + i;
        const int64_t isBefore = row.start_ns[at] < t;
        const int64_t ns = -isBefore & row.duration_ns[at];
        sum.before += static_cast<uint32_t>(isBefore);
        sum.busy_ns += ns;
        for (uint32_t kind = 0; kind + 1 < kKinds; ++kind)
            sum.mix_ns[kind] += -int64_t(row.category[at] == kindAt[kind]) & ns;
    }
}

#ifdef __x86_64__
inline const bool kHasAvx2 = __builtin_cpu_supports("avx2");

[[gnu::target("avx2")]] inline __m256i loadFour(const int64_t* at)
{
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

[[gnu::target("avx2")]] inline int64_t addedUp(__m256i a, __m256i b)
{
    const __m256i four = _mm256_add_epi64(a, b);
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
    return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}

// Like the function above, but for a complete block with consecutive rows; processes four slices at once.
template<uint32_t kKinds>
[[gnu::target("avx2,popcnt")]] void sumBlockByFours(const RowColumns& row, const SliceCategory* kindAt,
                                                    uint32_t begin, int64_t t, BlockSum<kKinds>& sum)
{
    static_assert(RowColumns::kBlock == 8 && sizeof(SliceCategory) == 1);
    const __m256i moment = _mm256_set1_epi64x(t);
    const __m256i isBefore1 = _mm256_cmpgt_epi64(moment, loadFour(row.start_ns + begin));
    const __m256i isBefore2 = _mm256_cmpgt_epi64(moment, loadFour(row.start_ns + begin + 4));
    const __m256i ns1 = _mm256_and_si256(isBefore1, loadFour(row.duration_ns + begin));
    const __m256i ns2 = _mm256_and_si256(isBefore2, loadFour(row.duration_ns + begin + 4));
    const int bits1 = _mm256_movemask_pd(_mm256_castsi256_pd(isBefore1));
    const int bits2 = _mm256_movemask_pd(_mm256_castsi256_pd(isBefore2));
    sum.before = static_cast<uint32_t>(std::popcount(static_cast<uint32_t>(bits1 | bits2 << 4)));
    sum.busy_ns = addedUp(ns1, ns2);
    if constexpr (kKinds > 1) {
        const __m128i categories = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row.category + begin));
        for (uint32_t kind = 0; kind + 1 < kKinds; ++kind) {
            const __m128i isKind = _mm_cmpeq_epi8(categories, _mm_set1_epi8(static_cast<char>(kindAt[kind])));
            const __m256i isKind1 = _mm256_cvtepi8_epi64(isKind);
            const __m256i isKind2 = _mm256_cvtepi8_epi64(_mm_srli_epi64(isKind, 32));
            sum.mix_ns[kind] = addedUp(_mm256_and_si256(ns1, isKind1), _mm256_and_si256(ns2, isKind2));
        }
    }
}
#endif

// Returns false if this processor lacks AVX2.
template<uint32_t kKinds>
bool sumWideBlock(const RowColumns& row, const SliceCategory* kindAt, uint32_t begin, int64_t t,
                  BlockSum<kKinds>& sum)
{
#ifdef __x86_64__
    if (kHasAvx2) sumBlockByFours<kKinds>(row, kindAt, begin, t, sum);
    return kHasAvx2;
#else
    return false;
#endif
}

} // namespace lockstep
