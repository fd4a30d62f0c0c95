#include "core/readers/chrome_json/window_cutter.h"

#include <algorithm>
#include <cstring>

#include "core/readers/chrome_json/event_borders.h"

namespace lockstep {

namespace {

constexpr size_t kFront = 1; // room for the [

std::string at(uint64_t offset)
{
    return "byte " + std::to_string(offset);
}

} // namespace

WindowCutter::WindowCutter(std::unique_ptr<TextSource> source, size_t windowSize)
    : m_source(std::move(source)), m_windowSize(std::max<size_t>(windowSize, 16))
{
}

Result<bool> WindowCutter::next(Window& window)
{
    if (m_finished) return false;
    m_bufferOffset += m_position;
    m_position = 0;
    m_filled = 0;
    LOCKSTEP_TRY(readMore(window, m_windowSize));
    while (true) {
        Step step = Step::more;
        if (m_outer.state() == OuterText::State::going) m_position += m_outer.feed(rest());
        if (m_outer.state() == OuterText::State::events) step = takeEvents(window);
        if (step == Step::window) return true;
        if (step == Step::again) continue;
        const bool canGoOn =
            m_outer.state() == OuterText::State::going || m_outer.state() == OuterText::State::events;
        if (step == Step::stop || m_sourceEnded || !canGoOn) break;
        LOCKSTEP_TRY(readMore(window, rest().size() + std::max(m_windowSize, rest().size())));
    }
    finish();
    return false;
}

// Makes rest() at least `atLeast` bytes, as far as the source goes. What was used up is dropped from the
// front.
Result<bool> WindowCutter::readMore(Window& window, size_t atLeast)
{
    const std::string kept = m_text == nullptr || m_filled == 0 ? std::move(m_carry) : std::string(rest());
    m_carry.clear();
    atLeast = std::max(atLeast, kept.size());
    window.buffer.resize(std::max(window.buffer.size(), kFront + atLeast + 1 + Window::kPadding));
    m_text = window.buffer.data() + kFront;
    std::memcpy(m_text, kept.data(), kept.size());
    m_bufferOffset += m_position;
    m_position = 0;
    m_filled = kept.size();
    if (m_sourceEnded) return true;
    const size_t want = atLeast - kept.size();
    const size_t got = LOCKSTEP_TRY(m_source->read(m_text + m_filled, want));
    m_sourceEnded = got < want;
    m_filled += got;
    return true;
}

void WindowCutter::skipSeparators()
{
    while (m_position < m_filled && std::strchr(" \n\r\t,", m_text[m_position]) != nullptr)
        ++m_position;
}

// True when what follows a ] can follow the events' array: so a bracket met behind a stray quote is not
// believed.
bool WindowCutter::looksClosed(size_t position) const
{
    while (position < m_filled && std::strchr(" \n\r\t", m_text[position]) != nullptr)
        ++position;
    return position >= m_filled || m_text[position] == ',' || m_text[position] == '}' ||
           m_outer.isBareArray();
}

WindowCutter::Step WindowCutter::takeEvents(Window& window)
{
    skipSeparators();
    const EventBorders borders = findEventBorders(rest());
    if (borders.end > 0) return give(window, borders.end);
    if (borders.arrayClosed && looksClosed(m_position + borders.closeAt + 1)) {
        m_position += borders.closeAt + 1;
        m_outer.leaveEvents();
        return Step::again;
    }
    if (!m_sourceEnded && rest().size() < 8 * m_windowSize) return Step::more;
    return takeTolerantly(window);
}

// No element closes in a long stretch: either it is that long, or a stray quote turned strings inside out.
WindowCutter::Step WindowCutter::takeTolerantly(Window& window)
{
    size_t end = 0;
    const std::string_view text = rest();
    while (end < text.size()) {
        size_t begin = end;
        while (begin < text.size() && std::strchr(" \n\r\t,", text[begin]) != nullptr)
            ++begin;
        if (begin >= text.size() || text[begin] != '{') break;
        const auto size = tolerantObjectEnd(text.substr(begin));
        if (!size) break;
        end = begin + *size;
    }
    if (end > 0) return give(window, end);
    if (m_sourceEnded && (text.empty() || text[0] == '{')) return Step::stop;
    if (!m_sourceEnded && text.size() < kLargestEvent) return Step::more;
    resync();
    return m_position < m_filled ? Step::again : Step::more;
}

// Goes on at the next place that looks like the begin of an event; far behind where an event would be too
// long, so that no text is looked at again and again.
void WindowCutter::resync()
{
    const std::string_view text = rest();
    const size_t from =
        text.size() < kLargestEvent ? 1 : text.size() - std::min(m_windowSize, text.size() - 1);
    const size_t phase = text.find("\"ph\"", from);
    const size_t brace = phase == std::string_view::npos ? phase : text.rfind('{', phase);
    const bool found = brace != std::string_view::npos && brace > 0;
    m_notes.add("events.unreadable", NoteSeverity::dataLoss, "a stretch of text is no event and was skipped",
                at(m_bufferOffset + m_position));
    m_position = found ? m_position + brace : m_filled;
}

WindowCutter::Step WindowCutter::give(Window& window, size_t size)
{
    const size_t end = m_position + size;
    window.begin = m_position;
    window.offset = m_bufferOffset + m_position;
    window.size = size + 2;
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
    } else if (m_outer.state() == OuterText::State::events && !(m_outer.isBareArray() && rest().empty())) {
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
