// SPDX-License-Identifier: Apache-2.0
// Writes protobuf messages field by field, for tests.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::test {

class ProtoWriter {
  public:
    ProtoWriter& number(uint32_t field, uint64_t value)
    {
        varint(uint64_t(field) << 3);
        varint(value);
        return *this;
    }
    ProtoWriter& fixed(uint32_t field, uint64_t value)
    {
        varint(uint64_t(field) << 3 | 1);
        for (int i = 0; i < 8; ++i)
            m_bytes += static_cast<char>(value >> (8 * i));
        return *this;
    }
    ProtoWriter& real(uint32_t field, double value) { return fixed(field, std::bit_cast<uint64_t>(value)); }
    ProtoWriter& bytes(uint32_t field, std::string_view value)
    {
        varint(uint64_t(field) << 3 | 2);
        varint(value.size());
        m_bytes += value;
        return *this;
    }
    ProtoWriter& message(uint32_t field, const ProtoWriter& inner) { return bytes(field, inner.m_bytes); }
    const std::string& text() const { return m_bytes; }

  private:
    void varint(uint64_t value)
    {
        for (; value >= 0x80; value >>= 7)
            m_bytes += static_cast<char>(value | 0x80);
        m_bytes += static_cast<char>(value);
    }

    std::string m_bytes;
};

} // namespace lockstep::test
