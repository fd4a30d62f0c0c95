// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/json_text.h"

namespace lockstep::capture {

namespace {

// Returns the length in bytes of the UTF-8 character at the beginning of the text, or 0 if there is none.
size_t characterSize(std::string_view text)
{
    const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
    for (size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
    }
    if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
        (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F))
        return 0;
    return size;
}

} // namespace

void JsonText::quote(std::string& out, std::string_view text)
{
    constexpr char kHex[] = "0123456789abcdef";
    out += '"';
    while (!text.empty()) {
        const char c = text[0];
        size_t size = 1;
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            out += "\\u00";
            out += kHex[(c >> 4) & 15];
            out += kHex[c & 15];
        } else if (const size_t whole = characterSize(text); whole > 0) {
            size = whole;
            out.append(text.substr(0, size));
        } else {
            out += "\\ufffd";
        }
        text.remove_prefix(size);
    }
    out += '"';
}

std::string& JsonText::key(std::string_view key)
{
    m_text += m_text.empty() ? '{' : ',';
    quote(m_text, key);
    m_text += ':';
    return m_text;
}

JsonText& JsonText::text(std::string_view name, std::string_view value)
{
    quote(key(name), value);
    return *this;
}

JsonText& JsonText::number(std::string_view name, int64_t value)
{
    key(name) += std::to_string(value);
    return *this;
}

JsonText& JsonText::boolean(std::string_view name, bool value)
{
    key(name) += value ? "true" : "false";
    return *this;
}

JsonText& JsonText::list(std::string_view name, const std::vector<std::string>& values)
{
    key(name) += '[';
    for (size_t i = 0; i < values.size(); ++i) {
        if (i > 0) m_text += ',';
        quote(m_text, values[i]);
    }
    m_text += ']';
    return *this;
}

JsonText& JsonText::list(std::string_view name, const std::vector<int64_t>& values)
{
    key(name) += '[';
    for (size_t i = 0; i < values.size(); ++i)
        m_text += (i > 0 ? "," : "") + std::to_string(values[i]);
    m_text += ']';
    return *this;
}

JsonText& JsonText::object(std::string_view name, const JsonText& value)
{
    key(name) += value.done();
    return *this;
}

} // namespace lockstep::capture
