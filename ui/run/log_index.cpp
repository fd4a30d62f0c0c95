// SPDX-License-Identifier: Apache-2.0
#include "ui/run/log_index.h"

#include <algorithm>
#include <cstring>

namespace lockstep {

namespace {

void dropBelow(std::deque<uint64_t>& numbers, uint64_t first)
{
    while (!numbers.empty() && numbers.front() < first)
        numbers.pop_front();
}

} // namespace

void LogIndex::setQuery(const LogQuery& query)
{
    if (query == m_query) return;
    m_query = query;
    m_indexedEnd = 0;
    m_rows.clear();
    m_matches.clear();
}

bool LogIndex::follow(const LogBuffer& buffer, size_t maxLines)
{
    if (m_indexedEnd > buffer.end()) { // the buffer was cleared
        m_rows.clear();
        m_matches.clear();
        m_indexedEnd = 0;
    }
    m_first = buffer.first();
    m_end = buffer.end();
    m_indexedEnd = std::max(m_indexedEnd, m_first);
    dropBelow(m_rows, m_first);
    dropBelow(m_matches, m_first);
    const uint64_t end = std::min(m_end, m_indexedEnd + maxLines);
    if (isEveryLine() && m_query.text.empty()) {
        m_indexedEnd = m_end;
        return true;
    }
    for (; m_indexedEnd < end; ++m_indexedEnd) {
        const LogLine& line = buffer.line(m_indexedEnd);
        if (m_query.host && line.host != *m_query.host) continue;
        const bool isMatch =
            !m_query.text.empty() && strcasestr(line.content.text.c_str(), m_query.text.c_str()) != nullptr;
        if (isMatch) m_matches.push_back(m_indexedEnd);
        if (!isEveryLine() && (isMatch || !m_query.isFilter || m_query.text.empty()))
            m_rows.push_back(m_indexedEnd);
    }
    return m_indexedEnd == m_end;
}

size_t LogIndex::rows() const
{
    return isEveryLine() ? m_end - m_first : m_rows.size();
}

uint64_t LogIndex::number(size_t row) const
{
    return isEveryLine() ? m_first + row : m_rows[row];
}

size_t LogIndex::rowFrom(uint64_t number) const
{
    if (isEveryLine()) return std::clamp(number, m_first, m_end) - m_first;
    return static_cast<size_t>(std::ranges::lower_bound(m_rows, number) - m_rows.begin());
}

std::vector<size_t> LogIndex::positions(const LogLine& line) const
{
    std::vector<size_t> found;
    if (m_query.text.empty()) return found;
    const char* const begin = line.content.text.c_str();
    for (const char* at = begin; (at = strcasestr(at, m_query.text.c_str())) != nullptr;
         at += m_query.text.size())
        found.push_back(static_cast<size_t>(at - begin));
    return found;
}

} // namespace lockstep
