// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/builtins.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/shell/expansion.h"
#include "core/session/shell_quote.h"

namespace lockstep::shell {

namespace {

// Returns the folder that cd would enter.
Text enteredFolder(const Text& folder, Text target)
{
    if (!target.isKnown()) return target;
    const bool isWhole = target.text.starts_with('/') || target.text.starts_with(kReferenceBegin);
    if (!isWhole && !folder.isKnown()) return folder;
    if (!isWhole) target.usesFolder |= folder.usesFolder;
    if (!isWhole && !folder.text.empty()) target.text = folder.text + "/" + target.text;
    const std::optional<std::string> normal = normalPath(target.text);
    if (!normal) return unknownText(target.text, causeOf("", "the folder is unknown", 0));
    target.text = *normal;
    return target;
}

// Returns the caller's value of a variable if the value is unknown. A variable that the caller has given and
// the script has used keeps its unknown value, because the caller meant the first value.
Text givenOr(const Reading& reading, std::string_view name, Text value)
{
    if (value.isKnown()) return value;
    const auto found = reading.given.find(name);
    if (found != reading.given.end() && !reading.usedGiven.contains(name)) return {found->second};
    // Names the variable that the caller can set instead.
    if (value.unknown->name.empty()) value.unknown = causeOf(name, value.unknown->text, value.unknown->line);
    return value;
}

// Executes NAME[i]=VALUE.
void assignElement(Reading& reading, const Assignment& parts, int line)
{
    const Variable* const old = reading.state.find(parts.name);
    std::vector<Text> values = old != nullptr ? old->values : std::vector<Text>();
    CausePtr why;
    const std::optional<int64_t> index = numberOf(reading, parts.subscript, line, why);
    const bool isPlain = index && *index >= 0 && static_cast<size_t>(*index) <= values.size() &&
                         !parts.isAdding && std::ranges::all_of(values, &Text::isKnown);
    if (isPlain) {
        values.resize(std::max(values.size(), static_cast<size_t>(*index) + 1));
        values[static_cast<size_t>(*index)] = expandedText(reading, parts.value, line, true);
    } else {
        values = {unknownText("${" + std::string(parts.name) + "[@]}",
                              causeOf(parts.name, "its elements are not in order", line))};
    }
    reading.state.set(parts.name, std::move(values), true);
}

} // namespace

void useGivenValues(Reading& reading)
{
    for (auto& [name, variable] : reading.state.variables) {
        for (Text& one : variable.values) {
            if (!variable.isArray && reading.given.contains(name))
                one = givenOr(reading, name, std::move(one));
        }
    }
}

CausePtr assign(Reading& reading, const Word& word, bool isExported)
{
    Assignment parts;
    if (!isAssignment(word.text, &parts)) return nullptr;
    State& state = reading.state;
    const Variable* old = state.find(parts.name);
    CausePtr why;
    if (!parts.subscript.empty()) {
        assignElement(reading, parts, word.line);
    } else if (parts.value.starts_with('(')) {
        const std::vector<Word> words = splitWords(parts.value.substr(1, parts.value.size() - 2), word.line);
        std::vector<Text> values = expandedWords(reading, words);
        old = state.find(parts.name);
        if (parts.isAdding && old != nullptr)
            values.insert(values.begin(), old->values.begin(), old->values.end());
        state.set(parts.name, std::move(values), true);
    } else {
        Text value = expandedText(reading, parts.value, word.line, true);
        old = state.find(parts.name);
        std::vector<Text> values = old != nullptr && old->isArray ? old->values : std::vector<Text>();
        if (parts.isAdding && old != nullptr && !old->values.empty()) {
            if (old->isGiven) reading.usedGiven.emplace(parts.name);
            Text whole = old->values[0];
            if (whole.isKnown()) whole.unknown = value.unknown;
            whole.text += value.text;
            whole.usesFolder |= value.usesFolder;
            value = std::move(whole);
        }
        value = givenOr(reading, parts.name, std::move(value));
        why = value.unknown;
        values.resize(std::max<size_t>(values.size(), 1));
        values[0] = std::move(value);
        state.set(parts.name, std::move(values), old != nullptr && old->isArray);
    }
    if (isExported) state.variables.find(parts.name)->second.isExported = true;
    return why;
}

void keepOutside(Reading& reading, std::string_view name)
{
    const Variable* const old = reading.state.find(name);
    reading.state.locals.try_emplace(std::string(name), old != nullptr ? std::optional(*old) : std::nullopt);
}

void endLocals(Reading& reading, Locals outer)
{
    for (auto& [name, value] : reading.state.locals) {
        reading.state.variables.erase(name);
        if (value) reading.state.variables.emplace(name, std::move(*value));
    }
    reading.state.locals = std::move(outer);
}

bool declare(Reading& reading, const std::vector<Word>& words)
{
    const std::string_view command = words[0].text;
    if (!isOneOf(command, {"export", "declare", "typeset", "readonly", "local"})) return false;
    bool isExported = command == "export";
    const bool isLocal = command == "local";
    for (const Word& word : std::span(words).subspan(1)) {
        Assignment parts;
        if (word.text.starts_with('-') || word.text.starts_with('+')) {
            isExported |= word.text.find('x') != npos;
            if (word.text.find_first_of("An") != npos && command != "export")
                reading.notes.add(word.line, true,
                                  "maps and references to names are not supported: " + shortened(word.text));
        } else if (isAssignment(word.text, &parts)) {
            if (isLocal) keepOutside(reading, parts.name); // its value may still use the outer variable
            assign(reading, word, isExported);
        } else {
            for (Text& text : expandedWords(reading, std::span(&word, 1))) {
                const size_t equals = text.text.find('=');
                const std::string name = text.text.substr(0, equals);
                if (!isEnvironmentName(name)) continue;
                const bool isNew = isLocal && !reading.state.locals.contains(name);
                if (isLocal) keepOutside(reading, name);
                if (equals != npos) {
                    text.text.erase(0, equals + 1);
                    reading.state.set(name, {givenOr(reading, name, std::move(text))});
                } else if (isNew) {
                    reading.state.set(name, {});
                }
                const auto found = reading.state.variables.find(name);
                if (found != reading.state.variables.end()) found->second.isExported |= isExported;
            }
        }
    }
    return true;
}

namespace {

void enter(State& state, std::span<const Text> words, int line)
{
    size_t at = 1;
    while (at < words.size() && words[at].text.size() > 1 && words[at].text[0] == '-')
        ++at;
    Text target = at < words.size() ? words[at] : referenceTo("HOME");
    if (target.text == "-" || words[0].text == "popd")
        target = unknownText("-", causeOf("", "the previous folder", line));
    state.folder = enteredFolder(state.folder, std::move(target));
}

void setOptions(State& state, std::span<const Text> words)
{
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        if (word == "--") {
            state.arguments.emplace(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
            return;
        }
        const bool all = word.size() > 1 && word[0] == '-' && word.find('a') != std::string::npos;
        state.exportsAll |= all || word == "allexport";
        if (word == "+a") state.exportsAll = false;
    }
}

// Returns false if there are too few arguments; then none is shifted.
bool shift(State& state, int64_t count)
{
    if (!state.arguments || count < 1) return true;
    std::vector<Text>& all = *state.arguments;
    const auto from = all.begin() + std::min<int64_t>(count, static_cast<int64_t>(all.size()));
    const auto unknown = std::find_if(all.begin(), from, [](const Text& one) { return !one.isKnown(); });
    const bool isEnough = count <= static_cast<int64_t>(all.size());
    if (unknown == from) {
        if (isEnough) all.erase(all.begin(), from);
        return isEnough;
    }
    // An unknown argument may be several words, so the words to shift are unknown.
    const CausePtr why = unknown->unknown;
    for (Text& one : all) {
        if (one.isKnown()) one.unknown = why;
    }
    return true;
}

} // namespace

std::optional<bool> runBuiltin(Reading& reading, int line, std::span<const Text> words)
{
    State& state = reading.state;
    const std::string& name = words[0].text;
    if (isOneOf(name, {"cd", "pushd", "popd"})) {
        enter(state, words, line);
    } else if (name == "unset") {
        for (const Text& word : words.subspan(1)) {
            const auto found = state.variables.find(word.text);
            if (found != state.variables.end()) found->second.isExported = false;
            if (isEnvironmentName(word.text)) state.set(word.text, {});
        }
    } else if (isOneOf(name, {"read", "mapfile", "readarray", "getopts", "let"}) ||
               (name == "printf" && words.size() > 1 && words[1].text == "-v")) {
        for (const Text& word : words.subspan(1)) {
            const std::string variable = word.text.substr(0, word.text.find_first_of("=+-*/"));
            if (isEnvironmentName(variable))
                state.set(variable,
                          {givenOr(reading, variable,
                                   unknownText("$" + variable, causeOf(variable, name + " sets it", line)))});
        }
    } else if (name == "set") {
        setOptions(state, words);
    } else if (name == "shift") {
        return shift(state, words.size() > 1 ? parseInt(words[1].text).value_or(0) : 1);
    } else if (name == "trap") {
        reading.notes.add(line, false, "trap was not imported");
    } else {
        if (name == "false") return false;
        if (!isOneOf(name, {":", "true", "shopt", "wait", "ulimit", "umask", "hash"})) return std::nullopt;
    }
    return true;
}

std::vector<std::pair<std::string, Text>> environmentWith(Reading& reading,
                                                          const std::vector<Word>& assignments)
{
    State& state = reading.state;
    const auto before = state.variables;
    for (const Word& word : assignments)
        assign(reading, word, true);
    std::vector<std::pair<std::string, Text>> environment;
    for (const auto& [name, variable] : state.variables) {
        const bool isGiven = variable.isExported && !variable.isArray && !variable.values.empty();
        if (isGiven && reading.budget.takeBytes(variable.values[0].text.size() + name.size()))
            environment.emplace_back(name, variable.values[0]);
    }
    state.variables = before;
    return environment;
}

std::optional<Text> printedText(std::span<const Text> words, const State& state)
{
    const std::string& name = words[0].text;
    if (name == "pwd") return currentFolder(state);
    if (!isOneOf(name, {"echo", "dirname", "basename", "realpath", "readlink"})) return std::nullopt;
    Text made;
    bool hasOption = false;
    std::vector<Text> operands;
    for (const Text& word : words.subspan(1)) {
        if (!word.isKnown()) return word;
        made.usesFolder |= word.usesFolder;
        hasOption |= word.text.starts_with('-') && word.text != "--" && word.text != "-f";
        if (!word.remark.empty()) hasOption = true;
        if (name == "echo" || !word.text.starts_with('-')) operands.push_back(word);
    }
    if (hasOption || operands.empty()) return std::nullopt;
    if (name == "echo") {
        for (const Text& word : operands)
            made.text += (made.text.empty() ? "" : " ") + word.text;
        return made;
    }
    std::string path = operands[0].text;
    while (path.size() > 1 && path.ends_with('/'))
        path.pop_back();
    if (name == "realpath" || name == "readlink") {
        if (operands.size() > 1) return std::nullopt;
        const Text whole = enteredFolder(currentFolder(state), {path});
        if (!whole.isKnown()) return whole;
        made.text = whole.text;
        return made;
    }
    const size_t slash = path.rfind('/');
    if (path.find(kReferenceEnd, slash == npos ? 0 : slash) != npos)
        return std::nullopt; // ends with a reference
    if (name == "dirname") {
        made.text = slash == npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
        return operands.size() == 1 ? std::optional(made) : std::nullopt;
    }
    made.text = path.substr(slash == npos ? 0 : slash + 1);
    const std::string suffix = operands.size() > 1 ? operands[1].text : "";
    if (!suffix.empty() && made.text.ends_with(suffix) && made.text != suffix)
        made.text.resize(made.text.size() - suffix.size());
    return operands.size() <= 2 ? std::optional(made) : std::nullopt;
}

} // namespace lockstep::shell
