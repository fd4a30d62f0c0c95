// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/script.h"

#include <algorithm>
#include <array>
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
    std::optional<bool> isSuccess = true; // nullopt: unknown
    CausePtr why = {};                    // set if it is unknown
    bool isAlive = true;
    bool isExternal = false; // a command of the host, which is assumed to succeed
};

End endOf(Verdict verdict)
{
    return {verdict.holds, std::move(verdict.why)};
}

End externalEnd(CausePtr why)
{
    return {std::nullopt, std::move(why), true, true};
}

// Reader executes the syntax tree of a script on a State. Where a condition is unknown, it executes every
// branch on a copy of the state and merges the results.
class Reader {
  public:
    Reader(Script& script, const ScriptOptions& options) : m_script(script), m_options(options)
    {
        m_reading.files = {options.path};
        m_reading.output = [this](std::string_view inside, int line) { return outputOf(inside, line); };
        m_state.folder = options.folder;
        if (!options.hasArguments) m_state.arguments.emplace();
        for (const auto& [name, value] : options.exported) {
            m_state.set(name, {value});
            m_state.variables.find(name)->second.isExported = true;
        }
        for (const auto& [name, value] : options.values) {
            const auto index = static_cast<size_t>(parseInt(name).value_or(0));
            if (index >= 1 && index <= 100) {
                if (!m_state.arguments) m_state.arguments.emplace();
                m_state.arguments->resize(std::max(m_state.arguments->size(), index));
                (*m_state.arguments)[index - 1] = {value};
            } else if (isEnvironmentName(name)) {
                m_reading.given[name] = value;
                m_state.set(name, {{value}});
                m_state.variables.find(name)->second.isGiven = true;
            }
        }
    }

    Status read(std::string_view text, int firstLine)
    {
        m_reading.isBatch |= text.starts_with("#SBATCH") || text.find("\n#SBATCH") != npos;
        m_trees.push_back(LOCKSTEP_TRY(parseShell(text, firstLine)));
        execute(m_trees.back());
        return {};
    }

    void finish()
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

  private:
    using Body = std::function<End()>;

    End execute(const Node& node)
    {
        constexpr int kMaxDepth = 400;
        if (!m_budget.takeStep() || m_depth >= kMaxDepth) {
            m_budget.isSpent = true;
            return deadEnd();
        }
        ++m_depth;
        End end = executeKind(node);
        --m_depth;
        return end;
    }

    End executeKind(const Node& node)
    {
        switch (node.kind) {
        case Node::Kind::simple:
            return simple(node);
        case Node::Kind::list:
            return sequence(node);
        case Node::Kind::chain:
            return chain(node, 0);
        case Node::Kind::pipeline:
            return pipeline(node);
        case Node::Kind::negated: {
            End end = execute(node.children[0]);
            if (end.isSuccess) end.isSuccess = !*end.isSuccess;
            end.isExternal = false;
            return end;
        }
        case Node::Kind::subshell:
            return isolated([&] { return execute(node.children[0]); });
        case Node::Kind::condition:
            return condition(node, 0);
        case Node::Kind::forLoop:
            return forLoop(node);
        case Node::Kind::whileLoop:
            return whileLoop(node);
        case Node::Kind::caseOf:
            return caseOf(node, expandedText(m_reading, node.words[0].text, node.line), 0);
        case Node::Kind::function:
            m_state.functions[std::string(node.words[0].text)] = &node.children[0];
            return {};
        case Node::Kind::test:
        case Node::Kind::arithmetic:
            return endOf(verdictOfTest(m_reading, node.words[0]));
        }
        return {};
    }

    End deadEnd() const { return {std::nullopt, m_lastCause, false}; }

    End sequence(const Node& node)
    {
        End end;
        for (size_t i = 0; i < node.children.size() && end.isAlive; ++i)
            end = execute(node.children[i]);
        return end;
    }

    // Executes the branch that the test selects, or both if it is unknown.
    End choose(const End& test, const Body& yes, const Body& no)
    {
        if (!test.isAlive) return test;
        if (test.isSuccess) return *test.isSuccess ? yes() : no();
        return branches(test.why, {yes, no}, test.isExternal);
    }

    End chain(const Node& node, size_t at)
    {
        const End end = execute(node.children[at]);
        if (at + 1 == node.children.size()) return end;
        // Executes the rest, if the command at `at` succeeded or failed.
        const auto rest = [&](bool hasSucceeded) {
            size_t next = at + 1;
            while (next < node.children.size() && node.isAnd[next] != hasSucceeded)
                ++next;
            return next < node.children.size() ? chain(node, next) : End{hasSucceeded};
        };
        return choose(
            end, [&] { return rest(true); }, [&] { return rest(false); });
    }

