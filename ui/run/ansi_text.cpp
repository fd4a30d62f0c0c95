// SPDX-License-Identifier: Apache-2.0
#include "ui/run/ansi_text.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr char kEscape = '\x1B';
constexpr size_t kTabStop = 8;

std::vector<uint32_t> numbersOf(std::string_view parameters)
{
    std::vector<uint32_t> numbers{0};
    for (const char c : parameters) {
        if (c == ';' || c == ':') {
            numbers.push_back(0);
        } else if (c >= '0' && c <= '9') {
            numbers.back() = std::min(numbers.back() * 10 + static_cast<uint32_t>(c - '0'), 9999U);
        }
    }
    return numbers;
}

// Reads "38;5;N" or "38;2;R;G;B", of which parameter `at` (38 or 48) is the first. Returns the number of
// parameters used.
size_t parseExtendedColor(const std::vector<uint32_t>& parameters, size_t at, std::optional<uint32_t>& color)
{
    if (at + 2 < parameters.size() && parameters[at + 1] == 5) {
        color = std::min(parameters[at + 2], 255U);
        return 3;
    }
    if (at + 4 < parameters.size() && parameters[at + 1] == 2) {
        color = 0x1000000U | std::min(parameters[at + 2], 255U) << 16 |
                std::min(parameters[at + 3], 255U) << 8 | std::min(parameters[at + 4], 255U);
        return 5;
    }
    return parameters.size() - at;
}

void applySgr(std::string_view text, AnsiStyle& style)
{
    const std::vector<uint32_t> parameters = numbersOf(text);
    for (size_t i = 0; i < parameters.size();) {
        const uint32_t parameter = parameters[i];
        if (parameter == 38 || parameter == 48) {
            std::optional<uint32_t> background;
            i += parseExtendedColor(parameters, i, parameter == 38 ? style.color : background);
            continue;
        }
        if (parameter == 0) style = {};
        if (parameter == 1) style.isBold = true;
        if (parameter == 2) style.isDim = true;
        if (parameter == 22) style.isBold = style.isDim = false;
        if (parameter == 39) style.color.reset();
        if (parameter >= 30 && parameter <= 37) style.color = parameter - 30;
        if (parameter >= 90 && parameter <= 97) style.color = parameter - 90 + 8;
        ++i;
    }
}

// Returns the length of the escape sequence that begins `rest`. Applies it to `style` if it changes the
// style.
size_t parseEscape(std::string_view rest, AnsiStyle& style)
{
    if (rest.size() < 2) return rest.size();
    if (rest[1] == '[') { // CSI: parameters, then one byte from @ to ~
        const auto end = std::ranges::find_if(rest.substr(2), [](char c) { return c >= '@' && c <= '~'; });
        const auto length = static_cast<size_t>(end - rest.begin());
        if (length >= rest.size()) return rest.size();
        if (*end == 'm') applySgr(rest.substr(2, length - 2), style);
        return length + 1;
    }
    if (rest[1] == ']') { // OSC: up to BEL or ESC backslash
        const size_t bell = rest.find('\a'), string = rest.find("\x1B\\", 2);
        const size_t end =
            std::min(bell == rest.npos ? rest.npos : bell + 1, string == rest.npos ? rest.npos : string + 2);
        return std::min(end, rest.size());
    }
    return 2;
}

// Returns the parameters of a sequence such as "\x1B[2K".
std::string_view csiParameters(std::string_view sequence)
{
    return sequence.substr(2, sequence.size() - 3);
}

bool isCsi(std::string_view sequence)
{
    return sequence.size() >= 3 && sequence[1] == '[';
}

// Returns the first code point of `text`, which is valid UTF-8, and its length in bytes.
std::pair<char32_t, size_t> firstCodePoint(std::string_view text)
{
    const auto byte = [&text](size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char first = byte(0);
    const size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length == 1 || length > text.size()) return {first, 1};
    char32_t point = first & (0xFFU >> (length + 1));
    for (size_t i = 1; i < length; ++i)
        point = point << 6 | (byte(i) & 0x3FU);
    return {point, length};
}

void appendUtf8(std::string& text, char32_t point)
{
    if (point < 0x80) {
        text += static_cast<char>(point);
        return;
    }
    const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    constexpr std::array<unsigned, 4> kLead{0, 0xC0, 0xE0, 0xF0};
    text += static_cast<char>(kLead[static_cast<size_t>(more)] | point >> (6 * more));
    for (int i = more - 1; i >= 0; --i)
        text += static_cast<char>(0x80U | (point >> (6 * i) & 0x3FU));
}

// Extends the last span by the bytes [from, to), or adds a span if the style is a different one.
void addSpan(std::vector<AnsiSpan>& spans, size_t from, size_t to, const AnsiStyle& style)
{
    if (style.isPlain()) return;
    const auto begin = static_cast<uint32_t>(from), end = static_cast<uint32_t>(to);
    if (!spans.empty() && spans.back().end == begin && spans.back().style == style) {
        spans.back().end = end;
    } else {
        spans.push_back({begin, end, style});
    }
}

} // namespace

