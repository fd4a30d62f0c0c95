// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/script.h"

#include <algorithm>
#include <deque>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/shell/builtins.h"
#include "core/session/shell/condition.h"
#include "core/session/shell/expansion.h"
#include "core/session/shell_quote.h"

namespace lockstep::shell {

namespace {

constexpr int kMaxCalls = 16;
constexpr size_t kMaxRounds = 64; // maximum number of iterations of a loop

// How a command ended. A path of execution that leaves a loop or function, or ends the script, is not alive:
// its state is kept where it continues.
struct End {
    Truth truth = Truth::yes;
    CausePtr why; // set if the truth is unknown
    bool isAlive = true;
    bool isExternal = false; // a command of the host, which is assumed to succeed
};

// Reader executes the syntax tree of a script on a State. Where a condition is unknown, it executes every
// branch on a copy of the state and merges the results.
class Reader {
  public:
    Reader(Script& script, const ScriptOptions& options);

    Status read(std::string_view text, int firstLine);
    void finish();

  private:
    using Body = std::function<End()>;

    End execute(const Node& node);
    End sequence(const Node& node);
    End chain(const Node& node, size_t at);
    End condition(const Node& node, size_t at);
    End caseOf(const Node& node, const Text& subject, size_t at);
    End forLoop(const Node& node);
    End whileLoop(const Node& node);
    End pipeline(const Node& node);
    End repeated(const Body& body, bool isCertain, const CausePtr& why);
    End branches(const CausePtr& why, std::initializer_list<Body> bodies, bool isFirstCertain);
    // Executes with a state of its own, as a subshell does.
    End isolated(const Body& body);
    // Executes a loop or function, which some paths leave early.
    End leavable(std::vector<State>*& place, const Body& body);
    End merged(std::vector<State> outcomes, const End& end);

    End simple(const Node& node);
    End run(const Node& node, std::vector<Text> words);
    End leave(const std::string& name, int line);
    End call(const Node* body, const std::string& name, int line, std::vector<Text> arguments);
    End source(int line, std::span<const Text> words);
    std::optional<std::string> sourcedFile(const Text& word) const;
    Text outputOf(std::string_view inside, int line);
    void record(const Node& node, std::vector<Text> words);

