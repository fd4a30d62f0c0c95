// SPDX-License-Identifier: Apache-2.0
#include "core/remote/line_splitter.h"

#include <algorithm>

namespace lockstep {

void LineSplitter::add(std::string_view bytes)
{
    if (m_isSkipping) {
        const size_t end = std::min(bytes.find('\n'), bytes.size());
        m_skippedBytes += end;
        if (end == bytes.size()) return;
        m_isSkipping = false;
        bytes.remove_prefix(end + 1);
    }
    m_text.erase(0, m_begin);
    m_scanned -= m_begin;
    m_begin = 0;
    m_text += bytes;
}

std::optional<std::string_view> LineSplitter::next()
{
    while (true) {
        const size_t end = m_text.find('\n', m_scanned);
        if (end == std::string::npos) break;
        const std::string_view line = std::string_view(m_text).substr(m_begin, end - m_begin);
        m_begin = m_scanned = end + 1;
        if (line.size() <= m_maxLine_bytes) return line;
        ++m_skippedLines;
        m_skippedBytes += line.size();
    }
    m_scanned = m_text.size();
    if (m_text.size() - m_begin > m_maxLine_bytes) {
        ++m_skippedLines;
        m_skippedBytes += m_text.size() - m_begin;
        m_isSkipping = true;
        m_text = {};
        m_begin = m_scanned = 0;
    }
    return std::nullopt;
}

void LineSplitter::clear()
{
    m_text = {};
    m_begin = m_scanned = 0;
    m_isSkipping = false;
}

} // namespace lockstep
