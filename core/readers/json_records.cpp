// SPDX-License-Identifier: Apache-2.0
#include "core/readers/json_records.h"

#include <algorithm>
#include <cstring>

#include "core/readers/cut_stream.h"

namespace lockstep {

namespace {

constexpr size_t kRead_bytes = 4 * 1024 * 1024;

// Follows the brackets and strings of an object.
class ObjectEnd {
  public:
    enum class State { open, ended, damaged };

    // Consumes one character of the object, which begins with a brace.
    State feed(char c)
    {
        if (m_isInString) {
            if (c == '\n') return State::damaged; // JSON has no line breaks in strings
            if (m_isEscaped) {
                m_isEscaped = false;
            } else if (c == '\\') {
                m_isEscaped = true;
            } else if (c == '"') {
                m_isInString = false;
            }
            return State::open;
        }
        // A damaged line would otherwise swallow the following ones.
        if (c == '{' && m_isAtLineBegin && m_depth > 0) return State::damaged;
        m_isAtLineBegin = c == '\n';
        if (c == '"') m_isInString = true;
        if (c == '{' || c == '[') ++m_depth;
        if (c == '}' || c == ']') --m_depth;
        return m_depth > 0 ? State::open : State::ended;
    }

  private:
    bool m_isInString = false;
    bool m_isEscaped = false;
    bool m_isAtLineBegin = false;
    int64_t m_depth = 0;
};

bool isBetweenObjects(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == '[' || c == ']';
}

} // namespace

Result<JsonRecords> JsonRecords::open(const std::filesystem::path& path)
{
    std::error_code error;
    const uint64_t size_bytes = std::filesystem::file_size(path, error);
    return JsonRecords(LOCKSTEP_TRY(TextSource::open(path)), error ? 0 : size_bytes);
}

// Reads more text, after moving the text from the current object on to the start of the buffer. Returns false
// at the end of the text.
Result<bool> JsonRecords::fill(const Progress& progress)
{
    LOCKSTEP_TRY(progress.check());
    if (m_isAtEnd) return false;
    if (m_begin > 0) {
        std::memmove(m_buffer.data(), m_buffer.data() + m_begin, m_size - m_begin);
        m_base += m_begin;
        m_size -= m_begin;
        m_end -= m_begin;
        m_begin = 0;
    }
    const size_t room = m_size + std::max(kRead_bytes, m_size / 2);
    if (m_buffer.size() < room + simdjson::SIMDJSON_PADDING)
        m_buffer.resize(room + simdjson::SIMDJSON_PADDING);
    const size_t got = LOCKSTEP_TRY(m_source->read(m_buffer.data() + m_size, room - m_size));
    m_size += got;
    m_isAtEnd = got == 0;
    progress.report(m_source->storedPosition(), m_stored_bytes);
    return got > 0;
}

// Moves to the next character that is not between objects. Returns false at the end of the text.
Result<bool> JsonRecords::findBegin(const Progress& progress)
{
    m_begin = m_end;
    while (true) {
        while (m_begin < m_size && isBetweenObjects(m_buffer[m_begin]))
            ++m_begin;
        m_end = m_begin;
        if (m_begin < m_size) return true;
        if (!LOCKSTEP_TRY(fill(progress))) return false;
    }
}

// Returns the end of the current line in the buffer, or npos if the line does not end there. Every character
// is searched once, because many objects may share a line.
size_t JsonRecords::lineEnd()
{
    const uint64_t begin = m_base + m_begin;
    if (m_line == kNoLine || m_line < begin) {
        const size_t from = size_t(std::max(m_searched, begin) - m_base);
        const void* const found =
            from < m_size ? std::memchr(m_buffer.data() + from, '\n', m_size - from) : nullptr;
        m_line =
            found != nullptr ? m_base + uint64_t(static_cast<const char*>(found) - m_buffer.data()) : kNoLine;
        m_searched = found != nullptr ? m_line + 1 : m_base + m_size;
    }
    return m_line == kNoLine ? std::string::npos : size_t(m_line - m_base);
}

// Cuts the next object from the text. A line that begins and ends with a brace is an object, without a look
// at its characters, if the next line begins with a brace, too; this is how nearly all lines of such files
// are. Otherwise the brackets tell where the object ends. A damaged object ends with its line.
Result<bool> JsonRecords::cut(std::string_view& object, const Progress& progress)
{
    object = {};
    if (m_damagedInARow >= kMaxDamaged || !LOCKSTEP_TRY(findBegin(progress))) return false;
    ++m_count;
    const size_t line = lineEnd();
    const bool isWhole = line != std::string::npos && line > m_begin && m_buffer[line - 1] == '}' &&
                         line + 1 < m_size && m_buffer[line + 1] == '{' && m_buffer[m_begin] == '{';
    if (isWhole) {
        m_end = line;
    } else {
        LOCKSTEP_TRY(findEnd(progress));
    }
    if (m_end - m_begin <= kLargest_bytes) {
        object = {m_buffer.data() + m_begin, m_end - m_begin};
    } else if (m_tooLarge++ == 0) {
        m_firstTooLarge = offset();
    }
    return true;
}

Status JsonRecords::findEnd(const Progress& progress)
{
    ObjectEnd end;
    auto state = m_buffer[m_begin] == '{' ? ObjectEnd::State::open : ObjectEnd::State::damaged;
    for (size_t at = 0;; ++at) {
        if (m_begin + at >= m_size && !LOCKSTEP_TRY(fill(progress))) {
            m_cut = offset();
            m_end = m_size;
            return {};
        }
        const char c = m_buffer[m_begin + at];
        if (state == ObjectEnd::State::open) state = end.feed(c);
        const bool isLineEnd = c == '\n' && state == ObjectEnd::State::damaged;
        if (state == ObjectEnd::State::ended || isLineEnd) {
            m_end = m_begin + at + (isLineEnd ? 0 : 1);
            return {};
        }
        if (at > kLargest_bytes) return skipLine(progress);
    }
}

// Moves to the end of the line of an object that is too large, without keeping its text.
Status JsonRecords::skipLine(const Progress& progress)
{
    if (m_tooLarge++ == 0) m_firstTooLarge = offset();
    while (true) {
        const size_t line = lineEnd();
        m_end = line != std::string::npos ? line : m_size;
        m_begin = m_end;
        if (line != std::string::npos || !LOCKSTEP_TRY(fill(progress))) return {};
    }
}

void JsonRecords::noteIfDamaged(bool isGood)
{
    if (isGood) {
        m_damagedInARow = 0;
        return;
    }
    if (m_damaged++ == 0) m_firstDamaged = offset();
    ++m_damagedInARow;
}

void JsonRecords::addNotes(ImportNotes& notes) const
{
    const auto byte = [](uint64_t at) { return "byte " + std::to_string(at); };
    if (!m_source->defect().empty()) noteCutStream(notes, m_base + m_size);
    const bool isLastCut = m_cut && m_damaged > 0;
    if (isLastCut)
        notes.add("records.cut_short", NoteSeverity::dataLoss,
                  "the last record is incomplete: not shown. The file is still written, or was cut short",
                  byte(*m_cut));
    const uint64_t damaged = m_damaged - m_tooLarge - (isLastCut ? 1 : 0);
    if (damaged > 0)
        notes.add("records.damaged", NoteSeverity::dataLoss, "records that are not JSON objects: not shown",
                  byte(m_firstDamaged), damaged);
    if (m_tooLarge > 0)
        notes.add("records.too_large", NoteSeverity::dataLoss, "records of more than 64 MB: not shown",
                  byte(m_firstTooLarge), m_tooLarge);
    if (m_damagedInARow >= kMaxDamaged)
        notes.add("records.given_up", NoteSeverity::dataLoss,
                  "1,000 damaged records in a row: the rest of the file was not read", byte(offset()));
}

} // namespace lockstep