    End condition(const Node& node, size_t at)
    {
        if (at >= node.children.size()) return {};
        End test = execute(node.children[at]);
        if (at + 1 == node.children.size()) return test; // else
        test.isExternal = false;
        return choose(
            test, [&] { return execute(node.children[at + 1]); }, [&] { return condition(node, at + 2); });
    }

    End caseOf(const Node& node, const Text& subject, size_t at)
    {
        if (at >= node.children.size()) return {};
        Verdict verdict{false};
        for (const Word& pattern : node.patterns[at]) {
            Verdict one = verdictOfPattern(m_reading, pattern, subject);
            if (verdict.holds == false || one.holds == true) verdict = std::move(one);
        }
        return choose(
            endOf(verdict), [&] { return execute(node.children[at]); },
            [&] { return caseOf(node, subject, at + 1); });
    }

    End pipeline(const Node& node)
    {
        End end;
        for (size_t i = 0; i < node.children.size(); ++i) {
            m_isPiped = i > 0;
            end = isolated([&] { return execute(node.children[i]); });
        }
        m_isPiped = false;
        return end;
    }

    End whileLoop(const Node& node)
    {
        const End first = execute(node.children[0]);
        if (!first.isAlive || first.isSuccess == (node.words[0].text == "until")) return {};
        const auto body = [&] {
            const End test = execute(node.children[0]);
            return test.isAlive ? execute(node.children[1]) : test;
        };
        return repeated(body, first.isSuccess.has_value(), first.why);
    }

    End forLoop(const Node& node)
    {
        const std::string name(node.words[0].text);
        const bool isNamed = isEnvironmentName(name);
        const std::vector<Word> all{{"\"$@\"", node.line}};
        std::vector<Text> values;
        CausePtr why;
        if (!isNamed) why = causeOf("", "the rounds of the loop", node.line);
        if (isNamed)
            values =
                expandedWords(m_reading, node.hasValues ? std::span(node.words).subspan(1) : std::span(all));
        for (const Text& value : values) {
            if (!why && !value.isKnown()) why = value.unknown;
            if (!why && !value.remark.empty()) why = causeOf("", value.remark, node.line);
        }
        if (!why && values.size() > kMaxRounds)
            why = causeOf("", "the loop has more than 64 rounds", node.line);
        const auto round = [&](Text value) {
            if (isNamed) m_state.set(name, {std::move(value)});
            return leavable(m_next, [&] { return execute(node.children[0]); });
        };
        if (why) return repeated([&] { return round(unknownText("$" + name, why)); }, false, why);
        return leavable(m_left, [&] {
            End end;
            for (size_t i = 0; i < values.size() && end.isAlive; ++i)
                end = round(values[i]);
            return end;
        });
    }

    // Executes the body until the merged state before and after a round no longer changes. Variables that the
    // rounds change are then unknown, so the commands of the last round stand for those of any round.
    End repeated(const Body& body, bool isCertain, const CausePtr& given)
    {
        constexpr int kMaxPasses = 6;
        const CausePtr why = given ? given : causeOf("", "a loop changes the value");
        const size_t commands = m_script.commands.size();
        const bool wasRepeated = std::exchange(m_isRepeated, true);
        End end;
        for (int pass = 0; pass < kMaxPasses && !m_budget.isSpent; ++pass) {
            m_script.commands.resize(commands);
            const State before = m_state;
            end = leavable(m_left, [&] {
                const auto once = [&] { return leavable(m_next, body); };
                return branches(why, {[] { return End(); }, once}, true);
            });
            // The second branch of branches() is never certain, but a loop without end is executed.
            for (size_t i = commands; i < m_script.commands.size() && isCertain && m_isCertain; ++i)
                m_script.commands[i].isCertain = true;
            const bool isStable = before.variables == m_state.variables && before.folder == m_state.folder &&
                                  before.arguments == m_state.arguments && before.locals == m_state.locals;
            if (!end.isAlive || isStable) break;
            m_budget.isSpent |= pass + 1 == kMaxPasses;
        }
        m_isRepeated = wasRepeated;
        return end;
    }

    // Continues with what the outcomes of several paths have in common.
    End merged(std::vector<State> outcomes, const End& end)
    {
        if (outcomes.empty()) return deadEnd();
        const bool isOne = outcomes.size() == 1;
        m_state = mergedStates(std::move(outcomes), m_lastCause);
        if (!isOne) useGivenValues(m_reading);
        return end.isAlive ? end : End{std::nullopt, m_lastCause};
    }

