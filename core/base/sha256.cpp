// SPDX-License-Identifier: Apache-2.0
#include "core/base/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "core/base/mapped_file.h"

namespace lockstep {

namespace {

constexpr std::array<uint32_t, 64> kRound{
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2};

uint32_t bigEndian32(const char* bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
        value = (value << 8) | static_cast<unsigned char>(bytes[i]);
    return value;
}

void compressBlocks(std::array<uint32_t, 8>& state, const char* blocks, size_t count)
{
    for (; count > 0; --count, blocks += 64) {
        std::array<uint32_t, 64> word;
        for (size_t t = 0; t < 16; ++t)
            word[t] = bigEndian32(blocks + 4 * t);
        for (size_t t = 16; t < 64; ++t) {
            const uint32_t x = word[t - 15], y = word[t - 2];
            word[t] = word[t - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3)) + word[t - 7] +
                      (std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10));
        }
        auto [a, b, c, d, e, f, g, h] = state;
        for (size_t t = 0; t < 64; ++t) {
            const uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                   ((e & f) ^ (~e & g)) + kRound[t] + word[t];
            const uint32_t second =
                (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
        }
        const std::array<uint32_t, 8> worked{a, b, c, d, e, f, g, h};
        for (size_t i = 0; i < 8; ++i)
            state[i] += worked[i];
    }
}

#if defined(__x86_64__)
// The SHA instructions keep the state as (A B E F) and (C D G H); Each step performs four rounds, interleaved
// with the schedule of the next words.
__attribute__((target("sha,sse4.1,ssse3"))) void compressBlocksByInstruction(std::array<uint32_t, 8>& state,
                                                                             const char* blocks, size_t count)
{
    const __m128i byteOrder = _mm_set_epi64x(0x0C0D0E0F08090A0Bll, 0x0405060700010203ll);
    const auto at = [&state](size_t i) { return static_cast<int>(state[i]); };
    __m128i abef = _mm_set_epi32(at(0), at(1), at(4), at(5));
    __m128i cdgh = _mm_set_epi32(at(2), at(3), at(6), at(7));
    for (; count > 0; --count, blocks += 64) {
        const __m128i abefBefore = abef, cdghBefore = cdgh;
        __m128i word[4];
        for (size_t i = 0; i < 4; ++i) {
            word[i] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(blocks + 16 * i)),
                                       byteOrder);
        }
        for (size_t step = 0; step < 16; ++step) {
            const __m128i current = word[step % 4];
            const __m128i sum =
                _mm_add_epi32(current, _mm_loadu_si128(reinterpret_cast<const __m128i*>(&kRound[4 * step])));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
            const __m128i next = word[(step + 1) % 4], afterNext = word[(step + 2) % 4],
                          last = word[(step + 3) % 4];
            word[step % 4] = _mm_sha256msg2_epu32(
                _mm_add_epi32(_mm_sha256msg1_epu32(current, next), _mm_alignr_epi8(last, afterNext, 4)),
                last);
        }
        abef = _mm_add_epi32(abef, abefBefore);
        cdgh = _mm_add_epi32(cdgh, cdghBefore);
    }
    alignas(16) std::array<uint32_t, 4> high, low;
    _mm_store_si128(reinterpret_cast<__m128i*>(high.data()), abef);
    _mm_store_si128(reinterpret_cast<__m128i*>(low.data()), cdgh);
    state = {high[3], high[2], low[3], low[2], high[1], high[0], low[1], low[0]};
}
#endif

void compress(std::array<uint32_t, 8>& state, const char* blocks, size_t count)
{
#if defined(__x86_64__)
    // GCC 12 does not define a name for the SHA feature bit. A processor without leaf 7 returns the bits of
    // another leaf, so the number of leaves is checked first.
    static const bool hasInstructions = [] {
        uint32_t a = 0, b = 0, c = 0, d = 0;
        return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0 &&
               __builtin_cpu_supports("sse4.1");
    }();
    if (hasInstructions) return compressBlocksByInstruction(state, blocks, count);
#endif
    compressBlocks(state, blocks, count);
}

} // namespace

void Sha256::add(std::string_view bytes)
{
    m_size_bytes += bytes.size();
    if (m_restSize > 0) {
        const size_t take = std::min(bytes.size(), m_rest.size() - m_restSize);
        std::memcpy(m_rest.data() + m_restSize, bytes.data(), take);
        m_restSize += take;
        bytes.remove_prefix(take);
        if (m_restSize < m_rest.size()) return;
        compress(m_state, m_rest.data(), 1);
        m_restSize = 0;
    }
    compress(m_state, bytes.data(), bytes.size() / 64);
    bytes.remove_prefix(bytes.size() / 64 * 64);
    std::ranges::copy(bytes, m_rest.begin());
    m_restSize = bytes.size();
}

std::string Sha256::hexDigest()
{
    const uint64_t size_bits = m_size_bytes * 8;
    std::string padding(1 + (119 - m_restSize) % 64, '\0');
    padding[0] = static_cast<char>(0x80);
    for (int shift = 56; shift >= 0; shift -= 8)
        padding += static_cast<char>(size_bits >> shift & 0xFF);
    add(padding);
    std::string hex;
    for (const uint32_t word : m_state) {
        for (int shift = 28; shift >= 0; shift -= 4)
            hex += "0123456789abcdef"[word >> shift & 0xF];
    }
    return hex;
}

std::string Sha256::of(std::string_view text)
{
    Sha256 digest;
    digest.add(text);
    return digest.hexDigest();
}

Result<std::string> sha256OfFile(const std::filesystem::path& path, const Progress& progress)
{
    constexpr size_t kPiece = 4 << 20;
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(path));
    Sha256 digest;
    for (size_t at = 0; at < file.size(); at += kPiece) {
        LOCKSTEP_TRY(progress.check());
        digest.add(file.text().substr(at, kPiece));
        file.release(at, std::min(kPiece, file.size() - at));
    }
    return digest.hexDigest();
}

} // namespace lockstep
