// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_borders.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/readers/chrome_json/text_blocks.h"

namespace lockstep {

namespace {

constexpr size_t kBlock = BlockMasks::kBlock;

// Processes blocks in order and carries state from block to block: whether a string or an escape sequence is
// open.
class StringMask {
  public:
    // Returns the bits of the block that are inside a string, including its opening quote. For parityUpTo,
    // see PlainBlocks.
    template<class Blocks>
    [[gnu::always_inline]] inline uint64_t next(const BlockMasks& masks)
    {
        const uint64_t quotes =
            masks.quote & ~((masks.backslash | m_escape) == 0 ? 0 : escaped(masks.backslash));
        const uint64_t inside = Blocks::parityUpTo(quotes) ^ m_inString;
        m_inString = static_cast<uint64_t>(static_cast<int64_t>(inside) >> 63);
        return inside;
    }

  private:
    // Returns the characters that follow an odd number of backslashes.
    uint64_t escaped(uint64_t backslash)
    {
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

template<class Blocks>
[[gnu::always_inline]] inline EventBorders bordersOf(std::string_view text)
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
        const BlockMasks masks = Blocks::classify(block);
        const uint64_t outside = ~strings.next<Blocks>(masks);
        const uint64_t open = masks.open & outside;
        const uint64_t close = masks.close & outside;
        const int closes = Blocks::count(close);
        if (depth - closes > 0) { // no element can end in this block
            depth += Blocks::count(open) - closes;
            continue;
        }
        int64_t closed = 0;
        for (uint64_t rest = close; rest != 0; rest &= rest - 1) {
            const int bit = std::countr_zero(rest);
            ++closed;
            const int64_t level = depth + Blocks::count(open & ((uint64_t(1) << bit) - 1)) - closed;
            if (level > 0) continue;
            if (level < 0) {
                out.arrayClosed = true;
                out.closeAt = at + static_cast<size_t>(bit);
                return out;
            }
            out.end = at + static_cast<size_t>(bit) + 1;
        }
        depth += Blocks::count(open) - closes;
    }
    return out;
}

#if defined(LOCKSTEP_HAS_AVX2)
LOCKSTEP_FOR_AVX2 EventBorders bordersByAvx2(std::string_view text)
{
    return bordersOf<Avx2Blocks>(text);
}
#endif

size_t skipBlanks(std::string_view text, size_t at)
{
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t'))
        ++at;
    return at;
}

} // namespace

EventBorders findEventBorders(std::string_view text)
{
#if defined(LOCKSTEP_HAS_AVX2)
    if (hasAvx2()) return bordersByAvx2(text);
#endif
    return bordersOf<PlainBlocks>(text);
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
