// SPDX-License-Identifier: Apache-2.0
#include "core/base/log_ring.h"

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
    return utcDateText(now_ns) + " " + time.substr(0, time.find('.') + 4) + " UTC"; // milliseconds
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
    m_size_bytes += line.size();
    m_lines.push_back(std::move(line));
    while (m_size_bytes > m_most_bytes && m_lines.size() > 1) {
        m_size_bytes -= m_lines.front().size();
        m_lines.pop_front();
        ++m_dropped;
    }
}

std::string LogRing::text() const
{
    const std::scoped_lock lock(m_mutex);
    std::string all = m_dropped > 0 ? std::to_string(m_dropped) + " older lines are gone\n" : std::string();
    for (const std::string& line : m_lines)
        all += line;
    return all;
}

} // namespace lockstep
