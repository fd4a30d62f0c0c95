// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/builtins.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/shell/tokens.h"
#include "core/session/shell_quote.h"

namespace lockstep::shell {

namespace {

struct Assignment {
    std::string_view name, subscript, value;
    bool isAdding = false;
};

std::optional<Assignment> assignmentOf(std::string_view raw)
{
    const size_t end = raw.find_first_of("=[+");
    if (end == npos || !isEnvironmentName(raw.substr(0, end))) return std::nullopt;
    Assignment made;
    made.name = raw.substr(0, end);
    std::string_view rest = raw.substr(end);
    if (rest[0] == '[') {
        const size_t close = rest.find(']');
        if (close == npos) return std::nullopt;
        made.subscript = rest.substr(1, close - 1);
        rest.remove_prefix(close + 1);
    }
    made.isAdding = rest.starts_with("+=");
    if (!made.isAdding && !rest.starts_with("=")) return std::nullopt;
    made.value = rest.substr(made.isAdding ? 2 : 1);
    return made;
}

} // namespace

bool isAssignment(std::string_view raw)
{
    return assignmentOf(raw).has_value();
}

void Builtins::assign(std::string_view raw, int line, bool isExported)
{
    const std::optional<Assignment> made = assignmentOf(raw);
    if (!made) return;
    const Variable* old = m_state.find(made->name);
    const bool isArray = made->value.starts_with('(') && made->subscript.empty();
    std::vector<Text> values;
    if (isArray) {
        values = m_expander.arrayElements(made->value, line);
        if (made->isAdding && old != nullptr)
            values.insert(values.begin(), old->values.begin(), old->values.end());
    } else if (!made->subscript.empty()) {
        const std::optional<int64_t> index = m_expander.number(made->subscript, line);
        if (!index || *index < 0 || *index > 1000) {
            m_notes.add(line, true, std::string(made->name) + "[...] was not read: the index is unknown");
            return;
        }
        if (old != nullptr) values = old->values;
        values.resize(std::max(values.size(), static_cast<size_t>(*index) + 1));
        values[static_cast<size_t>(*index)] = m_expander.single(made->value, line);
    } else {
        Text value = m_expander.single(made->value, line);
        if (made->value.starts_with("~/")) {
            m_notes.add(line, true,
                        std::string(made->name) + " begins with ~, the home folder of the user who runs the "
                                                  "script; left unexpanded");
        }
        if (made->isAdding && old != nullptr && !old->values.empty()) {
            value.text = old->values[0].text + value.text;
            value.isKnown &= old->values[0].isKnown;
        }
        values.push_back(std::move(value));
    }
    if (made->name == "IFS") m_notes.add(line, true, "IFS is ignored; words are split at spaces");
    m_state.set(made->name, std::move(values),
                isArray || !made->subscript.empty() || (old != nullptr && old->isArray));
    if (isExported) m_state.variables.find(made->name)->second.isExported = true;
}

bool Builtins::declare(int line, std::span<const std::string_view> raws)
{
    if (raws.empty() || !isOneOf(raws[0], {"export", "declare", "typeset", "readonly", "local"}))
        return false;
    bool isExported = raws[0] == "export";
    for (const std::string_view raw : raws.subspan(1)) {
        if (raw.starts_with('-')) {
            isExported |= raw.find('x') != npos;
            if (raw.find('A') != npos) m_notes.add(line, true, "associative arrays are not supported");
        } else if (isAssignment(raw)) {
            assign(raw, line, isExported);
        } else {
            for (const Text& name : m_expander.fields(raw, line)) {
                const size_t equals = name.text.find('=');
                if (equals != std::string::npos &&
                    isEnvironmentName(std::string_view(name.text).substr(0, equals))) {
                    m_state.set(name.text.substr(0, equals), {{name.text.substr(equals + 1), name.isKnown}});
                }
                const auto found = m_state.variables.find(std::string_view(name.text).substr(0, equals));
                if (found != m_state.variables.end()) found->second.isExported |= isExported;
            }
        }
    }
    return true;
}

void Builtins::enter(int line, std::span<const Text> words)
{
    size_t at = 1;
    while (at < words.size() && words[at].text.size() > 1 && words[at].text[0] == '-')
        ++at;
    if (at >= words.size() || words[at].text == "-") {
        m_notes.add(line, true, "cd without a folder or to the previous one: the target is unknown");
        return;
    }
    const Text& target = words[at];
    if (!target.isKnown) m_notes.add(line, true, "cd " + target.text + ": the target is unknown");
    const bool isWhole =
        target.text.starts_with('/') || target.text.starts_with('$') || m_state.folder.text.empty();
    m_state.folder =
        isWhole ? target
                : Text{m_state.folder.text + "/" + target.text, m_state.folder.isKnown && target.isKnown};
}

void Builtins::setOptions(std::span<const Text> words)
{
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        if (word == "--") {
            m_state.arguments =
                std::vector<Text>(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
            return;
        }
        const bool all = word.size() > 1 && word[0] == '-' && word.find('a') != std::string::npos;
        m_state.exportsAll |= all || word == "allexport";
        if (word == "+a") m_state.exportsAll = false;
    }
}

void Builtins::unset(int line, std::span<const Text> words)
{
    for (const Text& word : words.subspan(1)) {
        if (word.text.starts_with('-')) continue;
        if (words[0].text == "unset") {
            m_state.variables.erase(word.text);
        } else if (isEnvironmentName(word.text)) {
            m_state.set(word.text, {{"$" + word.text, false}});
            m_notes.add(line, true, words[0].text + " sets " + word.text + " to an unknown value");
        }
    }
}

bool Builtins::run(int line, std::span<const Text> words)
{
    const std::string& name = words[0].text;
    if (name == "cd" || name == "pushd") {
        enter(line, words);
    } else if (name == "popd") {
        m_notes.add(line, true, "popd: the target is unknown");
    } else if (isOneOf(name, {"unset", "read", "mapfile", "readarray", "getopts", "let"})) {
        unset(line, words);
    } else if (name == "set") {
        setOptions(words);
    } else if (name == "shift") {
        const int64_t count = words.size() > 1 ? parseInt(words[1].text).value_or(0) : 1;
        if (m_state.arguments) {
            const auto left = std::clamp<int64_t>(count, 0, static_cast<int64_t>(m_state.arguments->size()));
            m_state.arguments->erase(m_state.arguments->begin(), m_state.arguments->begin() + left);
        }
    } else if (name == "source" || name == ".") {
        m_notes.add(line, true,
                    "sources " + (words.size() > 1 ? words[1].text : std::string("a file")) +
                        "; the file was not read, so its variables are unknown");
    } else if (name == "trap") {
        m_notes.add(line, false, "trap was not imported");
    } else {
        return isOneOf(name,
                       {":", "true", "false", "shopt", "wait", "ulimit", "umask", "alias", "hash", "pwd"});
    }
    return true;
}

std::vector<Text> Builtins::expanded(std::span<const std::string_view> raws, int line)
{
    std::vector<Text> words;
    for (const std::string_view raw : raws) {
        for (Text& one : m_expander.fields(raw, line))
            words.push_back(std::move(one));
    }
    return words;
}

Command Builtins::command(const Simple& simple, std::vector<Text> words, Budget& budget)
{
    Command made;
    made.line = simple.line;
    made.words = std::move(words);
    made.folder = m_state.folder;
    made.isPiped = simple.isPiped;
    made.isRedirected = simple.isRedirected;
    const std::map<std::string, Variable, std::less<>> before = m_state.variables;
    for (const std::string_view raw : simple.assignments)
        assign(raw, simple.line, true);
    for (const auto& [name, variable] : m_state.variables) {
        const bool isGiven = variable.isExported && !variable.isArray && !variable.values.empty();
        if (isGiven && budget.takeBytes(variable.values[0].text.size()))
            made.environment.emplace_back(name, variable.values[0]);
    }
    if (!simple.assignments.empty()) m_state.variables = before;
    return made;
}

} // namespace lockstep::shell
