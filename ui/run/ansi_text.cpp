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

// Returns the length of the escape sequence that begins
// `rest`. Applies it to `style` if it changes the style.
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

} // namespace

AnsiText ansiText(std::string_view line)
{
    AnsiText out;
    out.text.reserve(line.size());
    AnsiStyle style;
    const auto extend = [&](size_t begin) {
        if (style.isPlain()) return;
        const auto from = static_cast<uint32_t>(begin), to = static_cast<uint32_t>(out.text.size());
        if (!out.spans.empty() && out.spans.back().end == from && out.spans.back().style == style) {
            out.spans.back().end = to;
        } else {
            out.spans.push_back({from, to, style});
        }
    };
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
        if (out.text.size() > begin) extend(begin);
        ++i;
    }
    if (!isValidUtf8(out.text)) {
        out.text = repairedUtf8(out.text); // repairing the text moves bytes, so the spans no longer match
        out.spans.clear();
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
