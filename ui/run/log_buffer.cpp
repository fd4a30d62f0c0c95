// SPDX-License-Identifier: Apache-2.0
#include "ui/run/log_buffer.h"

#include <algorithm>
#include <charconv>

#include <QCoreApplication>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr size_t kMaxChanges = 65'536;

// Returns the longest length up to `length` that does not split a UTF-8 sequence.
size_t wholeCharacters(std::string_view text, size_t length)
{
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
        --length;
    return length;
}

std::string cutText(size_t cut_bytes)
{
    return QCoreApplication::translate("lockstep::LogView", " \u2026 %1 more in the log file on the host")
        .arg(byteText(static_cast<int64_t>(cut_bytes)).c_str())
        .toStdString();
}

// RowMove is the first sequence in a text that moves the cursor to another row.
struct RowMove {
    size_t begin = std::string_view::npos, length = 0;
    int64_t rows = 0; // < 0: up
};

RowMove findRowMove(std::string_view text)
{
    constexpr std::string_view kStart = "\x1B[";
    for (size_t at = text.find(kStart); at != text.npos; at = text.find(kStart, at + 1)) {
        int64_t count = 1;
        const char* const from = text.data() + at + kStart.size();
        const char* const end = std::from_chars(from, text.data() + text.size(), count).ptr;
        if (end == text.data() + text.size() || (*end != 'A' && *end != 'B')) continue;
        count = std::clamp<int64_t>(count, 1, 1000);
        return {at, static_cast<size_t>(end + 1 - text.data()) - at, *end == 'A' ? -count : count};
    }
    return {};
}

} // namespace

void LogBuffer::addOutput(const LogSource& source, int64_t time_ns, std::string_view text)
{
    Screen& screen = m_screens[source];
    const LogLine origin{time_ns, source.host, LogTone::output, source.stream, 0, {}};
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        const bool isEnded = end < text.size();
        const std::string_view part = text.substr(0, end);
        const std::string_view line = part.ends_with('\r') ? part.substr(0, end - 1) : part;
        // Most output is complete lines, which need no cursor.
        const bool isNew = screen.cursor == screen.rows.size() && !screen.isLoaded;
        if (isEnded && isNew && !movesCursor(line)) {
            addLine(origin, line);
            addRow(screen);
            screen.cursor = screen.rows.size();
        } else {
            write(screen, origin, part);
            if (isEnded) breakLine(screen, origin);
        }
        text.remove_prefix(isEnded ? end + 1 : end);
    }
    commit(screen, origin);
}

