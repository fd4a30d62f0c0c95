// SPDX-License-Identifier: Apache-2.0
// Bit masks of 64 bytes of JSON text, one bit per byte: quotes, backslashes, brackets. Two variants with
// equal results: PlainBlocks for every machine, and Avx2Blocks for x86-64 processors with AVX2, detected at
// run time; only functions compiled for the same target may call the functions of Avx2Blocks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#define LOCKSTEP_HAS_AVX2 1
#define LOCKSTEP_FOR_AVX2 __attribute__((target("avx2,bmi,popcnt,pclmul")))
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lockstep {

struct BlockMasks {
    static constexpr size_t kBlock = 64;

    uint64_t quote = 0;
    uint64_t backslash = 0;
    uint64_t open = 0;  // positions of { [
    uint64_t close = 0; // positions of } ]
};

struct PlainBlocks {
    static BlockMasks classify(const char* block)
    {
        BlockMasks masks;
#if defined(__SSE2__)
        for (int part = 0; part < 4; ++part) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * part));
            const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20)); // maps [ ] to { }
            const auto bits = [&](__m128i equal) {
                return uint64_t(static_cast<uint32_t>(_mm_movemask_epi8(equal))) << (16 * part);
            };
            masks.quote |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
            masks.backslash |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
            masks.open |= bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')));
            masks.close |= bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
        }
#else
        for (size_t i = 0; i < BlockMasks::kBlock; ++i) {
            const char c = block[i];
            const uint64_t bit = uint64_t(1) << i;
            if (c == '"') masks.quote |= bit;
            if (c == '\\') masks.backslash |= bit;
            if (c == '{' || c == '[') masks.open |= bit;
            if (c == '}' || c == ']') masks.close |= bit;
        }
#endif
        return masks;
    }

    // Returns a mask whose bit i is set if an odd number of bits up to and including i are set.
    static uint64_t parityUpTo(uint64_t bits)
    {
        for (int shift = 1; shift < 64; shift *= 2)
            bits ^= bits << shift;
        return bits;
    }

    // std::popcount() calls a library function unless the compiler is allowed to use the instruction.
    static int count(uint64_t bits)
    {
        bits -= bits >> 1 & 0x5555'5555'5555'5555u;
        bits = (bits & 0x3333'3333'3333'3333u) + (bits >> 2 & 0x3333'3333'3333'3333u);
        bits = (bits + (bits >> 4)) & 0x0F0F'0F0F'0F0F'0F0Fu;
        return static_cast<int>(bits * 0x0101'0101'0101'0101u >> 56);
    }
};

#if defined(LOCKSTEP_HAS_AVX2)
struct Avx2Blocks {
    LOCKSTEP_FOR_AVX2 static uint64_t bits(__m256i low, __m256i high)
    {
        return uint64_t(static_cast<uint32_t>(_mm256_movemask_epi8(low))) |
               uint64_t(static_cast<uint32_t>(_mm256_movemask_epi8(high))) << 32;
    }

    LOCKSTEP_FOR_AVX2 static BlockMasks classify(const char* block)
    {
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 32));
        const __m256i foldedLow = _mm256_or_si256(low, _mm256_set1_epi8(0x20)); // maps [ ] to { }
        const __m256i foldedHigh = _mm256_or_si256(high, _mm256_set1_epi8(0x20));
        const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\');
        const __m256i open = _mm256_set1_epi8('{'), close = _mm256_set1_epi8('}');
        BlockMasks masks;
        masks.quote = bits(_mm256_cmpeq_epi8(low, quote), _mm256_cmpeq_epi8(high, quote));
        masks.backslash = bits(_mm256_cmpeq_epi8(low, backslash), _mm256_cmpeq_epi8(high, backslash));
        masks.open = bits(_mm256_cmpeq_epi8(foldedLow, open), _mm256_cmpeq_epi8(foldedHigh, open));
        masks.close = bits(_mm256_cmpeq_epi8(foldedLow, close), _mm256_cmpeq_epi8(foldedHigh, close));
        return masks;
    }

    LOCKSTEP_FOR_AVX2 static uint64_t parityUpTo(uint64_t bits)
    {
        const __m128i all = _mm_set1_epi8(static_cast<char>(0xFF));
        const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<int64_t>(bits)), all, 0);
        return static_cast<uint64_t>(_mm_cvtsi128_si64(product));
    }

    LOCKSTEP_FOR_AVX2 static int count(uint64_t bits) { return std::popcount(bits); }
};

inline bool hasAvx2()
{
    static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                            __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul");
    return has;
}
#endif

} // namespace lockstep