    End branches(const CausePtr& why, std::initializer_list<Body> bodies, bool isFirstCertain)
    {
        constexpr size_t kCopyCost = 40; // of a variable, in bytes
        const State before = m_state;
        const bool wasCertain = m_isCertain;
        std::vector<State> outcomes;
        std::optional<End> end;
        const int number = ++m_branchCount;
        const CausePtr outer = std::exchange(m_branchCause, why);
        for (const Body& body : bodies) {
            const bool isFirst = &body == bodies.begin();
            m_budget.takeBytes(before.variables.size() * kCopyCost);
            m_state = before;
            m_isCertain = wasCertain && isFirst && isFirstCertain;
            m_branches.emplace_back(number, isFirst ? 0 : 1);
            const End one = body();
            m_branches.pop_back();
            if (!one.isAlive) continue;
            outcomes.push_back(std::move(m_state));
            const bool isSame = !end || (end->isSuccess == one.isSuccess && one.isSuccess);
            end = isSame ? one : End{std::nullopt, why};
        }
        m_isCertain = wasCertain;
        m_branchCause = outer;
        m_lastCause = why;
        if (end && !end->isSuccess) end = End{std::nullopt, why};
        return merged(std::move(outcomes), end.value_or(End{std::nullopt, why}));
    }

    // Executes with a state of its own, as a subshell does.
    End isolated(const Body& body)
    {
        const State before = m_state;
        const std::array<std::vector<State>*, 3> outer{std::exchange(m_left, nullptr),
                                                       std::exchange(m_next, nullptr),
                                                       std::exchange(m_returned, nullptr)};
        End end = body();
        m_state = before;
        m_left = outer[0];
        m_next = outer[1];
        m_returned = outer[2];
        return end.isAlive ? end : End{std::nullopt, m_lastCause};
    }

    // Executes a loop or function, which some paths leave early.
    End leavable(std::vector<State>*& place, const Body& body)
    {
        std::vector<State> outcomes;
        std::vector<State>* const outer = std::exchange(place, &outcomes);
        const End end = body();
        place = outer;
        if (end.isAlive) outcomes.push_back(m_state);
        return merged(std::move(outcomes), end);
    }

    End simple(const Node& node)
    {
        if (node.words.empty()) {
            End end;
            for (const Word& word : node.assignments) {
                const CausePtr why = assign(m_reading, word, false);
                // In NAME=$(command), the status is that of the command.
                if (why && word.text.find("$(") != npos) end = externalEnd(why);
            }
            return end;
        }
        if (declare(m_reading, node.words)) return {};
        std::vector<Text> words = expandedWords(m_reading, node.words);
        return words.empty() ? End() : run(node, std::move(words));
    }

    End run(const Node& node, std::vector<Text> words)
    {
        const std::string name = words[0].isKnown() ? words[0].text : "";
        if (isOneOf(name, {"exit", "return", "break", "continue"})) return leave(name, node.line);
        if (name == "[" || name == "test") return endOf(verdictOfWords(m_state, words, node.line));
        const auto function = m_state.functions.find(name);
        const bool isFunction = function != m_state.functions.end();
        if (isFunction || name == "source" || name == ".") {
            // Assignments before them last until they end, as variables of a function do.
            Locals outer = std::exchange(m_state.locals, {});
            for (const Word& word : node.assignments) {
                keepOutside(m_reading, word.text.substr(0, word.text.find_first_of("=+[")));
                assign(m_reading, word, true);
            }
            const End end = isFunction
                                ? call(function->second, name, node.line, {words.begin() + 1, words.end()})
                                : source(node.line, words);
            endLocals(m_reading, std::move(outer));
            return end;
        }
        const CausePtr why = causeOf("", "whether " + name + " succeeds", node.line);
        if (const auto isSuccess = runBuiltin(m_reading, node.line, words); isSuccess)
            return isOneOf(name, {"read", "getopts", "let"}) ? externalEnd(why) : End{isSuccess};
        if (m_output == nullptr) {
            record(node, std::move(words));
        } else if (print(node, words)) {
            return {};
        }
        return externalEnd(why);
    }

    // Adds what the command prints to the output of the $(...). Returns false for a command of the host.
    bool print(const Node& node, std::span<const Text> words)
    {
        const std::optional<Text> printed = printedText(words, m_state);
        const bool isUsed = printed && m_isCertain && !m_isPiped && node.outputs.empty();
        if (m_output->isKnown() && printed) m_output->unknown = printed->unknown;
        if (m_output->isKnown() && !isUsed) m_output->unknown = causeOf("", "a command's output", node.line);
        if (isUsed && m_budget.takeBytes(printed->text.size())) m_output->text += printed->text;
        if (isUsed) m_output->usesFolder |= printed->usesFolder;
        return printed.has_value();
    }

    End leave(const std::string& name, int line)
    {
        std::vector<State>* const place = name == "exit"       ? nullptr
                                          : name == "return"   ? m_returned
                                          : name == "continue" ? m_next
                                                               : m_left;
        if (place != nullptr) place->push_back(m_state);
        if (name == "exit" && !m_isCertain && m_output == nullptr)
            m_notes.add(line, false, "the script may end here; the lines after it are read");
        return deadEnd();
    }

