// SPDX-License-Identifier: Apache-2.0
// UTF-16 and UTF-32 text as UTF-8: what a Windows shell's redirection and some editors make of a JSON file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

// Appends a character's code as UTF-8; what is none becomes U+FFFD.
void appendUtf8(uint32_t code, std::string& out);

enum class WideEncoding : uint8_t { none, utf16Little, utf16Big, utf32Little, utf32Big };

// From a text's first four bytes: a byte order mark, else the start of a JSON text in that encoding.
WideEncoding wideEncodingOf(std::string_view head);

// Decodes a text piece by piece; a character may be cut by the border of two pieces. The byte order mark is
// dropped; what encodes no character becomes U+FFFD.
class WideDecoder {
  public:
    explicit WideDecoder(WideEncoding encoding) : m_encoding(encoding) {}

    void decode(std::string_view bytes, std::string& out);
    // Whether the text ended in the middle of a character.
    bool isCut() const { return !m_rest.empty() || m_highSurrogate != 0; }

  private:
    void addUnit(uint32_t unit, std::string& out);

    WideEncoding m_encoding;
    std::string m_rest; // bytes of a unit that is not complete yet
    uint32_t m_highSurrogate = 0;
    bool m_isAtBegin = true;
};

} // namespace lockstep
