// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/state.h"

#include <algorithm>

#include "core/base/host_reference.h"
#include "core/base/secret_text.h"
#include "core/base/words.h"

namespace lockstep::shell {

std::string Cause::description() const
{
    return (name.empty() ? "" : name + ": ") + text +
           (line > 0 ? " (line " + std::to_string(line) + ")" : "");
}

bool operator==(const Text& a, const Text& b)
{
    return a.text == b.text && a.isKnown() == b.isKnown() && a.remark == b.remark &&
           (a.isKnown() || a.unknown->text == b.unknown->text);
}

Text referenceTo(std::string_view name)
{
    return {kReferenceBegin + std::string(name) + kReferenceEnd};
}

Text unknownText(std::string_view written, CausePtr cause)
{
    return {std::string(written), std::move(cause)};
}

std::string sessionText(std::string_view text)
{
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t begin = std::min(text.find(kReferenceBegin, at), text.size());
        std::string literal = literalText(text.substr(at, begin - at));
        if (begin == text.size()) return out + literal;
        const size_t last = literal.find_last_not_of('$');
        const size_t dollars = literal.size() - (last == npos ? 0 : last + 1);
        out += literal + std::string(dollars, '$'); // otherwise the last one would join the reference
        const size_t end = std::min(text.find(kReferenceEnd, begin), text.size() - 1);
        const std::string name(text.substr(begin + 1, end - begin - 1));
        at = end + 1;
        const bool isBraced = at < text.size() && isNameChar(text[at]);
        out += isBraced ? "${" + name + "}" : "$" + name;
    }
    return out;
}

const Variable* State::find(std::string_view name) const
{
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : &found->second;
}

void State::set(std::string_view name, std::vector<Text> values, bool isArray)
{
    Variable& variable = variables.try_emplace(std::string(name)).first->second;
    variable.values = std::move(values);
    variable.isArray = isArray;
    variable.isExported |= exportsAll;
}

std::vector<Text> mergedTexts(const std::vector<Text>& a, const std::vector<Text>& b, const CausePtr& cause)
{
    constexpr size_t kMaxCells = 250'000;
    // The longest common subsequence: length[i][j] is that of a from i and b from j. If the sequences are too
    // long, only their common beginning is used.
    const size_t width = b.size() + 1;
    const bool isSmall = (a.size() + 1) * width <= kMaxCells;
    std::vector<size_t> length(isSmall ? (a.size() + 1) * width : 0);
    for (size_t i = a.size(); isSmall && i-- > 0;) {
        for (size_t j = b.size(); j-- > 0;)
            length[i * width + j] = a[i] == b[j]
                                        ? length[(i + 1) * width + j + 1] + 1
                                        : std::max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
    std::vector<Text> merged;
    const auto addUnknown = [&](const Text& text) {
        merged.push_back(text);
        if (text.isKnown()) merged.back().unknown = cause;
    };
    size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (a[i] == b[j]) {
            merged.push_back(a[i++]);
            ++j;
        } else if (isSmall && length[(i + 1) * width + j] < length[i * width + j + 1]) {
            addUnknown(b[j++]);
        } else {
            addUnknown(a[i++]);
        }
    }
    while (i < a.size())
        addUnknown(a[i++]);
    while (j < b.size())
        addUnknown(b[j++]);
    return merged;
}

namespace {

// Returns the variable that is unknown because of the cause. A cause without a name gets that of the
// variable.
Variable unknownVariable(const std::string& name, const CausePtr& cause, bool isExported)
{
    CausePtr own = cause;
    if (own->name.empty()) own = std::make_shared<const Cause>(Cause{name, cause->text, cause->line});
    return {{unknownText("$" + name, std::move(own))}, false, isExported};
}

void mergeInto(State& merged, const State& other, const CausePtr& cause)
{
    for (auto& [name, variable] : merged.variables) {
        const Variable* const found = other.find(name);
        if (found != nullptr && *found == variable) continue;
        const bool isArray = variable.isArray && (found == nullptr || found->isArray);
        const bool isExported = variable.isExported || (found != nullptr && found->isExported);
        if (isArray) {
            variable.values =
                mergedTexts(variable.values, found != nullptr ? found->values : std::vector<Text>(), cause);
        } else {
            variable = unknownVariable(name, cause, isExported);
        }
    }
    for (const auto& [name, variable] : other.variables) {
        if (merged.find(name) != nullptr) continue;
        merged.variables[name] =
            variable.isArray ? Variable{mergedTexts({}, variable.values, cause), true, variable.isExported}
                             : unknownVariable(name, cause, variable.isExported);
    }
    for (const auto& [name, body] : other.functions) {
        const auto [found, isNew] = merged.functions.try_emplace(name, nullptr);
        if (found->second != body) found->second = nullptr;
    }
    for (auto& [name, body] : merged.functions) {
        if (!other.functions.contains(name)) body = nullptr;
    }
    if (!(merged.folder == other.folder)) merged.folder = unknownText("", cause);
    if (merged.arguments != other.arguments) merged.arguments.reset();
}

} // namespace

State mergedStates(std::vector<State> outcomes, const CausePtr& cause)
{
    for (size_t i = 1; i < outcomes.size(); ++i)
        mergeInto(outcomes[0], outcomes[i], cause);
    return std::move(outcomes[0]);
}

void Notes::add(int line, bool isLoss, std::string text)
{
    if (m_reported.insert(text).second) all.push_back({line, isLoss, std::move(text)});
}

void Notes::addDefaults()
{
    constexpr size_t kMaxNamed = 8;
    if (defaults.empty()) return;
    std::string names;
    int line = defaults.begin()->second;
    size_t count = 0;
    for (const auto& [name, at] : defaults) {
        if (++count <= kMaxNamed) names += (names.empty() ? "" : ", ") + name;
        line = std::min(line, at);
    }
    if (count > kMaxNamed) names += " and " + std::to_string(count - kMaxNamed) + " more";
    add(line, false, "the script's defaults are used for variables that a caller may set: " + names);
}

bool Budget::takeBytes(size_t count)
{
    isSpent |= count > bytes;
    bytes -= isSpent ? 0 : count;
    return !isSpent;
}

bool Budget::takeStep()
{
    isSpent |= steps == 0;
    steps -= isSpent ? 0 : 1;
    return !isSpent;
}

std::string shortened(std::string_view text)
{
    constexpr size_t kMax = 80;
    const std::string masked = maskSecrets(text); // before the cut, because half a secret is not recognized
    std::string out = sessionText(masked).substr(0, kMax);
    std::replace(out.begin(), out.end(), '\n', ' ');
    return masked.size() > kMax ? out + "..." : out;
}

} // namespace lockstep::shell
