// SPDX-License-Identifier: Apache-2.0
#include "core/base/wide_text.h"

#include <array>

namespace lockstep {

namespace {

constexpr uint32_t kReplacementCode = 0xFFFD;
constexpr uint32_t kByteOrderMark = 0xFEFF;

struct WideMark {
    std::string_view bytes;
    WideEncoding encoding;
};

// Longer marks come first, because the little-endian mark of UTF-16 is also the start of the mark of UTF-32.
constexpr std::array kMarks{
    WideMark{{"\xFF\xFE\0\0", 4}, WideEncoding::utf32Little},
    WideMark{{"\0\0\xFE\xFF", 4}, WideEncoding::utf32Big},
    WideMark{{"\xFF\xFE", 2}, WideEncoding::utf16Little},
    WideMark{{"\xFE\xFF", 2}, WideEncoding::utf16Big},
};

size_t unitSize(WideEncoding encoding)
{
    return encoding == WideEncoding::utf16Little || encoding == WideEncoding::utf16Big ? 2 : 4;
}

bool isLittle(WideEncoding encoding)
{
    return encoding == WideEncoding::utf16Little || encoding == WideEncoding::utf32Little;
}

bool isHighSurrogate(uint32_t unit)
{
    return unit >= 0xD800 && unit < 0xDC00;
}

bool isLowSurrogate(uint32_t unit)
{
    return unit >= 0xDC00 && unit < 0xE000;
}

} // namespace

void appendUtf8(uint32_t code, std::string& out)
{
    const auto add = [&](uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code > 0x10FFFF || isHighSurrogate(code) || isLowSurrogate(code)) code = kReplacementCode;
    if (code < 0x80) return add(code);
    if (code < 0x800) {
        add(0xC0 | (code >> 6));
    } else {
        if (code < 0x10000) {
            add(0xE0 | (code >> 12));
        } else {
            add(0xF0 | (code >> 18));
            add(0x80 | ((code >> 12) & 0x3F));
        }
        add(0x80 | ((code >> 6) & 0x3F));
    }
    add(0x80 | (code & 0x3F));
}

WideEncoding wideEncodingOf(std::string_view head)
{
    for (const WideMark& mark : kMarks) {
        if (head.starts_with(mark.bytes)) return mark.encoding;
    }
    if (head.size() < 4) return WideEncoding::none;
    const auto isText = [&](size_t at) { return head[at] > 0 && head[at] != 0x7F; };
    const auto isZero = [&](size_t at) { return head[at] == 0; };
    const auto beginsJson = [&](size_t at) { return head[at] == '{' || head[at] == '['; };
    if (beginsJson(0) && isZero(1) && isText(2) && isZero(3)) return WideEncoding::utf16Little;
    if (isZero(0) && beginsJson(1) && isZero(2) && isText(3)) return WideEncoding::utf16Big;
    if (beginsJson(0) && isZero(1) && isZero(2) && isZero(3)) return WideEncoding::utf32Little;
    if (isZero(0) && isZero(1) && isZero(2) && beginsJson(3)) return WideEncoding::utf32Big;
    return WideEncoding::none;
}

void WideDecoder::addUnit(uint32_t unit, std::string& out)
{
    const bool isMark = m_isAtBegin && unit == kByteOrderMark;
    m_isAtBegin = false;
    if (isMark) return;
    if (m_highSurrogate != 0) {
        const uint32_t high = m_highSurrogate;
        m_highSurrogate = 0;
        if (isLowSurrogate(unit)) return appendUtf8(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00), out);
        appendUtf8(kReplacementCode, out);
    }
    if (unitSize(m_encoding) == 2 && isHighSurrogate(unit)) {
        m_highSurrogate = unit;
    } else {
        appendUtf8(unit, out);
    }
}

void WideDecoder::decode(std::string_view bytes, std::string& out)
{
    const size_t size = unitSize(m_encoding);
    for (const char byte : bytes) {
        m_rest += byte;
        if (m_rest.size() < size) continue;
        uint32_t unit = 0;
        for (size_t i = 0; i < size; ++i) {
            const size_t at = isLittle(m_encoding) ? size - 1 - i : i;
            unit = unit << 8 | static_cast<unsigned char>(m_rest[at]);
        }
        m_rest.clear();
        addUnit(unit, out);
    }
}

} // namespace lockstep
