// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/builtins.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/shell_quote.h"

namespace lockstep::shell {

namespace {

CausePtr causeOf(std::string_view name, std::string text, int line)
{
    return std::make_shared<const Cause>(Cause{std::string(name), std::move(text), line});
}

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

} // namespace

Text Builtins::given(std::string_view name, Text value) const
{
    if (value.isKnown()) return value;
    const auto found = std::ranges::find(m_given, name, [](const auto& pair) { return pair.first; });
    if (found != m_given.end()) return {found->second};
    // Names the variable that the caller can set instead.
    if (value.unknown->name.empty()) value.unknown = causeOf(name, value.unknown->text, value.unknown->line);
    return value;
}

void Builtins::useGivenValues()
{
    for (const auto& [name, value] : m_given) {
        const auto found = m_state.variables.find(name);
        if (found == m_state.variables.end() || found->second.isArray) continue;
        for (Text& one : found->second.values) {
            if (!one.isKnown()) one = {value};
        }
    }
}

void Builtins::assignElement(const Assignment& parts, int line)
{
    const Variable* const old = m_state.find(parts.name);
    std::vector<Text> values = old != nullptr ? old->values : std::vector<Text>();
    CausePtr why;
    const std::optional<int64_t> index = m_expander.number(parts.subscript, line, why);
    const bool isPlain = index && *index >= 0 && static_cast<size_t>(*index) <= values.size() &&
                         !parts.isAdding && std::ranges::all_of(values, &Text::isKnown);
    if (!isPlain) {
        why = causeOf(parts.name, "its elements are not in order", line);
        return m_state.set(parts.name, {unknownText("${" + std::string(parts.name) + "[@]}", why)}, true);
    }
    values.resize(std::max(values.size(), static_cast<size_t>(*index) + 1));
    values[static_cast<size_t>(*index)] = m_expander.single(parts.value, line, true);
    m_state.set(parts.name, std::move(values), true);
}

CausePtr Builtins::assign(const Word& word, bool isExported)
{
    Assignment parts;
    if (!isAssignment(word.text, &parts)) return nullptr;
    CausePtr why;
    if (!parts.subscript.empty()) {
        assignElement(parts, word.line);
    } else if (parts.value.starts_with('(')) {
        std::vector<Text> values = m_expander.arrayElements(parts.value, word.line);
        const Variable* const old = m_state.find(parts.name);
        if (parts.isAdding && old != nullptr)
            values.insert(values.begin(), old->values.begin(), old->values.end());
        m_state.set(parts.name, std::move(values), true);
    } else {
        Text value = m_expander.single(parts.value, word.line, true);
        const Variable* const old = m_state.find(parts.name);
        std::vector<Text> values = old != nullptr && old->isArray ? old->values : std::vector<Text>();
        if (parts.isAdding && old != nullptr && !old->values.empty()) {
            Text whole = old->values[0];
            if (whole.isKnown()) whole.unknown = value.unknown;
            whole.text += value.text;
            whole.usesFolder |= value.usesFolder;
            value = std::move(whole);
        }
        value = given(parts.name, std::move(value));
        why = value.unknown;
        values.resize(std::max<size_t>(values.size(), 1));
        values[0] = std::move(value);
        m_state.set(parts.name, std::move(values), old != nullptr && old->isArray);
    }
    if (isExported) m_state.variables.find(parts.name)->second.isExported = true;
    return why;
}

void Builtins::makeLocal(std::string_view name)
{
    const Variable* const old = m_state.find(name);
    const bool isNew =
        m_locals.try_emplace(std::string(name), old != nullptr ? std::optional(*old) : std::nullopt).second;
    if (isNew) m_state.set(name, {});
}

void Builtins::assignLocal(const Word& word)
{
    Assignment parts;
    if (!isAssignment(word.text, &parts)) return;
    const Variable* const old = m_state.find(parts.name);
    m_locals.try_emplace(std::string(parts.name), old != nullptr ? std::optional(*old) : std::nullopt);
    assign(word, true);
}

void Builtins::endLocals(Locals outer)
{
    for (auto& [name, value] : m_locals) {
        if (value)
            m_state.variables[name] = std::move(*value);
        else
            m_state.variables.erase(name);
    }
    m_locals = std::move(outer);
}

bool Builtins::declare(const std::vector<Word>& words)
{
    const std::string_view command = words[0].text;
    if (!isOneOf(command, {"export", "declare", "typeset", "readonly", "local"})) return false;
    bool isExported = command == "export", isLocal = command == "local";
    for (size_t i = 1; i < words.size(); ++i) {
        const Word& word = words[i];
        Assignment parts;
        if (word.text.starts_with('-') || word.text.starts_with('+')) {
            isExported |= word.text.find('x') != npos;
            if (word.text.find_first_of("An") != npos && command != "export")
                m_notes.add(word.line, true,
                            "maps and references to names are not supported: " + shortened(word.text));
        } else if (isAssignment(word.text, &parts)) {
            // The value may use the variable outside of the function.
            const Variable* const old = m_state.find(parts.name);
            const std::optional<Variable> outside = old != nullptr ? std::optional(*old) : std::nullopt;
            assign(word, isExported);
            if (isLocal) m_locals.try_emplace(std::string(parts.name), outside);
        } else {
            for (const Text& text : m_expander.fields(word)) {
                const size_t equals = std::min(text.text.find('='), text.text.size());
                const std::string name = text.text.substr(0, equals);
                if (!isEnvironmentName(name)) continue;
                if (isLocal) makeLocal(name);
                if (equals < text.text.size()) {
                    Text value = text;
                    value.text.erase(0, equals + 1);
                    m_state.set(name, {given(name, std::move(value))});
                }
                const auto found = m_state.variables.find(name);
                if (found != m_state.variables.end()) found->second.isExported |= isExported;
            }
        }
    }
    return true;
}

void Builtins::enter(std::span<const Text> words, int line)
{
    size_t at = 1;
    while (at < words.size() && words[at].text.size() > 1 && words[at].text[0] == '-')
        ++at;
    Text target = at < words.size() ? words[at] : referenceTo("HOME");
    if (target.text == "-" || words[0].text == "popd")
        target = unknownText("-", causeOf("", "the previous folder", line));
    m_state.folder = enteredFolder(m_state.folder, std::move(target));
}

void Builtins::setOptions(std::span<const Text> words)
{
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        if (word == "--") {
            m_state.arguments.emplace(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
            return;
        }
        const bool all = word.size() > 1 && word[0] == '-' && word.find('a') != std::string::npos;
        m_state.exportsAll |= all || word == "allexport";
        if (word == "+a") m_state.exportsAll = false;
    }
}

bool Builtins::run(int line, std::span<const Text> words)
{
    const std::string& name = words[0].text;
    if (isOneOf(name, {"cd", "pushd", "popd"})) {
        enter(words, line);
    } else if (name == "unset") {
        for (const Text& word : words.subspan(1)) {
            const auto found = m_state.variables.find(word.text);
            if (found != m_state.variables.end()) found->second.isExported = false;
            if (isEnvironmentName(word.text)) m_state.set(word.text, {});
        }
    } else if (isOneOf(name, {"read", "mapfile", "readarray", "getopts", "let"}) ||
               (name == "printf" && words.size() > 1 && words[1].text == "-v")) {
        for (const Text& word : words.subspan(1)) {
            const std::string variable = word.text.substr(0, word.text.find_first_of("=+-*/"));
            if (isEnvironmentName(variable))
                m_state.set(variable,
                            {given(variable,
                                   unknownText("$" + variable, causeOf(variable, name + " sets it", line)))});
        }
    } else if (name == "set") {
        setOptions(words);
    } else if (name == "shift") {
        const int64_t count = words.size() > 1 ? parseInt(words[1].text).value_or(0) : 1;
        if (auto& all = m_state.arguments)
            all->erase(all->begin(),
                       all->begin() + std::clamp<int64_t>(count, 0, static_cast<int64_t>(all->size())));
    } else if (name == "trap") {
        m_notes.add(line, false, "trap was not imported");
    } else {
        return isOneOf(name, {":", "true", "false", "shopt", "wait", "ulimit", "umask", "hash"});
    }
    return true;
}

std::vector<std::pair<std::string, Text>> Builtins::environmentWith(const std::vector<Word>& assignments,
                                                                    Budget& budget)
{
    const auto before = m_state.variables;
    for (const Word& word : assignments)
        assign(word, true);
    std::vector<std::pair<std::string, Text>> environment;
    for (const auto& [name, variable] : m_state.variables) {
        const bool isGiven = variable.isExported && !variable.isArray && !variable.values.empty();
        if (isGiven && budget.takeBytes(variable.values[0].text.size() + name.size()))
            environment.emplace_back(name, variable.values[0]);
    }
    m_state.variables = before;
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
