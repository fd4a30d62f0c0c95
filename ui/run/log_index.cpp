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

// Adds the number to the ascending numbers, or removes it.
void setMember(std::deque<uint64_t>& numbers, uint64_t number, bool isMember)
{
    const auto at = std::ranges::lower_bound(numbers, number);
    const bool isThere = at != numbers.end() && *at == number;
    if (isMember && !isThere) numbers.insert(at, number);
    if (!isMember && isThere) numbers.erase(at);
}

} // namespace

void LogIndex::setQuery(const LogQuery& query)
{
    if (query == m_query) return;
    m_query = query;
    reset();
}

void LogIndex::reset()
{
    m_indexedEnd = 0;
    m_rows.clear();
    m_matches.clear();
}

bool LogIndex::isAdmitted(const LogBuffer& buffer, const LogLine& line) const
{
    return (!m_query.host || line.host == *m_query.host) &&
           (!m_query.stream || line.stream == *m_query.stream) &&
           (!m_query.rank || buffer.rank(line) == m_query.rank);
}

bool LogIndex::isMatch(const LogLine& line) const
{
    return !m_query.text.empty() && strcasestr(line.content.text.c_str(), m_query.text.c_str()) != nullptr;
}

// Indexes a line again after its content has changed.
void LogIndex::updateLine(const LogBuffer& buffer, uint64_t number)
{
    const LogLine& line = buffer.line(number);
    const bool isHere = isAdmitted(buffer, line), isFound = isHere && isMatch(line);
    setMember(m_matches, number, isFound);
    if (!m_query.isEveryLine())
        setMember(m_rows, number, isHere && (isFound || !m_query.isFilter || m_query.text.empty()));
}

bool LogIndex::follow(const LogBuffer& buffer, size_t maxLines)
{
    if (m_query.rank && m_rankVersion != buffer.rankVersion()) reset();
    if (m_changesEnd < buffer.firstChange()) reset();
    m_rankVersion = buffer.rankVersion();
    m_first = buffer.first();
    m_end = buffer.end();
    m_indexedEnd = std::max(m_indexedEnd, m_first);
    dropBelow(m_rows, m_first);
    dropBelow(m_matches, m_first);
    const uint64_t changesBegin = std::max(m_changesEnd, buffer.firstChange());
    m_changesEnd = buffer.endChange();
    if (m_query.isEveryLine() && m_query.text.empty()) {
        m_indexedEnd = m_end;
        return true;
    }
    for (uint64_t at = changesBegin; at < m_changesEnd; ++at) {
        const uint64_t number = buffer.change(at);
        if (number >= m_first && number < m_indexedEnd) updateLine(buffer, number);
    }
    const uint64_t end = std::min(m_end, m_indexedEnd + maxLines);
    for (; m_indexedEnd < end; ++m_indexedEnd) {
        const LogLine& line = buffer.line(m_indexedEnd);
        if (!isAdmitted(buffer, line)) continue;
        const bool isFound = isMatch(line);
        if (isFound) m_matches.push_back(m_indexedEnd);
        if (!m_query.isEveryLine() && (isFound || !m_query.isFilter || m_query.text.empty()))
            m_rows.push_back(m_indexedEnd);
    }
    return m_indexedEnd == m_end;
}

size_t LogIndex::rows() const
{
    return m_query.isEveryLine() ? m_end - m_first : m_rows.size();
}

uint64_t LogIndex::number(size_t row) const
{
    return m_query.isEveryLine() ? m_first + row : m_rows[row];
}

size_t LogIndex::rowFrom(uint64_t number) const
{
    if (m_query.isEveryLine()) return std::clamp(number, m_first, m_end) - m_first;
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
