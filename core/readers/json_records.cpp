// SPDX-License-Identifier: Apache-2.0
#include "core/readers/json_records.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/readers/cut_stream.h"

namespace lockstep {

namespace {

constexpr uint64_t kSmallestRead_bytes = 64 * 1024, kRead_bytes = 4 * 1024 * 1024;

// Follows the brackets and strings of an object, whose text arrives in pieces.
class ObjectEnd {
  public:
    enum class State { open, ended, damaged };

    State state() const { return m_state; }
    // Reads text of the object, up to the character that ends or damages it. Returns how many characters it
    // read, without one that damages the object.
    size_t read(std::string_view text)
    {
        size_t at = 0;
        while (m_state == State::open && at < text.size())
            at = m_isInString ? readString(text, at) : readOutside(text, at);
        return at;
    }

  private:
    // Returns the position of the first quote, backslash or line break, or the end. Compares eight characters
    // at once, because most of a record is text in strings.
    static size_t endOfPlain(std::string_view text, size_t at)
    {
        constexpr uint64_t kOnes = 0x0101'0101'0101'0101, kHighs = kOnes << 7;
        const auto zeros = [](uint64_t word) { return (word - kOnes) & ~word & kHighs; };
        for (; at + sizeof(uint64_t) <= text.size(); at += sizeof(uint64_t)) {
            uint64_t word = 0;
            std::memcpy(&word, text.data() + at, sizeof word);
            const uint64_t found =
                zeros(word ^ (kOnes * '"')) | zeros(word ^ (kOnes * '\\')) | zeros(word ^ (kOnes * '\n'));
            static_assert(std::endian::native == std::endian::little);
            if (found != 0) return at + static_cast<size_t>(std::countr_zero(found)) / 8;
        }
        while (at < text.size() && text[at] != '"' && text[at] != '\\' && text[at] != '\n')
            ++at;
        return at;
    }

    size_t readString(std::string_view text, size_t at)
    {
        if (m_isEscaped) {
            m_isEscaped = false;
            return at + 1;
        }
        at = endOfPlain(text, at);
        if (at == text.size()) return at;
        if (text[at] == '\n') { // JSON has no line breaks in strings
            m_state = State::damaged;
            return at;
        }
        m_isEscaped = text[at] == '\\';
        m_isInString = m_isEscaped;
        return at + 1;
    }

    size_t readOutside(std::string_view text, size_t at)
    {
        for (; at < text.size(); ++at) {
            const char c = text[at];
            // A line that was cut would otherwise swallow the following ones.
            if (c == '{' && m_isAtLineBegin) {
                m_state = State::damaged;
                return at;
            }
            m_isAtLineBegin = c == '\n';
            if (c == '"') {
                m_isInString = true;
                return at + 1;
            }
            if (c == '{' || c == '[') ++m_depth;
            if ((c == '}' || c == ']') && --m_depth == 0) {
                m_state = State::ended;
                return at + 1;
            }
        }
        return at;
    }

    State m_state = State::open;
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

std::string RecordPosition::text() const
{
    const std::string byte = "byte " + std::to_string(offset_bytes);
    return part == 0 ? byte : byte + " of file " + std::to_string(part + 1);
}

Result<JsonRecords> JsonRecords::open(const std::filesystem::path& path, size_t part)
{
    std::error_code error;
    const uint64_t size_bytes = std::filesystem::file_size(path, error);
    return JsonRecords(LOCKSTEP_TRY(TextSource::open(path)), error ? 0 : size_bytes, part);
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
    // A large buffer for each of many small files would cost more than reading them.
    const uint64_t step_bytes = std::clamp(m_stored_bytes + 1, kSmallestRead_bytes, kRead_bytes);
    const size_t room = m_size + std::max(size_t(step_bytes), m_size / 2);
    if (m_buffer.size() < room + kPadding) m_buffer.resize(room + kPadding);
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

// Cuts the next object from the text where its brackets close. A damaged object ends with its line.
Result<bool> JsonRecords::next(std::string_view& object, const Progress& progress)
{
    object = {};
    if (!std::exchange(m_isRejected, false)) m_damagedInARow = 0;
    if (m_damagedInARow >= kMaxDamaged || !LOCKSTEP_TRY(findBegin(progress))) return false;
    ++m_count;
    LOCKSTEP_TRY(findEnd(progress));
    if (m_end - m_begin <= kLargest_bytes) {
        object = {m_buffer.data() + m_begin, m_end - m_begin};
    } else if (m_tooLarge++ == 0) {
        m_firstTooLarge = position();
    }
    return true;
}

Status JsonRecords::findEnd(const Progress& progress)
{
    ObjectEnd end;
    m_end = m_begin;
    if (m_buffer[m_begin] != '{') return endLine(progress);
    while (end.state() == ObjectEnd::State::open) {
        if (m_end - m_begin > kLargest_bytes) {
            if (m_tooLarge++ == 0) m_firstTooLarge = position();
            m_begin = m_end;
            return endLine(progress);
        }
        if (m_end == m_size && !LOCKSTEP_TRY(fill(progress))) {
            m_cut = position();
            return {};
        }
        m_end += end.read({m_buffer.data() + m_end, m_size - m_end});
    }
    return {};
}

// Moves the end of a damaged object to the end of its line. The text of one that is too large is not kept.
Status JsonRecords::endLine(const Progress& progress)
{
    while (true) {
        const void* const found = std::memchr(m_buffer.data() + m_end, '\n', m_size - m_end);
        m_end = found != nullptr ? size_t(static_cast<const char*>(found) - m_buffer.data()) : m_size;
        if (found != nullptr) return {};
        m_begin = m_end;
        if (!LOCKSTEP_TRY(fill(progress))) return {};
    }
}

void JsonRecords::reject()
{
    if (m_damaged++ == 0) m_firstDamaged = position();
    ++m_damagedInARow;
    m_isRejected = true;
}

void JsonRecords::addNotes(ImportNotes& notes) const
{
    const auto byte = [](uint64_t at) {
        return "byte " + std::to_string(RecordPosition::of(at).offset_bytes);
    };
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
                  "1,000 damaged records in a row: the rest of the file was not read", byte(position()));
}

} // namespace lockstep
