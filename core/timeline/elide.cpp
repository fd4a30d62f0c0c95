// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/elide.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr std::string_view kEllipsis = "\u2026";
constexpr int kMin = 3; // minimum number of characters that remain

bool isContinuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

size_t nextCharacter(std::string_view text, size_t at)
{
    do
        ++at;
    while (at < text.size() && isContinuation(text[at]));
    return at;
}

size_t previousCharacter(std::string_view text, size_t at)
{
    do
        --at;
    while (at > 0 && isContinuation(text[at]));
    return at;
}

// Returns the part after the last "::" or space outside brackets.
std::string_view lastName(std::string_view name)
{
    const size_t at = name.find_last_of(": ");
    return at == std::string_view::npos || at + 1 == name.size() ? name : name.substr(at + 1);
}

// Removes the prefix that is common to the names of NCCL kernels: "ncclDevKernel_AllGather_RING_LL" and
// "ncclKernel_AllReduce_...".
std::string_view withoutNcclPrefix(std::string_view name)
{
    for (const std::string_view prefix : {"ncclDevKernel_", "ncclKernel_"}) {
        if (name.size() > prefix.size() && name.starts_with(prefix)) return name.substr(prefix.size());
    }
    return name;
}

// Same as fits(), for names that may be thousands of bytes long: stops summing once the width is exceeded.
bool fits(std::string_view text, float width, const LabelFont& font)
{
    constexpr size_t kStride = 64;
    float used = 0;
    for (size_t i = 0; i < text.size(); i += kStride) {
        used += font.widthOf(text.substr(i, kStride));
        if (used > width) return false;
    }
    return true;
}

} // namespace

std::string elideEnd(std::string_view text, float width, const LabelFont& font)
{
    if (fits(text, width, font)) return std::string(text);
    float used = font.ellipsis;
    size_t at = 0;
    int kept = 0;
    while (at < text.size()) {
        const size_t next = nextCharacter(text, at);
        used += font.widthOf(text.substr(at, next - at));
        if (used > width) break;
        at = next;
        ++kept;
    }
    return kept < kMin ? std::string() : std::string(text.substr(0, at)).append(kEllipsis);
}

std::string elideMiddle(std::string_view text, float width, const LabelFont& font)
{
    if (fits(text, width, font)) return std::string(text);
    float used = font.ellipsis;
    size_t left = 0, right = text.size();
    int kept = 0;
    for (bool takeLeft = true; left < right; takeLeft = !takeLeft) {
        const size_t at = takeLeft ? nextCharacter(text, left) : previousCharacter(text, right);
        used += font.widthOf(takeLeft ? text.substr(left, at - left) : text.substr(at, right - at));
        if (used > width) break;
        (takeLeft ? left : right) = at;
        ++kept;
    }
    if (kept < kMin) return {};
    return std::string(text.substr(0, left)).append(kEllipsis).append(text.substr(right));
}

std::string elideKernel(std::string_view name, float width, const LabelFont& font)
{
    if (name.starts_with("void ")) name.remove_prefix(5);
    if (fits(name, width, font)) return std::string(name);
    const std::string_view withoutArguments = withoutParameters(name);
    if (fits(withoutArguments, width, font)) return std::string(withoutArguments);
    const std::string plain = withoutTemplateArguments(withoutArguments);
    if (fits(plain, width, font)) return plain;
    const std::string_view last = lastName(plain);
    const std::string_view collective = withoutNcclPrefix(last);
    if (collective.size() == last.size() || fits(last, width, font)) return elideMiddle(last, width, font);
    return elideEnd(collective, width, font); // "AllGath…": the name of the operation comes first
}

std::string_view withoutParameters(std::string_view name)
{
    // The parameter list is the last pair of brackets outside <>; the search starts at the end.
    const size_t close = name.rfind(')');
    if (close == std::string_view::npos) return name;
    if (name.substr(close + 1).starts_with("::")) return name; // "(anonymous namespace)::f"
    int depth = 0;
    for (size_t i = close + 1; i-- > 0;) {
        if (name[i] == ')') ++depth;
        if (name[i] == '(' && --depth == 0) return i == 0 ? name : name.substr(0, i);
    }
    return name;
}

std::string withoutTemplateArguments(std::string_view name)
{
    std::string out;
    int depth = 0;
    for (size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const bool isOperator = i >= 8 && name.substr(i - 8, 8) == "operator";
        // Compilers call an unnamed namespace "<unnamed>".
        const bool isName = depth == 0 && (i == 0 || name[i - 1] == ' ' || name[i - 1] == ':');
        if (c == '<' && !isOperator && !isName) ++depth;
        if (depth == 0) out += c;
        if (c == '>' && depth > 0) --depth;
    }
    return depth != 0 || out.empty() ? std::string(name) : out;
}

std::string_view withoutParentName(std::string_view name, std::string_view parent)
{
    if (parent.empty() || name.size() <= parent.size() || !name.starts_with(parent)) return name;
    std::string_view rest = name.substr(parent.size());
    const size_t separators = rest.find_first_not_of(":/. _-|>");
    if (separators == std::string_view::npos || separators == 0) return name;
    return rest.substr(separators);
}

} // namespace lockstep
