// SPDX-License-Identifier: Apache-2.0
// Converts UTF-16 and UTF-32 text to UTF-8, because Windows shell redirection and some editors write JSON
// files in these encodings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

// Appends a code point as UTF-8; invalid code points become U+FFFD.
void appendUtf8(uint32_t code, std::string& out);

enum class WideEncoding : uint8_t { none, utf16Little, utf16Big, utf32Little, utf32Big };

// Detects the encoding from the first four bytes: a byte order mark, or the start of JSON text in that
// encoding.
WideEncoding wideEncodingOf(std::string_view head);

// WideDecoder decodes text in pieces, and a character may be split between two pieces. The byte order mark is
// removed; invalid sequences become U+FFFD.
class WideDecoder {
  public:
    explicit WideDecoder(WideEncoding encoding) : m_encoding(encoding) {}

    void decode(std::string_view bytes, std::string& out);
    // Returns true if the text ended in the middle of a character.
    bool isCut() const { return !m_rest.empty() || m_highSurrogate != 0; }

  private:
    void addUnit(uint32_t unit, std::string& out);

    WideEncoding m_encoding;
    std::string m_rest; // bytes of an incomplete unit
    uint32_t m_highSurrogate = 0;
    bool m_isAtBegin = true;
};

} // namespace lockstep
