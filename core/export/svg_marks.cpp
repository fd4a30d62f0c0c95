// SPDX-License-Identifier: Apache-2.0
#include "core/export/svg_marks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::string_view kBetweenParts = " \u00B7 ";
constexpr size_t kLettersBetweenParts = 3, kShortestPart = 5;

std::vector<size_t> startsOfLetters(std::string_view text)
{
    std::vector<size_t> starts;
    for (size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
    }
    return starts;
}

std::string withoutMiddle(std::string_view text, size_t letters)
{
    const std::vector<size_t> starts = startsOfLetters(text);
    if (starts.size() <= letters) return std::string(text);
    const size_t half = (letters - 1) / 2;
    return std::string(text.substr(0, starts[half])) + "\u2026" +
           std::string(text.substr(starts[starts.size() - half]));
}

} // namespace

std::string shortenedText(const std::string& text, size_t letters)
{
    std::vector<std::string_view> parts;
    for (size_t begin = 0, end = 0; end != text.npos; begin = end + kBetweenParts.size()) {
        end = text.find(kBetweenParts, begin);
        parts.push_back(std::string_view(text).substr(begin, end == text.npos ? end : end - begin));
    }
    const size_t between = (parts.size() - 1) * kLettersBetweenParts;
    std::vector<size_t> lengths;
    for (const std::string_view part : parts)
        lengths.push_back(startsOfLetters(part).size());
    const auto lengthAt = [&](size_t most) {
        size_t sum = between;
        for (const size_t length : lengths)
            sum += std::min(length, most);
        return sum;
    };
    if (lengthAt(text.size()) <= letters) return text;
    size_t most = letters; // maximum length of each segment; the longest segments are shortened first
    while (most >= kShortestPart && lengthAt(most) > letters)
        --most;
    if (most < kShortestPart) return withoutMiddle(text, letters);
    std::string shortened;
    for (const std::string_view part : parts)
        shortened +=
            (shortened.empty() ? std::string() : std::string(kBetweenParts)) + withoutMiddle(part, most);
    return shortened;
}

std::string escapedMarkup(std::string_view text)
{
    std::string out;
    for (const char c : printable(text, "\n\t")) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

std::string svgNumber(double value)
{
    if (!std::isfinite(value)) return "0";
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.1f", std::clamp(value, -1e6, 1e6));
    std::string number = text.data();
    if (number.ends_with(".0")) number.resize(number.size() - 2);
    return number == "-0" ? "0" : number;
}

std::string svgText(double x, double y, std::string_view attributes, std::string_view text)
{
    return "<text " + std::string(attributes) + " x=\"" + svgNumber(x) + "\" y=\"" + svgNumber(y) + "\">" +
           escapedMarkup(text) + "</text>";
}

std::string svgRect(double x, double y, double width, double height, std::string_view attributes,
                    std::string_view tooltip)
{
    const std::string rect = "<rect " + std::string(attributes) + " x=\"" + svgNumber(x) + "\" y=\"" +
                             svgNumber(y) + "\" width=\"" + svgNumber(width) + "\" height=\"" +
                             svgNumber(height) + "\"";
    return tooltip.empty() ? rect + "/>" : rect + "><title>" + escapedMarkup(tooltip) + "</title></rect>";
}

} // namespace lockstep
