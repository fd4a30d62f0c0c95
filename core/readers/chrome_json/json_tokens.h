// SPDX-License-Identifier: Apache-2.0
// JsonTokens: the positions of tokens in a text: brackets, commas, colons, opening quotes, first characters
// of numbers and words. simdjson's first stage finds the tokens and checks the text: UTF-8, no control
// characters in strings, no unclosed string. One per worker, reused; the text must outlive the use of the
// tokens.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "core/readers/chrome_json/json_scalars.h"

namespace lockstep {

class JsonTokens {
  public:
    // Scans a text; returns false if simdjson rejects it. At least 64 readable bytes must follow the text.
    bool scan(std::string_view text);

    size_t count() const { return m_count; }
    // Returns the first character of a token; for token count(), the byte after the text.
    char at(size_t token) const { return m_text[m_begins[token]]; }
    const char* place(size_t token) const { return m_text + m_begins[token]; }
    // Returns the text from the start of one token to the start of another, without trailing blanks.
    std::string_view between(size_t token, size_t end) const
    {
        return withoutTrailingBlanks({m_text + m_begins[token], m_begins[end] - m_begins[token]});
    }
    std::string_view text(size_t token) const { return between(token, token + 1); }
    // Returns the content of the string at `token`, which a colon must follow, as written.
    std::string_view key(size_t token) const
    {
        const char* const begin = place(token) + 1;
        const char* end = place(token + 1) - 1;
        while (*end != '"') // blanks
            --end;
        return {begin, static_cast<size_t>(end - begin)};
    }
    bool isContainer(size_t token) const { return at(token) == '{' || at(token) == '['; }

    // Returns the token after the value that starts at `token`, or 0 if the value is not valid. A value is
    // valid if it follows the JSON grammar, with these exceptions: a number is any sequence of the characters
    // 0-9 + - . e E that starts with a digit or a minus sign; see isNotFinite() for further words; escape
    // sequences in strings and the nesting depth are not checked. The last token of the text must be a
    // closing bracket that does not belong to the value.
    size_t afterValue(size_t token) const
    {
        if (at(token) == '"') return token + 1;
        if (isContainer(token)) return afterContainer(token);
        return isShortNumber(token) || isNumberOrWord(token) ? token + 1 : 0;
    }

    // Returns true if `content` is a string of the text and contains a backslash. A backslash in a string
    // that unescaped() returned is not an escape sequence.
    bool isEscaped(std::string_view content) const
    {
        return m_hasEscapes && content.data() >= m_text && content.data() < m_text + m_size &&
               content.find('\\') != std::string_view::npos;
    }
    // Returns the unescaped form of the string `content` of the text. It is stored in `room` from `used` on.
    // `room` never moves and keeps its content while `used` increases. data() is null if an escape sequence
    // is invalid.
    std::string_view unescaped(std::string_view content, std::vector<uint8_t>& room, size_t& used) const;

  private:
    // Returns true for up to eight digits that the next token follows immediately. Most values are such
    // numbers.
    bool isShortNumber(size_t token) const
    {
        const size_t size = m_begins[token + 1] - m_begins[token];
        if (size > 8) return false;
        uint64_t bytes = 0;
        std::memcpy(&bytes, place(token), sizeof bytes);
        if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
        return areDigits(bytes, size);
    }
    size_t afterContainer(size_t token) const;
    bool isNumberOrWord(size_t token) const;

    std::unique_ptr<simdjson::internal::dom_parser_implementation> m_stages;
    const char* m_text = nullptr;
    const uint32_t* m_begins = nullptr;
    size_t m_size = 0;
    size_t m_count = 0;
    bool m_hasEscapes = false;
};

} // namespace lockstep
