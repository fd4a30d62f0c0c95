// SPDX-License-Identifier: Apache-2.0
#include "ui/run/log_buffer.h"

#include <QCoreApplication>

#include "core/base/text.h"

namespace lockstep {

namespace {

// Returns the longest length up to `length` that does not split a UTF-8 sequence.
size_t wholeCharacters(std::string_view text, size_t length)
{
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
        --length;
    return length;
}

} // namespace

void LogBuffer::add(uint32_t host, int64_t time_ns, LogTone tone, std::string_view text)
{
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find_first_of("\n\r", begin), text.size());
        const bool isOverwritten = end + 1 < text.size() && text[end] == '\r' && text[end + 1] != '\n';
        if (!isOverwritten) addLine(host, time_ns, tone, text.substr(begin, end - begin));
        const bool isPair = end + 1 < text.size() && text[end] == '\r' && text[end + 1] == '\n';
        begin = end + (isPair ? 2 : 1);
    }
}

void LogBuffer::addLine(uint32_t host, int64_t time_ns, LogTone tone, std::string_view line)
{
    LogLine added{time_ns, host, tone, {}};
    if (line.size() > kMaxLineBytes) {
        const size_t length = wholeCharacters(line, kMaxLineBytes);
        added.content = ansiText(line.substr(0, length));
        added.content.text +=
            QCoreApplication::translate("lockstep::LogView", " \u2026 %1 more in the log file on the host")
                .arg(byteText(static_cast<int64_t>(line.size() - length)).c_str())
                .toStdString();
    } else {
        added.content = ansiText(line);
    }
    m_bytes += added.content.text.size();
    m_lines.push_back(std::move(added));
    while (m_lines.size() > m_maxLines || (m_bytes > m_maxBytes && m_lines.size() > 1)) {
        m_bytes -= m_lines.front().content.text.size();
        m_lines.pop_front();
        ++m_dropped;
    }
}

std::optional<uint64_t> LogBuffer::find(uint32_t host, int64_t time_ns, std::string_view text) const
{
    std::optional<uint64_t> atTime, last;
    for (uint64_t number = first(); number < end(); ++number) {
        const LogLine& one = line(number);
        if (one.host != host) continue;
        last = number;
        if (one.time_ns < time_ns) continue;
        if (one.content.text.find(text) != std::string::npos) return number;
        if (!atTime) atTime = number;
    }
    return atTime ? atTime : last;
}

void LogBuffer::clear()
{
    m_lines.clear();
    m_bytes = 0;
    m_dropped = 0;
}

} // namespace lockstep
