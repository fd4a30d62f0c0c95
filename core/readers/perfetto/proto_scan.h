// SPDX-License-Identifier: Apache-2.0
// ProtoScan reads the protobuf wire format field by field from memory. It never reads outside its bytes,
// allocates memory or recurses. Any thread.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lockstep {

enum class WireType : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct ProtoField {
    uint32_t id = 0;
    WireType type = WireType::varint;
    uint64_t number = 0;    // varint, fixed64 and fixed32
    std::string_view bytes; // bytes

    int64_t asSigned() const { return static_cast<int64_t>(number); }
    double asDouble() const { return std::bit_cast<double>(number); }
};

class ProtoScan {
  public:
    explicit ProtoScan(std::string_view bytes) : m_bytes(bytes) {}

    // Reads the next field. `number` is 0 or `bytes` is empty if the field has the other type. Returns false
    // at the end, or at invalid data (isBroken() then returns true).
    bool next(ProtoField& field)
    {
        field = {};
        uint64_t tag = 0;
        if (m_at >= m_bytes.size()) return false;
        if (!varint(tag) || tag >> 3 == 0 || tag >> 3 > kLargestField) return fail();
        field.id = static_cast<uint32_t>(tag >> 3);
        field.type = static_cast<WireType>(tag & 7);
        switch (field.type) {
        case WireType::varint:
            return varint(field.number) || fail();
        case WireType::fixed64:
            return fixed(8, field.number) || fail();
        case WireType::fixed32:
            return fixed(4, field.number) || fail();
        case WireType::bytes:
            break;
        default:
            return fail(); // groups were deprecated before the trace format existed
        }
        uint64_t length = 0;
        if (!varint(length) || length > m_bytes.size() - m_at) return fail();
        field.bytes = m_bytes.substr(m_at, length);
        m_at += length;
        return true;
    }
    bool isBroken() const { return m_isBroken; }
    // Returns the number of bytes read so far.
    size_t position() const { return m_at; }

    // Reads a number of a packed list, which has no tag. Returns false at the end, or at a truncated number
    // (isBroken() then returns true).
    bool nextVarint(uint64_t& number) { return m_at < m_bytes.size() && (varint(number) || fail()); }

  private:
    static constexpr uint64_t kLargestField = 536'870'911;

    bool fail()
    {
        m_isBroken = true;
        return false;
    }
    bool varint(uint64_t& number)
    {
        number = 0;
        for (int shift = 0; shift < 64 && m_at < m_bytes.size(); shift += 7) {
            const auto byte = static_cast<unsigned char>(m_bytes[m_at++]);
            number |= uint64_t(byte & 0x7F) << shift;
            if (byte < 0x80) return true;
        }
        return false;
    }
    bool fixed(size_t width, uint64_t& number)
    {
        number = 0;
        if (width > m_bytes.size() - m_at) return false;
        std::memcpy(&number, m_bytes.data() + m_at, width);
        m_at += width;
        return true;
    }

    std::string_view m_bytes;
    size_t m_at = 0;
    bool m_isBroken = false;
};

} // namespace lockstep
