// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/window_cutter.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/base/words.h"
#include "core/readers/chrome_json/event_borders.h"
#include "core/readers/chrome_json/event_starts.h"

namespace lockstep {

namespace {

constexpr size_t kFront = 1; // room for the [
// If an event starts in a long section of invalid text, it is included up to this length.
constexpr size_t kLongestStart = 1024 * 1024;

std::string at(uint64_t offset)
{
    return "byte " + std::to_string(offset);
}

bool isBetweenEvents(char c)
{
    return c == ',' || isJsonBlank(c);
}

// Returns true if a text begins with a line that is one event, followed by another object or the end, as in
// JSONL.
bool beginsWithEventLine(std::string_view text, size_t start)
{
    if (!std::ranges::all_of(text.substr(0, start), isJsonBlank)) return false;
    const size_t line = text.find('\n', start);
    if (line == std::string_view::npos) return false;
    size_t end = line;
    while (end > start && isJsonBlank(text[end - 1]))
        --end;
    return text[end - 1] == '}' && (line + 1 == text.size() || text[line + 1] == '{');
}

} // namespace

WindowCutter::WindowCutter(std::unique_ptr<TextSource> source, size_t windowSize)
    : m_source(std::move(source)), m_windowSize(std::max<size_t>(windowSize, 16))
{
}

Result<bool> WindowCutter::next(Window& window, const Progress& progress)
{
    if (m_finished) return false;
    m_bufferOffset += m_position;
    m_position = 0;
    m_filled = 0;
    LOCKSTEP_TRY(readMore(window, m_windowSize, progress));
    while (true) {
        Step step = Step::more;
        if (m_outer.state() != OuterText::State::events) scanOuterText();
        if (m_outer.state() == OuterText::State::events) step = cutEvents(window);
        if (step == Step::window) return true;
        if (step == Step::again) continue;
        if (step == Step::stop || m_sourceEnded) break;
        LOCKSTEP_TRY(readMore(window, rest().size() + std::max(m_windowSize, rest().size()), progress));
    }
    finish();
    return false;
}

// Extends rest() to at least `atLeast` bytes if the source has that many. Used bytes are dropped from the
// front.
Status WindowCutter::readMore(Window& window, size_t atLeast, const Progress& progress)
{
    // True for the first read for this window; the rest of the previous window is in m_carry.
    const bool isFirst = m_filled == 0;
    const size_t unused = isFirst ? m_carry.size() : m_filled - m_position;
    atLeast = std::max(atLeast, unused);
    const size_t size = kFront + atLeast + 1 + Window::kPadding;
    if (size > window.buffer.size() && !window.buffer.resize(size)) throw std::bad_alloc();
    m_text = window.buffer.data() + kFront;
    std::memmove(m_text, isFirst ? m_carry.data() : m_text + m_position, unused);
    m_bufferOffset += m_position;
    m_position = 0;
    m_filled = unused;
    while (m_filled < atLeast && !m_sourceEnded) {
        LOCKSTEP_TRY(progress.check());
        const size_t want = std::min(atLeast - m_filled, kWindow);
        const size_t got = LOCKSTEP_TRY(m_source->read(m_text + m_filled, want));
        m_sourceEnded = got < want;
        m_filled += got;
    }
    return {};
}

// Skips the text around the event array up to the array's start. If some text before that looks like an
// event, events are parsed from there on, because the start or end of the array is corrupt, or another trace
// was appended.
void WindowCutter::scanOuterText()
{
    const std::string_view text = rest();
    const size_t taken = m_outer.feed(text);
    if (m_outer.state() == OuterText::State::events) {
        m_position += taken;
        return;
    }
    const size_t start = nextEventStart(text, 0);
    if (start == std::string_view::npos) {
        m_position = m_filled;
        return;
    }
    m_hasLines = m_bufferOffset + m_position == 0 && beginsWithEventLine(text, start);
    if (m_hasLines) {
        m_outer.enterLines();
        m_position += start;
        return;
    }
    const bool isSecond = m_outer.sawEvents() && m_outer.state() == OuterText::State::ended;
    m_notes.add(isSecond ? "file.joined" : "events.out_of_place", NoteSeverity::warning,
                isSecond
                    ? "another trace follows the first in the same file: its events are shown on the first "
                      "trace's clock"
                    : "events outside the event list: shown",
                at(m_bufferOffset + m_position + start));
    m_outer.enterEvents();
    m_position += start;
}

void WindowCutter::skipSeparators()
{
    const size_t from = m_position;
    while (m_position < m_filled && isBetweenEvents(m_text[m_position]))
        ++m_position;
    m_eventBytes += m_position - from;
}

// Returns true for a ] followed by text that may follow the event array.
bool WindowCutter::canClose(size_t position) const
{
    if (m_text[position] != ']') return false;
    size_t next = position + 1;
    while (next < m_filled && isJsonBlank(m_text[next]))
        ++next;
    return next >= m_filled || m_text[next] == ',' || m_text[next] == '}' || m_outer.isBareArray();
}

// A closing bracket is ignored as long as more events follow. In that case it comes after a stray quote, or
// another bracket is missing.
WindowCutter::Section WindowCutter::findSection() const
{
    Section out;
    std::optional<size_t> lastStart; // npos: none
    for (size_t from = 0; from < rest().size();) {
        const EventBorders borders = findEventBorders(rest().substr(from));
        if (borders.end > 0) out.end = from + borders.end;
        if (!borders.arrayClosed) break;
        const size_t closeAt = from + borders.closeAt;
        if (canClose(m_position + closeAt)) {
            if (!lastStart) lastStart = lastEventStart(rest(), closeAt);
            if (*lastStart == std::string_view::npos || *lastStart < closeAt) {
                out.closeAt = closeAt;
                break;
            }
        }
        from = closeAt + 1;
    }
    return out;
}

WindowCutter::Step WindowCutter::cutEvents(Window& window)
{
    skipSeparators();
    const Section found = findSection();
    size_t end = found.end;
    if (found.closeAt) {
        const std::string_view between = rest().substr(end, *found.closeAt - end);
        if (!std::ranges::all_of(between, isBetweenEvents)) return finishWindow(window, *found.closeAt);
        if (end > 0) return finishWindow(window, end);
        m_position += *found.closeAt + 1;
        m_outer.leaveEvents();
        return Step::again;
    }
    // If no element ends in a long section, either the element is that long, or an error inverted strings or
    // left a bracket open. The window then ends before the last text that looks like an event.
    if (end == 0 || rest().size() - end > m_windowSize / 4) {
        const size_t start = lastEventStart(rest(), std::max<size_t>(end, 1));
        if (start != std::string_view::npos) end = start;
        while (end > 0 && isBetweenEvents(rest()[end - 1]))
            --end;
    }
    if (end > 0) return finishWindow(window, end);
    if (m_sourceEnded) return Step::stop;
    if (rest().size() < kLargestEvent) return Step::more;
    return finishWindow(window, rest().size() - kLongestStart);
}

WindowCutter::Step WindowCutter::finishWindow(Window& window, size_t size)
{
    const size_t end = m_position + size;
    window.begin = m_position;
    window.offset = m_bufferOffset + m_position;
    window.size = size + 2;
    m_eventBytes += size;
    m_carry.assign(m_text + end, m_filled - end);
    m_text[static_cast<ptrdiff_t>(m_position) - 1] = '[';
    m_text[end] = ']';
    m_position = end;
    return Step::window;
}

void WindowCutter::finish()
{
    m_finished = true;
    m_carry.clear();
    m_carry.shrink_to_fit();
    const uint64_t end = textSize();
    if (!m_source->defect().empty()) {
        m_notes.add("file.truncated", NoteSeverity::dataLoss,
                    m_source->defect() + "; the part before that is shown. Copy the file again", at(end));
    } else if (m_outer.state() == OuterText::State::events && m_outer.isBareArray() && rest().empty()) {
        m_notes.add("file.open_end", NoteSeverity::info, // the format allows writers to omit the ]
                    "the event list is not closed: the writer omitted the closing bracket (allowed) or was "
                    "stopped early, or the file was cut between two events",
                    at(end));
    } else if (m_outer.state() == OuterText::State::events && !(m_hasLines && rest().empty())) {
        m_notes.add("file.truncated", NoteSeverity::dataLoss,
                    "the file ends within its events; the complete events are shown. Copy the file again",
                    at(end));
    } else if (m_outer.state() == OuterText::State::scanning && m_outer.sawEvents()) {
        m_notes.add("file.truncated", NoteSeverity::dataLoss,
                    "the file ends before its outermost object is closed; all its events are shown", at(end));
    }
    if (m_outer.droppedValues() > 0) {
        m_notes.add("header.too_long", NoteSeverity::warning, "top-level values larger than 16 MiB: ignored",
                    "", m_outer.droppedValues());
    }
}

} // namespace lockstep