    End call(const Node* body, const std::string& name, int line, std::vector<Text> arguments)
    {
        if (m_calls >= kMaxCalls || body == nullptr) {
            m_notes.add(line, true,
                        body == nullptr
                            ? "branches define the function " + name + " differently; the call was not read"
                            : "function calls nested too deep; this call was not read");
            return externalEnd(m_lastCause);
        }
        ++m_calls;
        auto outer = std::exchange(m_state.arguments, std::move(arguments));
        const bool wasOwn = std::exchange(m_reading.hasOwnArguments, false);
        auto* const left = std::exchange(m_left, nullptr);
        auto* const next = std::exchange(m_next, nullptr);
        const End end = leavable(m_returned, [&] { return execute(*body); });
        m_left = left;
        m_next = next;
        m_reading.hasOwnArguments = wasOwn;
        m_state.arguments = std::move(outer);
        --m_calls;
        return end;
    }

    // Only files that belong to the script are read: the word is relative, or begins with the script's
    // folder.
    std::optional<std::string> sourcedFile(const Text& word) const
    {
        const std::string& script = m_reading.files[0];
        if (!word.isKnown() || word.hasReference() || script.empty() || !m_options.readFile)
            return std::nullopt;
        if (word.text.starts_with('/')) return word.usesFolder ? std::optional(word.text) : std::nullopt;
        const Text& folder = m_state.folder;
        if (folder.text.starts_with('/') && folder.usesFolder) return folder.text + "/" + word.text;
        return folder == Text() ? std::optional(script.substr(0, script.rfind('/') + 1) + word.text)
                                : std::nullopt;
    }

    End source(int line, std::span<const Text> words)
    {
        if (m_calls >= kMaxCalls || m_output != nullptr) return externalEnd(m_lastCause);
        const Text word = words.size() > 1 ? words[1] : Text{"a file"};
        const std::optional<std::string> path = sourcedFile(word);
        const std::string place = "sources " + shortened(word.text);
        Result<std::string> text =
            path ? m_options.readFile(*path)
                 : makeError(ErrorKind::notFound, "only files next to the script are read");
        if (text && text->size() > kMaxBytes) text = makeError(ErrorKind::invalid, "larger than 1 MiB");
        if (text && !isValidUtf8(*text)) text = makeError(ErrorKind::invalid, "not valid UTF-8");
        Result<Node> tree = Node();
        if (text) tree = parseShell(m_texts.emplace_back(std::move(*text)), 1);
        if (!text) tree = tl::make_unexpected(text.error());
        if (!tree) {
            m_notes.add(line, true, place + "; the file was not read (" + tree.error().message + ")");
            return externalEnd(m_lastCause);
        }
        if (!word.text.starts_with('/'))
            m_notes.add(line, false, place + ", read from the folder of the script");
        ++m_calls;
        m_reading.files.push_back(*path);
        m_trees.push_back(std::move(*tree));
        const End end = leavable(m_returned, [&] { return execute(m_trees.back()); });
        m_reading.files.pop_back();
        --m_calls;
        return end;
    }

    Text outputOf(std::string_view inside, int line)
    {
        const std::string written = "$(" + std::string(inside) + ")";
        const CausePtr why = causeOf("", shortened(written) + " runs a command", line);
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
        output.text.erase(output.text.find_last_not_of('\n') + 1);
        // A named cause can be resolved by the caller.
        if (!output.isKnown() && output.unknown->name.empty()) output.unknown = why;
        return output;
    }

    void record(const Node& node, std::vector<Text> words)
    {
        m_budget.isSpent |= m_script.commands.size() >= kMaxCommands;
        if (m_budget.isSpent) return;
        Command& made = m_script.commands.emplace_back();
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
        made.environment = environmentWith(m_reading, node.assignments);
    }

    Script& m_script;
    const ScriptOptions& m_options;
    Reading m_reading;
    State& m_state = m_reading.state;
    Notes& m_notes = m_reading.notes;
    Budget& m_budget = m_reading.budget;
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

} // namespace

Result<Script> readScript(std::string_view text, const ScriptOptions& options)
{
    if (text.size() > kMaxBytes) return makeError(ErrorKind::invalid, "the text is larger than 1 MiB");
    if (!options.isInner && (!isValidUtf8(text) || text.find('\0') != npos))
        return makeError(ErrorKind::invalid, "the text is not valid UTF-8");
    Script script;
    Reader reader(script, options);
    LOCKSTEP_TRY(reader.read(text, options.firstLine));
    script.batchOptions = batchOptionsOf(text);
    reader.finish();
    return script;
}

} // namespace lockstep::shell
