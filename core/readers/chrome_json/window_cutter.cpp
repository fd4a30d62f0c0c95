// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/window_cutter.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/base/words.h"
#include "core/readers/chrome_json/event_borders.h"
#include "core/readers/chrome_json/event_heads.h"

namespace lockstep {

namespace {

constexpr size_t kFront = 1;                 // room for the [
constexpr size_t kLargestHead = 1024 * 1024; // an event that only begins in a long stretch of junk is kept

std::string at(uint64_t offset)
{
    return "byte " + std::to_string(offset);
}

bool isBetweenEvents(char c)
{
    return c == ',' || isJsonBlank(c);
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
        if (m_outer.state() != OuterText::State::events) takeOuter();
        if (m_outer.state() == OuterText::State::events) step = takeEvents(window);
        if (step == Step::window) return true;
        if (step == Step::again) continue;
        if (step == Step::stop || m_sourceEnded) break;
        LOCKSTEP_TRY(readMore(window, rest().size() + std::max(m_windowSize, rest().size()), progress));
    }
    finish();
    return false;
}

// Makes rest() at least `atLeast` bytes, as far as the source goes. What was used up is dropped from the
// front.
Status WindowCutter::readMore(Window& window, size_t atLeast, const Progress& progress)
{
    const bool isFirst = m_filled == 0; // of this window: what the last one left is in m_carry
    const size_t kept = isFirst ? m_carry.size() : m_filled - m_position;
    atLeast = std::max(atLeast, kept);
    const size_t size = kFront + atLeast + 1 + Window::kPadding;
    if (size > window.buffer.size() && !window.buffer.resize(size)) throw std::bad_alloc();
    m_text = window.buffer.data() + kFront;
    std::memmove(m_text, isFirst ? m_carry.data() : m_text + m_position, kept);
    m_bufferOffset += m_position;
    m_position = 0;
    m_filled = kept;
    while (m_filled < atLeast && !m_sourceEnded) {
        LOCKSTEP_TRY(progress.check());
        const size_t want = std::min(atLeast - m_filled, kWindow);
        const size_t got = LOCKSTEP_TRY(m_source->read(m_text + m_filled, want));
        m_sourceEnded = got < want;
        m_filled += got;
    }
    return {};
}

// The text around the events. Where it ends, or has swallowed what looks like events, they go on there: the
// array's own beginning or end is damaged, or another trace was glued behind.
void WindowCutter::takeOuter()
{
    const std::string_view text = rest();
    const size_t taken = m_outer.feed(text);
    if (m_outer.state() == OuterText::State::events) {
        m_position += taken;
        return;
    }
    const size_t head = nextEventHead(text, 0);
    if (head == std::string_view::npos) {
        m_position = m_filled;
        return;
    }
    const bool isSecond = m_outer.sawEvents() && m_outer.state() == OuterText::State::ended;
    m_notes.add(isSecond ? "file.joined" : "events.out_of_place", NoteSeverity::warning,
                isSecond ? "another trace follows the first in the same file; its events are shown on the "
                           "first one's clock"
                         : "events stand where the text around them should be; they are shown",
                at(m_bufferOffset + m_position + head));
    m_outer.enterEvents();
    m_position += head;
}

void WindowCutter::skipSeparators()
{
    const size_t from = m_position;
    while (m_position < m_filled && isBetweenEvents(m_text[m_position]))
        ++m_position;
    m_eventBytes += m_position - from;
}

// True for a ] with behind it what can follow the events' array.
bool WindowCutter::canClose(size_t position) const
{
    if (m_text[position] != ']') return false;
    size_t next = position + 1;
    while (next < m_filled && isJsonBlank(m_text[next]))
        ++next;
    return next >= m_filled || m_text[next] == ',' || m_text[next] == '}' || m_outer.isBareArray();
}

// A closing bracket is not believed while more events follow: it stands behind a stray quote, or another is
// missing.
WindowCutter::Stretch WindowCutter::findStretch() const
{
    Stretch out;
    std::optional<size_t> lastHead; // npos: none
    for (size_t from = 0; from < rest().size();) {
        const EventBorders borders = findEventBorders(rest().substr(from));
        if (borders.end > 0) out.end = from + borders.end;
        if (!borders.arrayClosed) break;
        const size_t closeAt = from + borders.closeAt;
        if (canClose(m_position + closeAt)) {
            if (!lastHead) lastHead = lastEventHead(rest(), closeAt);
            if (*lastHead == std::string_view::npos || *lastHead < closeAt) {
                out.closeAt = closeAt;
                break;
            }
        }
        from = closeAt + 1;
    }
    return out;
}

WindowCutter::Step WindowCutter::takeEvents(Window& window)
{
    skipSeparators();
    const Stretch found = findStretch();
    size_t end = found.end;
    if (found.closeAt) {
        const std::string_view between = rest().substr(end, *found.closeAt - end);
        if (!std::ranges::all_of(between, isBetweenEvents)) return give(window, *found.closeAt);
        if (end > 0) return give(window, end);
        m_position += *found.closeAt + 1;
        m_outer.leaveEvents();
        return Step::again;
    }
    // No element ends in a long stretch: either it is that long, or a fault turned strings inside out or left
    // a bracket open. Then the window ends before the last thing that looks like an event.
    if (end == 0 || rest().size() - end > m_windowSize / 4) {
        const size_t head = lastEventHead(rest(), std::max<size_t>(end, 1));
        if (head != std::string_view::npos) end = head;
        while (end > 0 && isBetweenEvents(rest()[end - 1]))
            --end;
    }
    if (end > 0) return give(window, end);
    if (m_sourceEnded) return Step::stop;
    if (rest().size() < kLargestEvent) return Step::more;
    return give(window, rest().size() - kLargestHead);
}

WindowCutter::Step WindowCutter::give(Window& window, size_t size)
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
    if (!m_source->flaw().empty()) {
        m_notes.add("file.truncated", NoteSeverity::dataLoss,
                    m_source->flaw() + "; what came before is shown. Copy the file again", at(end));
    } else if (m_outer.state() == OuterText::State::events && m_outer.isBareArray() && rest().empty()) {
        m_notes.add(
            "file.open_end", NoteSeverity::info, // the format lets writers leave the ] away
            "the file does not end its list of events: its writer left the end out, as it may, or was "
            "ended early, or the file is cut between two events",
            at(end));
    } else if (m_outer.state() == OuterText::State::events) {
        m_notes.add("file.truncated", NoteSeverity::dataLoss,
                    "the file ends inside its events; the complete ones are shown. Copy the file again",
                    at(end));
    } else if (m_outer.state() == OuterText::State::going && m_outer.sawEvents()) {
        m_notes.add("file.truncated", NoteSeverity::dataLoss,
                    "the file ends before its outer object does; all its events are shown", at(end));
    }
    if (m_outer.droppedValues() > 0) {
        m_notes.add("header.too_long", NoteSeverity::warning,
                    "top-level values over 16 MiB are not looked at", "", m_outer.droppedValues());
    }
}

} // namespace lockstep