    Script& m_script;
    const ScriptOptions& m_options;
    State m_state;
    Notes m_notes;
    Budget m_budget;
    ScriptContext m_context;
    Expander m_expander{m_state, m_notes, m_budget, m_context};
    Builtins m_builtins;
    std::deque<std::string> m_texts; // of sourced files
    std::deque<Node> m_trees;
    std::vector<std::pair<int, int>> m_branches;
    int m_branchCount = 0;
    // Where the states of paths that leave early are collected; null outside of a loop or function.
    std::vector<State>*m_left = nullptr, *m_next = nullptr, *m_returned = nullptr;
    CausePtr m_branchCause; // of the innermost branch
    CausePtr m_lastCause = std::make_shared<const Cause>();
    bool m_isCertain = true, m_isRepeated = false, m_isPiped = false;
    Text* m_output = nullptr; // of the $(...) that is being evaluated
    int m_depth = 0;          // of commands
    int m_calls = 0;          // of functions, files and $(...)
};

Reader::Reader(Script& script, const ScriptOptions& options)
    : m_script(script), m_options(options), m_builtins(m_state, m_notes, m_expander, options.values)
{
    m_context.files = {options.path};
    m_context.output = [this](std::string_view inside, int line) { return outputOf(inside, line); };
    m_state.folder = options.folder;
    if (!options.hasArguments) m_state.arguments.emplace();
    for (const auto& [name, value] : options.exported) {
        m_state.set(name, {value});
        m_state.variables.find(name)->second.isExported = true;
    }
    for (const auto& [name, value] : options.values) {
        if (isDigit(name[0])) {
            const auto index = static_cast<size_t>(parseInt(name).value_or(0));
            if (index < 1 || index > 100) continue;
            if (!m_state.arguments) m_state.arguments.emplace();
            if (m_state.arguments->size() < index) m_state.arguments->resize(index);
            (*m_state.arguments)[index - 1] = {value};
        } else {
            m_state.set(name, {{value}});
        }
    }
}

Status Reader::read(std::string_view text, int firstLine)
{
    m_context.isBatch |= text.starts_with("#SBATCH") || text.find("\n#SBATCH") != npos;
    m_trees.push_back(LOCKSTEP_TRY(parseShell(text, firstLine)));
    execute(m_trees.back());
    return {};
}

void Reader::finish()
{
    if (m_budget.isSpent)
        m_notes.add(0, true, "evaluation limit reached; the rest of the script was not read");
    for (const auto& [name, variable] : m_state.variables) {
        if (!variable.isArray && !variable.values.empty())
            m_script.variables.emplace_back(name, variable.values[0]);
    }
    m_notes.addDefaults();
    m_script.notes = std::move(m_notes.all);
    std::ranges::stable_sort(m_script.notes, {}, &Note::line);
}

End Reader::execute(const Node& node)
{
    constexpr int kMaxDepth = 400;
    if (!m_budget.takeStep() || m_depth >= kMaxDepth) {
        m_budget.isSpent = true;
        return {Truth::unknown, m_lastCause, false};
    }
    ++m_depth;
    End end;
    switch (node.kind) {
    case Node::Kind::simple:
        end = simple(node);
        break;
    case Node::Kind::list:
        end = sequence(node);
        break;
    case Node::Kind::chain:
        end = chain(node, 0);
        break;
    case Node::Kind::pipeline:
        end = pipeline(node);
        break;
    case Node::Kind::negated:
        end = execute(node.children[0]);
        if (end.truth != Truth::unknown) end.truth = end.truth == Truth::yes ? Truth::no : Truth::yes;
        end.isExternal = false;
        break;
    case Node::Kind::subshell:
        end = isolated([&] { return execute(node.children[0]); });
        break;
    case Node::Kind::condition:
        end = condition(node, 0);
        break;
    case Node::Kind::forLoop:
        end = forLoop(node);
        break;
    case Node::Kind::whileLoop:
        end = whileLoop(node);
        break;
    case Node::Kind::caseOf:
        end = caseOf(node, m_expander.single(node.words[0].text, node.line), 0);
        break;
    case Node::Kind::function:
        m_state.functions[std::string(node.words[0].text)] = &node.children[0];
        break;
    case Node::Kind::test:
    case Node::Kind::arithmetic: {
        Verdict verdict = verdictOfTest(node.words[0], m_expander, m_state);
        end = {verdict.truth, std::move(verdict.why)};
        break;
    }
    }
    --m_depth;
    return end;
}

End Reader::pipeline(const Node& node)
{
    End end;
    for (size_t i = 0; i < node.children.size(); ++i) {
        m_isPiped = i > 0;
        end = isolated([&] { return execute(node.children[i]); });
    }
    m_isPiped = false;
    return end;
}

End Reader::whileLoop(const Node& node)
{
    const End first = execute(node.children[0]);
    const Truth ended = node.words[0].text == "until" ? Truth::yes : Truth::no;
    if (!first.isAlive || first.truth == ended) return {};
    const auto body = [&] {
        const End test = execute(node.children[0]);
        return test.isAlive ? execute(node.children[1]) : test;
    };
    return repeated(body, first.truth != Truth::unknown, first.why);
}

End Reader::sequence(const Node& node)
{
    End end;
    for (const Node& child : node.children) {
        end = execute(child);
        if (!end.isAlive) break;
    }
    return end;
}

End Reader::chain(const Node& node, size_t at)
{
    const End end = execute(node.children[at]);
    if (!end.isAlive) return end;
    // Returns the end of the rest, if the command at `at` succeeded or failed.
    const auto rest = [&](bool hasSucceeded) {
        size_t next = at + 1;
        while (next < node.children.size() && node.isAnd[next] != hasSucceeded)
            ++next;
        return next < node.children.size() ? chain(node, next)
                                           : End{hasSucceeded ? Truth::yes : Truth::no, nullptr};
    };
    if (end.truth != Truth::unknown) return rest(end.truth == Truth::yes);
    if (at + 1 == node.children.size()) return end;
    return branches(end.why, {[&] { return rest(true); }, [&] { return rest(false); }}, end.isExternal);
}

End Reader::condition(const Node& node, size_t at)
{
    if (at >= node.children.size()) return {};
    if (at + 1 == node.children.size()) return execute(node.children[at]); // else
    const End test = execute(node.children[at]);
    if (!test.isAlive) return test;
    const auto body = [&] { return execute(node.children[at + 1]); };
    const auto other = [&] { return condition(node, at + 2); };
    if (test.truth != Truth::unknown) return test.truth == Truth::yes ? body() : other();
    return branches(test.why, {body, other}, false);
}

End Reader::caseOf(const Node& node, const Text& subject, size_t at)
{
    if (at >= node.children.size()) return {};
    Verdict verdict{Truth::no, nullptr};
    for (const Word& pattern : node.patterns[at]) {
        Verdict one = verdictOfPattern(pattern, subject, m_expander);
        if (verdict.truth == Truth::no || one.truth == Truth::yes) verdict = std::move(one);
    }
    const auto body = [&] { return execute(node.children[at]); };
    const auto other = [&] { return caseOf(node, subject, at + 1); };
    if (verdict.truth != Truth::unknown) return verdict.truth == Truth::yes ? body() : other();
    return branches(verdict.why, {body, other}, false);
}

End Reader::merged(std::vector<State> outcomes, const End& end)
{
    if (outcomes.empty()) return {Truth::unknown, m_lastCause, false};
    const bool isOne = outcomes.size() == 1;
    m_state = mergedStates(std::move(outcomes), m_lastCause);
    if (!isOne) m_builtins.useGivenValues();
    return end.isAlive ? end : End{Truth::unknown, m_lastCause};
}

End Reader::branches(const CausePtr& why, std::initializer_list<Body> bodies, bool isFirstCertain)
{
    constexpr size_t kCopyCost = 40; // of a variable, in bytes
    const State before = m_state;
    const bool wasCertain = m_isCertain;
    std::vector<State> outcomes;
    std::vector<End> ends;
    const int number = ++m_branchCount;
    const CausePtr outer = std::exchange(m_branchCause, why);
    for (const Body& body : bodies) {
        const bool isFirst = &body == bodies.begin();
        m_budget.takeBytes(before.variables.size() * kCopyCost);
        m_state = before;
        m_isCertain = wasCertain && isFirst && isFirstCertain;
        m_branches.emplace_back(number, isFirst ? 0 : 1);
        const End end = body();
        m_branches.pop_back();
        if (!end.isAlive) continue;
        outcomes.push_back(std::move(m_state));
        ends.push_back(end);
    }
    m_isCertain = wasCertain;
    m_branchCause = outer;
    m_lastCause = why;
    End end{Truth::unknown, why};
    const bool isSame = !ends.empty() && std::ranges::all_of(ends, [&](const End& one) {
        return one.truth == ends[0].truth && one.truth != Truth::unknown;
    });
    if (isSame) end = ends[0];
    return merged(std::move(outcomes), end);
}

End Reader::isolated(const Body& body)
{
    const State before = m_state;
    auto* const left = std::exchange(m_left, nullptr);
    auto* const next = std::exchange(m_next, nullptr);
    auto* const returned = std::exchange(m_returned, nullptr);
    End end = body();
    m_state = before;
    m_left = left;
    m_next = next;
    m_returned = returned;
    if (!end.isAlive) end = {Truth::unknown, m_lastCause};
    return end;
}

End Reader::leavable(std::vector<State>*& place, const Body& body)
{
    std::vector<State> outcomes;
    std::vector<State>* const outer = std::exchange(place, &outcomes);
    const End end = body();
    place = outer;
    if (end.isAlive) outcomes.push_back(m_state);
    return merged(std::move(outcomes), end);
}

End Reader::forLoop(const Node& node)
{
    const std::string name(node.words[0].text);
    std::vector<Text> values;
    CausePtr why;
    if (!isEnvironmentName(name) || !node.isAnd[0]) {
        why = std::make_shared<const Cause>(Cause{"", "the rounds of the loop", node.line});
    } else if (node.hasValues) {
        values = m_expander.fields({node.words.begin() + 1, node.words.end()});
    } else {
        values = m_expander.fields(Word{"\"$@\"", node.line});
    }
    for (const Text& value : values) {
        if (!why && !value.isKnown()) why = value.unknown;
        if (!why && !value.remark.empty())
            why = std::make_shared<const Cause>(Cause{"", value.remark, node.line});
    }
    if (!why && values.size() > kMaxRounds)
        why = std::make_shared<const Cause>(Cause{"", "the loop has more than 64 rounds", node.line});
    const auto round = [&](Text value) {
        m_state.set(name, {std::move(value)});
        return leavable(m_next, [&] { return execute(node.children[0]); });
    };
    if (why) {
        const auto body = [&] {
            if (!isEnvironmentName(name)) return leavable(m_next, [&] { return execute(node.children[0]); });
            return round(unknownText("$" + name, why));
        };
        return repeated(body, false, why);
    }
    return leavable(m_left, [&] {
        End end;
        for (size_t i = 0; i < values.size() && end.isAlive; ++i)
            end = round(values[i]);
        return end;
    });
}

// Executes the body until the merged state before and after a round no longer changes. Variables that the
// rounds change are then unknown, so the commands of the last round stand for those of any round.
End Reader::repeated(const Body& body, bool isCertain, const CausePtr& given)
{
    constexpr int kMaxPasses = 6;
    const CausePtr why =
        given ? given : std::make_shared<const Cause>(Cause{"", "a loop changes the value", 0});
    const size_t commands = m_script.commands.size();
    const bool wasCertain = m_isCertain, wasRepeated = std::exchange(m_isRepeated, true);
    End end;
    for (int pass = 0; pass < kMaxPasses && !m_budget.isSpent; ++pass) {
        m_script.commands.resize(commands);
        m_isCertain = wasCertain && isCertain;
        const State before = m_state;
        end = leavable(m_left, [&] {
            const auto once = [&] { return leavable(m_next, body); };
            return branches(why, {[] { return End(); }, once}, true);
        });
        m_isCertain = wasCertain;
        // The second branch of branches() is never certain, but a loop without end is executed.
        for (size_t i = commands; i < m_script.commands.size() && isCertain && wasCertain; ++i)
            m_script.commands[i].isCertain = true;
        const bool isStable = before.variables == m_state.variables && before.folder == m_state.folder &&
                              before.arguments == m_state.arguments;
        if (!end.isAlive || isStable) break;
        m_budget.isSpent |= pass + 1 == kMaxPasses;
    }
    m_isRepeated = wasRepeated;
    return end;
}

End Reader::simple(const Node& node)
{
    if (node.words.empty()) {
        End end;
        for (const Word& word : node.assignments) {
            const CausePtr why = m_builtins.assign(word, false);
            // In NAME=$(command), the status is that of the command.
            if (why && word.text.find("$(") != npos) end = {Truth::unknown, why, true, true};
        }
        return end;
    }
    if (m_builtins.declare(node.words)) return {};
    std::vector<Text> words = m_expander.fields(node.words);
    return words.empty() ? End() : run(node, std::move(words));
}

End Reader::run(const Node& node, std::vector<Text> words)
{
    const std::string name = words[0].isKnown() ? words[0].text : "";
    if (isOneOf(name, {"exit", "return", "break", "continue"})) return leave(name, node.line);
    if (name == "[" || name == "test") {
        Verdict verdict = verdictOfWords(words, node.line, m_state);
        return {verdict.truth, std::move(verdict.why)};
    }
    const auto function = m_state.functions.find(name);
    if (isOneOf(name, {"source", "."}) || function != m_state.functions.end()) {
        // Assignments before them last until they end, as variables of a function do.
        auto outer = m_builtins.beginLocals();
        for (const Word& word : node.assignments)
            m_builtins.assignLocal(word);
        const End end = function != m_state.functions.end()
                            ? call(function->second, name, node.line, {words.begin() + 1, words.end()})
                            : source(node.line, words);
        m_builtins.endLocals(std::move(outer));
        return end;
    }
    if (m_builtins.run(node.line, words)) return {name == "false" ? Truth::no : Truth::yes, nullptr};
    if (m_output != nullptr) {
        const std::optional<Text> printed = printedText(words, m_state);
        const bool isUsed = printed && m_isCertain && !m_isPiped && node.outputs.empty();
        const auto why = std::make_shared<const Cause>(Cause{"", "a command's output", node.line});
        if (!isUsed && m_output->isKnown())
            m_output->unknown = printed && !printed->isKnown() ? printed->unknown : why;
        if (isUsed && m_output->isKnown()) m_output->unknown = printed->unknown;
        if (isUsed && m_budget.takeBytes(printed->text.size())) m_output->text += printed->text;
        if (isUsed) m_output->usesFolder |= printed->usesFolder;
        if (printed) return {};
    } else {
        record(node, std::move(words));
    }
    return {Truth::unknown,
            std::make_shared<const Cause>(Cause{"", "whether " + name + " succeeds", node.line}), true, true};
}

End Reader::leave(const std::string& name, int line)
{
    std::vector<State>* const place = name == "exit"       ? nullptr
                                      : name == "return"   ? m_returned
                                      : name == "continue" ? m_next
                                                           : m_left;
    if (place != nullptr) place->push_back(m_state);
    if (name == "exit" && !m_isCertain && m_output == nullptr)
        m_notes.add(line, false, "the script may end here; the lines after it are read");
    return {Truth::unknown, m_lastCause, false};
}

End Reader::call(const Node* body, const std::string& name, int line, std::vector<Text> arguments)
{
    if (m_calls >= kMaxCalls || body == nullptr) {
        m_notes.add(line, true,
                    body == nullptr
                        ? "branches define the function " + name + " differently; the call was not read"
                        : "function calls nested too deep; this call was not read");
        return {Truth::unknown, m_lastCause, true, true};
    }
    ++m_calls;
    auto outer = std::exchange(m_state.arguments, std::move(arguments));
    const bool wasOwn = std::exchange(m_context.hasOwnArguments, false);
    auto locals = m_builtins.beginLocals();
    auto* const left = std::exchange(m_left, nullptr);
    auto* const next = std::exchange(m_next, nullptr);
    const End end = leavable(m_returned, [&] { return execute(*body); });
    m_left = left;
    m_next = next;
    m_builtins.endLocals(std::move(locals));
    m_context.hasOwnArguments = wasOwn;
    m_state.arguments = std::move(outer);
    --m_calls;
    return end;
}

// Only files that belong to the script are read: the word is relative, or begins with the script's folder.
std::optional<std::string> Reader::sourcedFile(const Text& word) const
{
    const std::string& script = m_context.files[0];
    if (!word.isKnown() || word.hasReference() || script.empty() || !m_options.readFile) return std::nullopt;
    if (word.text.starts_with('/')) return word.usesFolder ? std::optional(word.text) : std::nullopt;
    const Text& folder = m_state.folder;
    if (folder.text.starts_with('/') && folder.usesFolder) return folder.text + "/" + word.text;
    return folder == Text() ? std::optional(script.substr(0, script.rfind('/') + 1) + word.text)
                            : std::nullopt;
}

End Reader::source(int line, std::span<const Text> words)
{
    const Text word = words.size() > 1 ? words[1] : Text{"a file"};
    const std::optional<std::string> path = sourcedFile(word);
    const std::string place = "sources " + shortened(word.text);
    if (m_calls >= kMaxCalls || m_output != nullptr) return {Truth::unknown, m_lastCause, true, true};
    Result<std::string> text = path
                                   ? m_options.readFile(*path)
                                   : makeError(ErrorKind::notFound, "only files next to the script are read");
    if (text && text->size() > kMaxBytes) text = makeError(ErrorKind::invalid, "larger than 1 MiB");
    if (text) {
        m_texts.push_back(std::move(*text));
        if (!word.text.starts_with('/'))
            m_notes.add(line, false, place + ", read from the folder of the script");
        ++m_calls;
        m_context.files.push_back(*path);
        Status status;
        const End end = leavable(m_returned, [&] {
            Result<Node> tree = parseShell(m_texts.back(), 1);
            if (!tree) status = tl::make_unexpected(tree.error());
            if (!tree) return End();
            m_trees.push_back(std::move(*tree));
            return execute(m_trees.back());
        });
        m_context.files.pop_back();
        --m_calls;
        if (status) return end;
        text = tl::make_unexpected(status.error());
    }
    m_notes.add(line, true, place + "; the file was not read (" + text.error().message + ")");
    return {Truth::unknown, m_lastCause, true, true};
}

Text Reader::outputOf(std::string_view inside, int line)
{
    const std::string written = "$(" + std::string(inside) + ")";
    const auto why = std::make_shared<const Cause>(Cause{"", shortened(written) + " runs a command", line});
    Result<Node> tree = parseShell(inside, line);
    if (!tree || m_calls >= kMaxCalls) return unknownText(written, why);
    m_trees.push_back(std::move(*tree));
    Text output;
    Text* const outer = std::exchange(m_output, &output);
    const bool wasCertain = std::exchange(m_isCertain, true), wasPiped = std::exchange(m_isPiped, false);
    ++m_calls;
    isolated([&] { return execute(m_trees.back()); });
    --m_calls;
    m_output = outer;
    m_isCertain = wasCertain;
    m_isPiped = wasPiped;
    while (output.text.ends_with('\n'))
        output.text.pop_back();
    // A named cause can be resolved by the caller.
    if (!output.isKnown() && output.unknown->name.empty()) output.unknown = why;
    return output;
}

void Reader::record(const Node& node, std::vector<Text> words)
{
    if (m_script.commands.size() >= kMaxCommands) {
        m_budget.isSpent = true;
        return;
    }
    Command made;
    made.line = node.line;
    made.words = std::move(words);
    made.folder = m_state.folder;
    made.isCertain = m_isCertain;
    made.why = m_branchCause;
    made.isRepeated = m_isRepeated;
    made.isPiped = m_isPiped;
    made.hasInput = node.hasInput;
    made.isRedirected = node.isRedirected;
    made.branches = m_branches;
    made.writesFile = std::ranges::any_of(node.outputs, [](const Word& one) {
        return !isOneOf(one.text, {"/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty"});
    });
    made.environment = m_builtins.environmentWith(node.assignments, m_budget);
    m_script.commands.push_back(std::move(made));
}

} // namespace

Result<Script> readScript(std::string_view text, const ScriptOptions& options)
{
    if (text.size() > kMaxBytes) return makeError(ErrorKind::invalid, "the text is larger than 1 MiB");
    if (!options.isInner && text.find_first_of(std::string{kReferenceBegin, kReferenceEnd, '\0'}) != npos)
        return makeError(ErrorKind::invalid, "the text contains control characters");
    Script script;
    Reader reader(script, options);
    LOCKSTEP_TRY(reader.read(text, options.firstLine));
    script.batchOptions = batchOptionsOf(text);
    reader.finish();
    return script;
}

} // namespace lockstep::shell
