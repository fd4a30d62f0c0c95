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

CausePtr causeOf(std::string_view name, std::string text, int line)
{
    return std::make_shared<const Cause>(Cause{std::string(name), std::move(text), line});
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
    variable.isGiven = false;
    variable.isExported |= exportsAll;
}

std::vector<Text> mergedTexts(const std::vector<Text>& a, const std::vector<Text>& b, const CausePtr& cause)
{
    std::vector<Text> merged;
    const auto addUnknown = [&](const Text& text) {
        merged.push_back(text);
        if (text.isKnown()) merged.back().unknown = cause;
    };
    // Skips as few elements as possible to the next element that both sequences have.
    const auto distanceTo = [](const Text& text, auto from, auto end) {
        constexpr std::ptrdiff_t kMost = 300;
        const auto last = from + std::min(kMost, end - from);
        const auto found = std::find(from, last, text);
        return found == last ? kMost : found - from;
    };
    auto i = a.begin(), j = b.begin();
    while (i != a.end() && j != b.end()) {
        if (*i == *j) {
            merged.push_back(*i++);
            ++j;
        } else if (distanceTo(*j, i, a.end()) <= distanceTo(*i, j, b.end())) {
            addUnknown(*i++);
        } else {
            addUnknown(*j++);
        }
    }
    std::for_each(i, a.end(), addUnknown);
    std::for_each(j, b.end(), addUnknown);
    return merged;
}

const Text* elementAt(const std::vector<Text>& values, size_t index)
{
    if (index >= values.size()) return nullptr;
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(index);
    return &*std::find_if(values.begin(), end, [](const Text& one) { return !one.isKnown(); });
}

namespace {

// Returns the variable that is unknown because of the cause. A cause without a name gets that of the
// variable.
Variable unknownVariable(const std::string& name, const CausePtr& cause, bool isExported)
{
    CausePtr own = cause;
    if (own->name.empty()) own = causeOf(name, cause->text, cause->line);
    return {{unknownText("$" + name, std::move(own))}, false, isExported, false};
}

void mergeInto(State& merged, const State& other, const CausePtr& cause)
{
    const Locals wereLocal = merged.locals;
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
        merged.variables[name] = variable.isArray ? Variable{mergedTexts({}, variable.values, cause), true,
                                                             variable.isExported, false}
                                                  : unknownVariable(name, cause, variable.isExported);
    }
    for (const auto& [name, body] : other.functions) {
        const auto [found, isNew] = merged.functions.try_emplace(name, nullptr);
        if (found->second != body) found->second = nullptr;
    }
    for (auto& [name, body] : merged.functions) {
        if (!other.functions.contains(name)) body = nullptr;
    }
    for (const auto& [name, outside] : other.locals)
        merged.locals.try_emplace(name, outside);
    for (auto& [name, outside] : merged.locals) {
        const auto found = other.locals.find(name);
        if (found == other.locals.end() || found->second != outside || !wereLocal.contains(name))
            outside = unknownVariable(name, cause, false);
    }
    if (!(merged.folder == other.folder)) merged.folder = unknownText("", cause);
    if (merged.arguments && other.arguments)
        merged.arguments = mergedTexts(*merged.arguments, *other.arguments, cause);
    else
        merged.arguments.reset();
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