AnsiText ansiText(std::string_view line)
{
    AnsiText out;
    out.text.reserve(line.size());
    AnsiStyle style;
    for (size_t i = 0; i < line.size();) {
        const char c = line[i];
        if (c == kEscape) {
            i += parseEscape(line.substr(i), style);
            continue;
        }
        const size_t begin = out.text.size();
        if (c == '\t') {
            out.text.append(kTabStop - begin % kTabStop, ' ');
        } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) {
            out.text += c;
        }
        if (out.text.size() > begin) addSpan(out.spans, begin, out.text.size(), style);
        ++i;
    }
    if (!isValidUtf8(out.text)) {
        out.text = repairedUtf8(out.text); // repairing the text moves bytes, so the spans no longer match
        out.spans.clear();
    }
    return out;
}

bool movesCursor(std::string_view text)
{
    if (text.find_first_of("\r\b") != text.npos) return true;
    AnsiStyle style;
    for (size_t at = text.find(kEscape); at != text.npos; at = text.find(kEscape, at)) {
        const std::string_view sequence = text.substr(at, parseEscape(text.substr(at), style));
        if (isCsi(sequence) && std::string_view("ABCDGK").find(sequence.back()) != text.npos) return true;
        at += sequence.size();
    }
    return false;
}

void TerminalLine::load(const AnsiText& content)
{
    clear();
    auto span = content.spans.begin();
    for (size_t at = 0; at < content.text.size();) {
        const auto [point, length] = firstCodePoint(std::string_view(content.text).substr(at));
        while (span != content.spans.end() && span->end <= at)
            ++span;
        const bool isStyled = span != content.spans.end() && span->begin <= at;
        m_cells.push_back({point, isStyled ? span->style : AnsiStyle()});
        at += length;
    }
}

void TerminalLine::put(char32_t character, size_t length_bytes)
{
    if (m_column >= kMaxColumns) {
        m_cut_bytes += length_bytes;
        return;
    }
    if (m_cells.size() <= m_column) m_cells.resize(m_column + 1);
    m_cells[m_column++] = {character, m_style};
}

// Applies a CSI sequence that moves the cursor in the line (C, D, G) or erases (K).
void TerminalLine::applyControl(std::string_view sequence)
{
    const size_t number = numbersOf(csiParameters(sequence)).front();
    const size_t count = std::max<size_t>(number, 1);
    switch (sequence.back()) {
    case 'C':
        m_column = std::min(m_column + count, kMaxColumns);
        break;
    case 'D':
        m_column -= std::min(m_column, count);
        break;
    case 'G':
        m_column = std::min(count - 1, kMaxColumns);
        break;
    case 'K':
        if (number == 0 && m_column < m_cells.size()) m_cells.resize(m_column);
        if (number >= 1) std::fill_n(m_cells.begin(), std::min(m_column, m_cells.size()), Cell());
        if (number == 2) m_cells.clear();
        if (number != 1) m_cut_bytes = 0;
        break;
    default:
        break;
    }
}

void TerminalLine::write(std::string_view text)
{
    const std::string repaired = isValidUtf8(text) ? std::string() : repairedUtf8(text);
    if (!repaired.empty()) text = repaired;
    while (!text.empty()) {
        const char c = text.front();
        size_t length = 1;
        if (c == kEscape) {
            length = parseEscape(text, m_style);
            if (isCsi(text.substr(0, length))) applyControl(text.substr(0, length));
        } else if (c == '\r') {
            m_column = m_home;
        } else if (c == '\b') {
            m_column -= m_column > m_home ? 1 : 0;
        } else if (c == '\t') {
            do
                put(U' ', 1);
            while (m_column % kTabStop != 0 && m_column < kMaxColumns);
        } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) {
            const auto [point, size] = firstCodePoint(text);
            put(point, size);
            length = size;
        }
        text.remove_prefix(length);
    }
}

AnsiText TerminalLine::content() const
{
    size_t end = m_cells.size();
    while (end > 0 && m_cells[end - 1].character == U' ')
        --end;
    AnsiText out;
    out.text.reserve(end);
    for (size_t i = 0; i < end; ++i) {
        const size_t begin = out.text.size();
        appendUtf8(out.text, m_cells[i].character);
        addSpan(out.spans, begin, out.text.size(), m_cells[i].style);
    }
    return out;
}

uint32_t cubeColor(uint32_t index)
{
    static constexpr std::array<uint32_t, 6> kLevels{0, 95, 135, 175, 215, 255};
    if (index >= 232) {
        const uint32_t grey = 8 + 10 * (std::min(index, 255U) - 232);
        return grey << 16 | grey << 8 | grey;
    }
    const uint32_t cell = std::max(index, 16U) - 16;
    return kLevels[cell / 36] << 16 | kLevels[cell / 6 % 6] << 8 | kLevels[cell % 6];
}

} // namespace lockstep