void LogBuffer::addMessage(uint32_t host, int64_t time_ns, LogTone tone, std::string_view text)
{
    const LogLine origin{time_ns, host, tone, LogStream::messages, 0, {}};
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        addLine(origin, text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

void LogBuffer::addLine(const LogLine& origin, std::string_view text)
{
    LogLine added = origin;
    if (text.size() > kMaxLineBytes) {
        const size_t length = wholeCharacters(text, kMaxLineBytes);
        added.content = ansiText(text.substr(0, length));
        added.content.text += cutText(text.size() - length);
    } else {
        added.content = ansiText(text);
    }
    if (origin.stream != LogStream::messages) added.process = processOf(added.content.text, origin.host);
    push(std::move(added));
}

void LogBuffer::push(LogLine line)
{
    m_bytes += line.content.text.size();
    m_lines.push_back(std::move(line));
    dropOldest();
}

void LogBuffer::dropOldest()
{
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

void LogBuffer::write(Screen& screen, const LogLine& origin, std::string_view text)
{
    while (!text.empty()) {
        const RowMove move = findRowMove(text);
        const std::string_view part = text.substr(0, move.begin);
        if (!part.empty()) {
            forgetDropped(screen);
            if (!screen.isLoaded) load(screen, origin.host, part);
            screen.line.write(part);
        }
        if (move.rows == 0) return;
        moveCursor(screen, origin, move.rows);
        text.remove_prefix(move.begin + move.length);
    }
}

void LogBuffer::breakLine(Screen& screen, const LogLine& origin)
{
    commit(screen, origin);
    if (screen.cursor == screen.rows.size()) { // an empty line
        push(origin);
        addRow(screen);
    }
    ++screen.cursor;
    screen.isLoaded = false;
}

void LogBuffer::moveCursor(Screen& screen, const LogLine& origin, int64_t rows)
{
    commit(screen, origin);
    const auto last = static_cast<int64_t>(screen.rows.size());
    screen.cursor =
        static_cast<size_t>(std::clamp<int64_t>(static_cast<int64_t>(screen.cursor) + rows, 0, last));
    screen.isLoaded = false;
}

void LogBuffer::load(Screen& screen, uint32_t host, std::string_view text)
{
    screen.line.clear();
    screen.isLoaded = true;
    AnsiText content;
    if (screen.cursor < screen.rows.size()) {
        content = line(screen.rows[screen.cursor]).content;
        screen.line.load(content);
    } else {
        content = ansiText(text.substr(0, text.find('\r')));
    }
    // Ray adds its prefix once per line, so the updates of a progress bar must not overwrite it.
    screen.line.setHome(logPrefix(content.text).length_bytes);
    screen.process = processOf(content.text, host);
}

void LogBuffer::commit(Screen& screen, const LogLine& origin)
{
    forgetDropped(screen);
    if (!screen.isLoaded) return;
    AnsiText content = screen.line.content();
    if (screen.line.cut_bytes() > 0) content.text += cutText(screen.line.cut_bytes());
    if (screen.process == 0) screen.process = processOf(content.text, origin.host);
    if (screen.cursor == screen.rows.size()) {
        if (content.text.empty()) return;
        LogLine added = origin;
        added.process = screen.process;
        added.content = std::move(content);
        push(std::move(added));
        return addRow(screen);
    }
    const uint64_t number = screen.rows[screen.cursor];
    LogLine& line = m_lines[number - m_dropped];
    if (line.content.text == content.text && line.content.spans == content.spans) return;
    m_bytes += content.text.size();
    m_bytes -= line.content.text.size();
    line.content = std::move(content);
    line.time_ns = origin.time_ns;
    line.process = screen.process;
    m_changes.push_back(number);
    if (m_changes.size() > kMaxChanges) {
        m_changes.pop_front();
        ++m_droppedChanges;
    }
    dropOldest();
}

// Adds the newest line to the rows of the screen. A cursor on it stays there.
void LogBuffer::addRow(Screen& screen) const
{
    screen.rows.push_back(end() - 1);
    if (screen.rows.size() <= kScreenRows) return;
    screen.rows.pop_front();
    screen.cursor = screen.cursor > 0 ? screen.cursor - 1 : 0;
}

// Removes the rows whose lines were dropped. If the cursor's row is among them, the next text begins a line.
void LogBuffer::forgetDropped(Screen& screen) const
{
    while (!screen.rows.empty() && screen.rows.front() < m_dropped) {
        screen.rows.pop_front();
        if (screen.cursor == 0) {
            screen.cursor = screen.rows.size();
            screen.isLoaded = false;
        } else {
            --screen.cursor;
        }
    }
}

uint32_t LogBuffer::processOf(std::string_view text, uint32_t host)
{
    const LogPrefix prefix = logPrefix(text);
    if (prefix.process.empty()) return 0;
    LogProcess& last = m_processes[m_lastProcess];
    if (m_lastProcess == 0 || last.host != host || last.name != prefix.process) {
        auto& names = m_processIndex[host];
        const auto known = names.find(prefix.process);
        if (known != names.end()) {
            m_lastProcess = known->second;
        } else {
            if (m_processes.size() > kMaxProcesses) return 0;
            m_lastProcess = static_cast<uint32_t>(m_processes.size());
            names.emplace(prefix.process, m_lastProcess);
            m_processes.push_back({host,
                                   std::string(prefix.process),
                                   {},
                                   prefix.localRank,
                                   prefix.pid,
                                   std::string(prefix.ip)});
            if (m_findRank) noteRank(m_processes.back(), m_findRank(m_processes.back()));
        }
    }
    noteRank(m_processes[m_lastProcess], prefix.rank);
    return m_lastProcess;
}

void LogBuffer::noteRank(LogProcess& process, std::optional<int64_t> rank)
{
    if (!rank || process.rank) return;
    process.rank = rank;
    ++m_knownRanks;
    m_ranks.insert(*rank);
    ++m_rankVersion;
}

void LogBuffer::setRankFinder(std::function<std::optional<int64_t>(const LogProcess&)> find)
{
    m_findRank = std::move(find);
    updateRanks();
}

void LogBuffer::updateRanks()
{
    if (!m_findRank) return;
    for (size_t i = 1; i < m_processes.size(); ++i) {
        if (!m_processes[i].rank) noteRank(m_processes[i], m_findRank(m_processes[i]));
    }
}

} // namespace lockstep
