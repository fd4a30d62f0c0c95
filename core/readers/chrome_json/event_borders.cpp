// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_borders.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lockstep {

namespace {

constexpr size_t kBlock = 64;

// One bit a byte of a block of 64.
struct BlockMasks {
    uint64_t quote = 0;
    uint64_t backslash = 0;
    uint64_t open = 0;  // { [
    uint64_t close = 0; // } ]
};

#if defined(__SSE2__)
BlockMasks classify(const char* block)
{
    BlockMasks masks;
    for (int part = 0; part < 4; ++part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * part));
        const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20)); // [ ] become { }
        const auto bits = [&](__m128i equal) {
            return uint64_t(static_cast<uint32_t>(_mm_movemask_epi8(equal))) << (16 * part);
        };
        masks.quote |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')));
        masks.backslash |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
        masks.open |= bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')));
        masks.close |= bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
    }
    return masks;
}
#else
BlockMasks classify(const char* block)
{
    BlockMasks masks;
    for (size_t i = 0; i < kBlock; ++i) {
        const char c = block[i];
        const uint64_t bit = uint64_t(1) << i;
        if (c == '"') masks.quote |= bit;
        if (c == '\\') masks.backslash |= bit;
        if (c == '{' || c == '[') masks.open |= bit;
        if (c == '}' || c == ']') masks.close |= bit;
    }
    return masks;
}
#endif

// Walks blocks in order and keeps what goes on from one to the next: an open string, a pending escape.
class StringMask {
  public:
    // Bits of the block that stand inside a string, its opening quote included.
    uint64_t next(const BlockMasks& masks)
    {
        const uint64_t quote = masks.quote & ~escaped(masks.backslash);
        uint64_t inside = quote;
        for (int shift = 1; shift < 64; shift *= 2)
            inside ^= inside << shift;
        inside ^= m_inString;
        m_inString = static_cast<uint64_t>(static_cast<int64_t>(inside) >> 63);
        return inside;
    }

  private:
    // Characters that follow an odd run of backslashes.
    uint64_t escaped(uint64_t backslash)
    {
        if (backslash == 0) {
            const uint64_t out = m_escape;
            m_escape = 0;
            return out;
        }
        uint64_t out = m_escape;
        m_escape = 0;
        for (uint64_t rest = backslash & ~out; rest != 0;) {
            const int at = std::countr_zero(rest);
            if (at == 63) {
                m_escape = 1;
                break;
            }
            out |= uint64_t(2) << at;
            rest &= ~(uint64_t(3) << at);
        }
        return out;
    }

    uint64_t m_inString = 0;
    uint64_t m_escape = 0;
};

size_t skipBlanks(std::string_view text, size_t at)
{
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t'))
        ++at;
    return at;
}

} // namespace

EventBorders findEventBorders(std::string_view text)
{
    EventBorders out;
    StringMask strings;
    int64_t depth = 0;
    std::array<char, kBlock> last = {};
    for (size_t at = 0; at < text.size(); at += kBlock) {
        const char* block = text.data() + at;
        if (text.size() - at < kBlock) {
            last.fill(' ');
            std::memcpy(last.data(), block, text.size() - at);
            block = last.data();
        }
        const BlockMasks masks = classify(block);
        const uint64_t outside = ~strings.next(masks);
        const uint64_t open = masks.open & outside;
        const uint64_t close = masks.close & outside;
        const int closes = std::popcount(close);
        if (depth - closes > 0) { // no element can end here
            depth += std::popcount(open) - closes;
            continue;
        }
        for (uint64_t rest = open | close; rest != 0; rest &= rest - 1) {
            const int bit = std::countr_zero(rest);
            depth += (open >> bit & 1) != 0 ? 1 : -1;
            if (depth > 0 || (open >> bit & 1) != 0) continue;
            if (depth < 0) {
                out.arrayClosed = true;
                out.closeAt = at + static_cast<size_t>(bit);
                return out;
            }
            out.end = at + static_cast<size_t>(bit) + 1;
        }
    }
    return out;
}

std::optional<size_t> objectEnd(std::string_view text)
{
    int64_t depth = 0;
    bool inString = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (inString) {
            if (c == '\\') {
                ++at;
            } else if (c == '"') {
                inString = false;
            }
        } else if (c == '"') {
            inString = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth <= 0) {
            return at + 1;
        }
    }
    return std::nullopt;
}

bool endsString(std::string_view text, size_t at)
{
    const size_t next = skipBlanks(text, at + 1);
    return next >= text.size() || text[next] == ',' || text[next] == ':' || text[next] == '}' ||
           text[next] == ']';
}

std::optional<size_t> tolerantObjectEnd(std::string_view text)
{
    int64_t depth = 0;
    bool inString = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (inString) {
            if (c == '\\') {
                ++at;
            } else if (c == '"') {
                inString = !endsString(text, at);
            }
        } else if (c == '"') {
            inString = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth <= 0) {
            return at + 1;
        }
    }
    return std::nullopt;
}

} // namespace lockstep
