// SPDX-License-Identifier: Apache-2.0
// Writes pickles opcode by opcode, for tests: valid and hostile ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::test {

class PickleWriter {
  public:
    explicit PickleWriter(int protocol = 4)
    {
        m_bytes += '\x80';
        m_bytes += static_cast<char>(protocol);
    }

    PickleWriter& op(std::string_view bytes)
    {
        m_bytes += bytes;
        return *this;
    }
    PickleWriter& text(std::string_view text)
    {
        m_bytes += 'X';
        little(text.size(), 4);
        m_bytes += text;
        return *this;
    }
    PickleWriter& number(uint64_t value)
    {
        m_bytes += "\x8A\x09";
        little(value, 8);
        m_bytes += '\0';
        return *this;
    }
    PickleWriter& little(uint64_t value, int width)
    {
        for (int i = 0; i < width; ++i)
            m_bytes += static_cast<char>(value >> (8 * i));
        return *this;
    }
    // {"key": number} pairs are set into the dictionary on top.
    PickleWriter& entry(std::string_view key, uint64_t value) { return text(key).number(value).op("s"); }
    PickleWriter& entry(std::string_view key, std::string_view value)
    {
        return text(key).text(value).op("s");
    }

    const std::string& bytes() const { return m_bytes; }

  private:
    std::string m_bytes;
};

} // namespace lockstep::test
