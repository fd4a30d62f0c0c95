// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_repair.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/readers/chrome_json/event_borders.h"

namespace lockstep {

namespace {

bool isHex(std::string_view text)
{
    for (const char c : text) {
        if (std::string_view("0123456789abcdefABCDEF").find(c) == std::string_view::npos) return false;
    }
    return text.size() == 4;
}

// Copies the string that starts at text[at] == '"'. Returns the position after the string.
size_t repairString(std::string_view text, size_t at, std::string& out)
{
    out += '"';
    for (++at; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"' && endsString(text, at)) {
            out += '"';
            return at + 1;
        }
        if (c == '"') {
            out += "\\\"";
        } else if (c == '\\') {
            const char next = at + 1 < text.size() ? text[at + 1] : '\0';
            const bool known =
                next != '\0' && std::string_view("\"\\/bfnrt").find(next) != std::string_view::npos;
            if (known) {
                out += c;
                out += next;
                ++at;
            } else {
                out += next == 'u' && isHex(text.substr(at + 2, 4)) ? "\\" : "\\\\";
            }
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::array<char, 8> code = {};
            std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
            out += code.data();
        } else {
            out += c;
        }
    }
    out += '"';
    return at;
}

// Copies a number or word up to the next separator. Writes null for anything that is invalid in JSON.
size_t repairScalar(std::string_view text, size_t at, std::string& out)
{
    const size_t end = std::min(text.find_first_of(" \t\r\n,:{}[]\"", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const bool isNumber = word[0] >= '0' && word[0] <= '9';
    const bool isNegative = word.size() > 1 && word[0] == '-' && word[1] >= '0' && word[1] <= '9';
    const bool isWord = word == "true" || word == "false" || word == "null";
    out += isNumber || isNegative || isWord ? word : "null";
    return end;
}

constexpr std::array<std::string_view, 7> kNoValues{"",    "null",     "none",     "nan",
                                                    "inf", "infinity", "undefined"};

// Returns the end of a value that starts at text[at] without a quote or bracket. The end is the comma before
// the next key, or a closing bracket; other commas belong to the value.
size_t endOfBareValue(std::string_view text, size_t at)
{
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '}' || c == ']' || c == '\n') return at;
        if (c != ',') continue;
        const size_t next = text.find_first_not_of(" \t\r\n,", at);
        if (next == std::string_view::npos || text[next] == '"' || text[next] == '}') return at;
    }
    return text.size();
}

// Copies a member's value that has no quotes and brackets: a JSON number or word unchanged, an empty value or
// invalid number as null, other words as a string.
size_t repairBareValue(std::string_view text, size_t at, std::string& out)
{
    const size_t end = endOfBareValue(text, at);
    const std::string_view value = trimmed(text.substr(at, end - at));
    const bool isNumber = value.find_first_not_of("0123456789+-.eE") == std::string_view::npos &&
                          value.find_first_of("0123456789") <= 1;
    const std::string word = lowerAscii(value.starts_with('-') ? value.substr(1) : value);
    if (isNumber || value == "true" || value == "false") {
        out += value;
    } else if (std::ranges::find(kNoValues, word) != kNoValues.end()) {
        out += "null";
    } else {
        const bool isQuotedAtEnd = value.ends_with('"'); // the opening quote is missing
        repairString("\"" + std::string(value) + (isQuotedAtEnd ? "" : "\""), 0, out);
    }
    return end;
}

} // namespace

std::string repairedEvent(std::string_view text)
{
    const std::string clean = isValidUtf8(text) ? std::string(text) : repairedUtf8(text);
    const std::string_view in = clean;
    std::string out;
    out.reserve(in.size() + 64);
    std::string open;                 // closing brackets for the containers that are open
    size_t comma = std::string::npos; // position in `out` of a comma after which nothing was written yet
    bool isAfterColon = false;
    for (size_t at = 0; at < in.size();) {
        const char c = in[at];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            out += c;
            ++at;
        } else if (isAfterColon && c != '"' && c != '{' && c != '[') {
            at = repairBareValue(in, at, out);
            isAfterColon = false;
        } else if (c == ',') {
            if (comma == std::string::npos) {
                comma = out.size();
                out += c;
            }
            ++at;
        } else {
            isAfterColon = c == ':';
            if ((c == '}' || c == ']') && comma != std::string::npos) out[comma] = ' ';
            comma = std::string::npos;
            if (c == '"') {
                at = repairString(in, at, out);
            } else if (c == '{' || c == '[') {
                open += c == '{' ? '}' : ']';
                out += c;
                ++at;
            } else if (c == '}' || c == ']') {
                out += open.empty() ? c : open.back();
                if (!open.empty()) open.pop_back();
                ++at;
            } else if (c == ':') {
                out += c;
                ++at;
            } else {
                at = repairScalar(in, at, out);
            }
        }
    }
    if (comma != std::string::npos && !open.empty()) out[comma] = ' ';
    out.append(open.rbegin(), open.rend());
    return out;
}

std::string_view upToLastBracket(std::string_view text)
{
    return text.substr(0, text.find_last_of("}]") + 1);
}

} // namespace lockstep
