// SPDX-License-Identifier: Apache-2.0
#include "core/base/log_ring.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr size_t kLongest_bytes = 2000;

std::string stampNow()
{
    const int64_t now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
    const std::string time = utcTimeText(now_ns);
    return utcDateText(now_ns) + " " + time.substr(0, time.find('.') + 4) + " UTC"; // cut to milliseconds
}

constexpr std::string_view levelWord(LogLevel level)
{
    return level == LogLevel::error ? "error" : level == LogLevel::warning ? "warning" : "info";
}

} // namespace

void LogRing::note(LogLevel level, std::string_view category, std::string_view text)
{
    std::string line = stampNow();
    line.append(" ").append(levelWord(level)).append(" ").append(category).append(": ");
    line += printable(text.substr(0, kLongest_bytes));
    line += text.size() > kLongest_bytes ? "...\n" : "\n";
    const std::scoped_lock lock(m_mutex);
    appendToTail(line);
    m_size_bytes += line.size();
    m_lines.push_back(std::move(line));
    while (m_size_bytes > m_max_bytes && m_lines.size() > 1) {
        m_size_bytes -= m_lines.front().size();
        m_lines.pop_front();
        ++m_dropped;
    }
}

void LogRing::appendToTail(std::string_view line)
{
    const uint64_t end = m_tailEnd.load(std::memory_order_relaxed);
    for (size_t i = 0; i < line.size(); ++i)
        m_tail[(end + i) % kTail_bytes] = line[i];
    m_tailEnd.store(end + line.size(), std::memory_order_release);
}

size_t LogRing::copyTail(char* to, size_t room_bytes) const noexcept
{
    const uint64_t end = m_tailEnd.load(std::memory_order_acquire);
    uint64_t at = end - std::min({end, uint64_t(kTail_bytes), uint64_t(room_bytes)});
    if (at > 0) { // rest of a line whose beginning was overwritten
        while (at < end && m_tail[at % kTail_bytes] != '\n')
            ++at;
        at = std::min(at + 1, end);
    }
    const size_t count = static_cast<size_t>(end - at);
    for (size_t i = 0; i < count; ++i)
        to[i] = m_tail[(at + i) % kTail_bytes];
    return count;
}

std::string LogRing::text() const
{
    const std::scoped_lock lock(m_mutex);
    std::string all =
        m_dropped > 0 ? std::to_string(m_dropped) + " older lines were dropped\n" : std::string();
    for (const std::string& line : m_lines)
        all += line;
    return all;
}

} // namespace lockstep
