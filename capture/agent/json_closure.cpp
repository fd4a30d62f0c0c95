// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/json_closure.h"

#include <algorithm>
#include <array>

namespace lockstep::agent {

namespace {

constexpr size_t kEnd_bytes = 4096;
constexpr std::string_view kBlanks = " \t\r\n";

enum class Sort : uint8_t { other, blank, quote, open, close };

constexpr std::array<Sort, 256> kSorts = [] {
    std::array<Sort, 256> sorts{};
    for (const char blank : kBlanks)
        sorts[static_cast<unsigned char>(blank)] = Sort::blank;
    sorts['"'] = Sort::quote;
    sorts['{'] = sorts['['] = Sort::open;
    sorts['}'] = sorts[']'] = Sort::close;
    return sorts;
}();

} // namespace

void JsonClosure::add(std::string_view piece)
{
    for (size_t i = 0; i < piece.size(); ++i) {
        const char c = piece[i];
        if (m_isInText) {
            if (m_isEscaped)
                m_isEscaped = false;
            else if (c == '\\')
                m_isEscaped = true;
            else if (c == '"')
                m_isInText = false;
            continue;
        }
        const Sort sort = kSorts[static_cast<unsigned char>(c)];
        if (sort == Sort::blank) continue;
        m_hasMore = m_hasMore || m_wasClosed;
        if (sort == Sort::quote)
            m_isInText = true;
        else if (sort == Sort::open)
            ++m_depth;
        else if (sort == Sort::close && --m_depth == 0)
            m_wasClosed = true;
    }
    m_end += piece.substr(piece.size() - std::min(piece.size(), kEnd_bytes));
    if (m_end.size() > kEnd_bytes) m_end.erase(0, m_end.size() - kEnd_bytes);
}

bool JsonClosure::isClosed() const
{
    if (m_wasClosed && !m_hasMore && m_depth == 0 && !m_isInText) return true;
    const size_t key = m_end.rfind("\"traceName\"");
    const size_t last = m_end.find_last_not_of(kBlanks);
    if (key == std::string::npos || m_end[last] != '}') return false;
    // The key must be followed by a colon, one string and the closing bracket.
    const std::string_view rest = std::string_view(m_end).substr(key + 11, last - key - 11);
    const size_t end = rest.find_last_not_of(kBlanks);
    return end != std::string_view::npos && rest[end] == '"' &&
           rest.find_first_of("{}[]") == std::string_view::npos;
}

} // namespace lockstep::agent
