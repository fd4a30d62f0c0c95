// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/script.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/words.h"
#include "core/session/shell/builtins.h"
#include "core/session/shell/condition.h"
#include "core/session/shell/expansion.h"
#include "core/session/shell/state.h"
#include "core/session/shell/tokens.h"
#include "core/session/shell_quote.h"

namespace lockstep::shell {

namespace {

// Reader traverses the tokens of a script in execution order and maintains the script's State.
class Reader {
  public:
    explicit Reader(Script& script) : m_script(script) {}

    State& state() { return m_state; }
    Notes& notes() { return m_notes; }

    Status read(std::string_view text, int firstLine);

  private:
    // How a list ended: the status of its last command, and
    // whether exit, return, break or continue ended it early.
    struct Ended {
        Truth truth = Truth::yes;
        bool isAssumed = false; // success is assumed because the command was not run
        bool isCut = false;
    };
    Ended list();
    Ended andOr();
    Ended pipeline();
    Ended command(bool isPiped);
    Ended group(std::string_view end, bool isSubshell);
    Ended ifStatement();
    Ended forLoop();
    Ended whileLoop();
    Ended caseStatement();
    void open(Branches& branches);
    // Reads a branch (a list or pipeline), which is certainly taken, possibly taken, or skipped.
    void branch(Branches& branches, Truth condition, Ended (Reader::*body)() = &Reader::list);
    Ended call(Cursor body, std::vector<Text> arguments);
    Ended simple(bool isPiped);
    Ended run(const Simple& simple);
    Ended evaluated(int line, const std::vector<Text>& words);
    void record(const Simple& simple, std::vector<Text> words);

    Script& m_script;
    State m_state;
    Notes m_notes;
    Budget m_budget;
    Expander m_expander{m_state, m_notes, m_budget};
    Builtins m_builtins{m_state, m_notes, m_expander};
    std::deque<Tokens> m_texts; // tokens of the script and of text passed to eval
    std::deque<std::string> m_evaluated;
    std::map<std::string, Cursor, std::less<>> m_functions; // positions of the function bodies
    Cursor m_cursor;
    bool m_isActive = true;
    bool m_isCertain = true;
    bool m_isCut = false;
    int m_depth = 0;
    int m_calls = 0;
};

constexpr int kMaxNesting = 100;
constexpr int kMaxCalls = 16;
constexpr size_t kMaxRounds = 64; // maximum number of iterations of a loop

Status Reader::read(std::string_view text, int firstLine)
{
    Tokens tokens = LOCKSTEP_TRY(splitShellTokens(text, firstLine));
    for (const Heredoc& one : tokens.heredocs)
        m_notes.add(one.line, true,
                    "here-documents are not supported; skipped" + lineRange(one.line, one.lastLine));
    const Cursor before = m_cursor;
    m_texts.push_back(std::move(tokens));
    m_cursor = Cursor(&m_texts.back().tokens, 0);
    while (!m_cursor.atEnd()) {
        list();
        if (!m_cursor.atEnd()) {
            m_notes.add(m_cursor.here().line, true,
                        "unexpected '" + std::string(m_cursor.here().text) + "'; ignored");
            m_cursor.step();
        }
        if (m_budget.isSpent) break;
    }
    if (m_budget.isSpent)
        m_notes.add(m_cursor.line(), true, "evaluation limit reached; the rest of the script was not read");
    m_cursor = before;
    return {};
}

Reader::Ended Reader::list()
{
    const bool wasActive = m_isActive;
    Ended ended;
    for (m_cursor.skipSeparators(); !m_cursor.atListEnd() && !m_budget.isSpent; m_cursor.skipSeparators()) {
        const size_t before = m_cursor.place();
        const Ended one = andOr();
        if (m_isActive) ended = one;
        if (m_isCut) {
            ended.isCut = true;
            m_isCut = false;
            m_isActive = false;
        }
        if (m_cursor.place() == before) m_cursor.step(); // skips an unexpected operator
    }
    m_isActive = wasActive;
    return ended;
}

// Evaluates && and ||, after which the next command runs, does not run, or may run. Commands that are not
// executed are assumed to succeed.
Reader::Ended Reader::andOr()
{
    Ended ended = pipeline();
    while (m_cursor.isOpHere("&&") || m_cursor.isOpHere("||")) {
        const bool isAnd = m_cursor.here().text == "&&";
        const int line = m_cursor.here().line;
        m_cursor.step();
        m_cursor.skipNewlines();
        const bool wasActive = m_isActive;
        const bool isOpen = ended.truth == Truth::unknown && !ended.isAssumed;
        const bool runs = ended.isAssumed ? isAnd : ended.truth == (isAnd ? Truth::yes : Truth::no);
        if (wasActive && isOpen && !m_isCut) {
            Branches branches;
            branch(branches, Truth::unknown, &Reader::pipeline);
            mergeBranches(branches, line, isAnd ? "the condition before &&" : "the condition before ||",
                          m_state, m_notes, m_budget);
            continue;
        }
        m_isActive = wasActive && runs && !m_isCut;
        if (wasActive && ended.isAssumed && !isAnd)
            m_notes.add(line, false, "the command after || runs only after a failure; not imported");
        const Ended next = pipeline();
        if (m_isActive) ended = next;
        m_isActive = wasActive;
    }
    return ended;
}

Reader::Ended Reader::pipeline()
{
    bool isNegated = false;
    while (m_cursor.takeWord("!"))
        isNegated = !isNegated;
    if (m_cursor.isHere("time")) m_cursor.step();
    Ended ended = command(false);
    while (m_cursor.isOpHere("|") || m_cursor.isOpHere("|&")) {
        m_cursor.step();
        m_cursor.skipNewlines();
        ended = command(true);
    }
    if (isNegated) {
        ended.truth = ended.isAssumed ? Truth::unknown : negated(ended.truth);
        ended.isAssumed = false;
    }
    return ended;
}

Reader::Ended Reader::command(bool isPiped)
{
    if (++m_depth > kMaxNesting) {
        m_notes.add(m_cursor.line(), true, "nested too deep; not read");
        m_budget.isSpent = true;
    }
    Ended ended;
    if (m_cursor.atEnd() || m_budget.isSpent || (m_isActive && !m_budget.takeStep())) {
        if (m_budget.isSpent) m_cursor.stepToEnd();
    } else if (m_cursor.here().kind == Token::Kind::test || m_cursor.here().kind == Token::Kind::count) {
        const Token& token = m_cursor.here();
        m_cursor.step();
        if (m_isActive) ended.truth = truthOfTest(token.text, m_expander, m_state, token.line);
        m_cursor.skipRedirects();
    } else if (m_cursor.isOpHere("(")) {
        ended = group(")", true);
    } else if (m_cursor.isHere("{")) {
        ended = group("}", false);
    } else if (m_cursor.isHere("if")) {
        ended = ifStatement();
    } else if (m_cursor.isHere("for") || m_cursor.isHere("select")) {
        ended = forLoop();
    } else if (m_cursor.isHere("while") || m_cursor.isHere("until")) {
        ended = whileLoop();
    } else if (m_cursor.isHere("case")) {
        ended = caseStatement();
    } else {
        ended = simple(isPiped);
    }
    --m_depth;
    return ended;
}

Reader::Ended Reader::group(std::string_view end, bool isSubshell)
{
    m_cursor.step();
    State before;
    if (isSubshell && m_isActive) before = m_state;
    Ended ended = list();
    if (m_cursor.isOpHere(end) || m_cursor.isHere(end)) m_cursor.step();
    if (isSubshell && m_isActive) m_state = std::move(before);
    // In a subshell, exit ends only the subshell. In braces, it ends the whole list.
    if (!isSubshell && ended.isCut) m_isCut = true;
    m_cursor.skipRedirects();
    return ended;
}

void Reader::open(Branches& branches)
{
    // Each variable is charged to the budget this many times, because it is copied.
    constexpr size_t kCopies = 4;
    m_budget.takeBytes(m_state.variables.size() * kCopies);
    branches.before = m_state;
    branches.isOpen = true;
}

void Reader::branch(Branches& branches, Truth condition, Ended (Reader::*body)())
{
    const bool wasActive = m_isActive, wasCertain = m_isCertain;
    const bool isSkipped = !wasActive || branches.isTaken || condition == Truth::no;
    const bool isCertainlyTaken = condition == Truth::yes && !branches.isOpen;
    if (isSkipped) {
        m_isActive = false;
        (this->*body)();
        m_isActive = wasActive;
        return;
    }
    branches.isTaken = condition == Truth::yes;
    const int line = m_cursor.line();
    if (isCertainlyTaken) {
        if ((this->*body)().isCut)
            m_notes.add(line, true, "the script ends here; the lines after it are read anyway");
        return;
    }
    if (!branches.isOpen) open(branches);
    branches.isComplete = condition == Truth::yes;
    m_state = branches.before;
    m_isCertain = false;
    const bool isCut = (this->*body)().isCut || m_isCut;
    m_isCut = false;
    if (!isCut) branches.outcomes.push_back(std::move(m_state));
    m_isCertain = wasCertain;
    m_state = branches.before;
}

Reader::Ended Reader::ifStatement()
{
    const int line = m_cursor.here().line;
    Branches branches;
    do {
        m_cursor.step(); // skips if or elif
        const bool wasActive = m_isActive;
        m_isActive = wasActive && !branches.isTaken;
        const Ended condition = list();
        m_isActive = wasActive;
        m_cursor.takeWord("then");
        branch(branches, condition.isAssumed ? Truth::unknown : condition.truth);
    } while (m_cursor.isHere("elif"));
    if (m_cursor.takeWord("else")) branch(branches, Truth::yes);
    m_cursor.takeWord("fi");
    m_cursor.skipRedirects();
    if (m_isActive) mergeBranches(branches, line, "this 'if'", m_state, m_notes, m_budget);
    return {};
}

Reader::Ended Reader::forLoop()
{
    const Token first = m_cursor.here();
    m_cursor.step();
    std::vector<Text> values;
    std::string name;
    bool isCounted = !m_cursor.atEnd() && m_cursor.here().kind == Token::Kind::count;
    if (!m_cursor.atEnd() && (isCounted || m_cursor.here().kind == Token::Kind::word))
        name = m_cursor.here().text, m_cursor.step();
    m_cursor.skipNewlines();
    if (m_cursor.takeWord("in")) {
        for (; !m_cursor.atEnd() && m_cursor.here().kind == Token::Kind::word; m_cursor.step()) {
            if (!m_isActive) continue;
            for (Text& one : m_expander.fields(m_cursor.here().text, m_cursor.here().line))
                values.push_back(std::move(one));
        }
    } else if (!isCounted && m_isActive) {
        values = m_expander.fields("\"$@\"", first.line);
    }
    m_cursor.skipSeparators();
    const bool hasBody = m_cursor.takeWord("do");
    const bool wasActive = m_isActive;
    m_isActive = wasActive && hasBody && !values.empty() && first.text == "for" && !isCounted;
    const bool isRun = m_isActive;
    const bool isKnown = std::ranges::all_of(values, &Text::isKnown);
    const size_t rounds = isRun && isKnown ? std::min(values.size(), kMaxRounds) : 1;
    const Cursor body = m_cursor;
    for (size_t i = 0; i < rounds && hasBody; ++i) {
        m_cursor = body;
        if (isRun && isEnvironmentName(name)) m_state.set(name, {values[i]});
        if (list().isCut && isRun) {
            m_notes.add(first.line, true, "the loop is read up to the point where the script leaves it");
            break;
        }
    }
    m_isActive = wasActive;
    const int last = m_cursor.atEnd() ? first.line : m_cursor.line();
    m_cursor.takeWord("done");
    m_cursor.skipRedirects();
    if (wasActive && !isRun) {
        m_notes.add(first.line, true,
                    "a loop over unknown values was not read" + lineRange(first.line, last));
    } else if (wasActive && (rounds < values.size() || !isKnown)) {
        m_notes.add(first.line, true,
                    "iterations of the loop that are read: " + std::to_string(rounds) + ", the first with " +
                        name + "=" + values[0].text);
    }
    return {};
}

Reader::Ended Reader::whileLoop()
{
    const Token first = m_cursor.here();
    m_cursor.step();
    Ended condition = list();
    if (first.text == "until") condition.truth = negated(condition.truth);
    m_cursor.takeWord("do");
    const bool wasActive = m_isActive;
    m_isActive = wasActive && condition.truth == Truth::yes && !condition.isAssumed;
    const bool isRun = m_isActive;
    list();
    m_isActive = wasActive;
    const int last = m_cursor.atEnd() ? first.line : m_cursor.line();
    m_cursor.takeWord("done");
    m_cursor.skipRedirects();
    const bool isNever = condition.truth == Truth::no && !condition.isAssumed;
    const std::string what = isRun ? "only one iteration of the loop is read" : "the loop was not read";
    if (wasActive && !isNever) m_notes.add(first.line, true, what + lineRange(first.line, last));
    return {};
}

Reader::Ended Reader::caseStatement()
{
    const int line = m_cursor.here().line;
    m_cursor.step();
    Text subject;
    if (!m_cursor.atEnd() && m_isActive) subject = m_expander.single(m_cursor.here().text, line);
    m_cursor.step();
    m_cursor.skipNewlines();
    m_cursor.takeWord("in");
    Branches branches;
    for (m_cursor.skipNewlines(); !m_cursor.atEnd() && !m_cursor.isHere("esac"); m_cursor.skipNewlines()) {
        const size_t before = m_cursor.place();
        if (m_cursor.isOpHere("(")) m_cursor.step();
        Truth condition = Truth::no;
        for (; !m_cursor.atEnd() && !m_cursor.isOpHere(")") && !m_cursor.isOpHere("\n"); m_cursor.step()) {
            if (m_cursor.here().kind != Token::Kind::word || !m_isActive) continue;
            const Truth one = truthOfPattern(m_cursor.here(), subject, m_expander);
            if (condition != Truth::yes && one != Truth::no) condition = one;
        }
        if (m_cursor.isOpHere(")")) m_cursor.step();
        branch(branches, condition);
        if (m_cursor.isOpHere(";;") || m_cursor.isOpHere(";&") || m_cursor.isOpHere(";;&")) m_cursor.step();
        if (m_cursor.place() == before) m_cursor.step();
        if (m_budget.isSpent) break;
    }
    m_cursor.takeWord("esac");
    m_cursor.skipRedirects();
    if (m_isActive) mergeBranches(branches, line, "this 'case'", m_state, m_notes, m_budget);
    return {};
}

Reader::Ended Reader::simple(bool isPiped)
{
    Simple made = m_cursor.takeSimple();
    made.isPiped = isPiped;
    if (!made.isDefinition) return m_isActive ? run(made) : Ended();
    if (m_isActive) m_functions[std::string(made.words[0])] = m_cursor;
    const bool wasActive = m_isActive;
    m_isActive = false;
    command(false);
    m_isActive = wasActive;
    return {};
}

Reader::Ended Reader::run(const Simple& simple)
{
    if (simple.words.empty()) {
        for (const std::string_view raw : simple.assignments)
            m_builtins.assign(raw, simple.line, false);
        return {};
    }
    if (m_builtins.declare(simple.line, simple.words)) return {};
    std::vector<Text> words = m_builtins.expanded(simple.words, simple.line);
    if (words.empty()) return {};
    const std::string name = words[0].text;
    if (isOneOf(name, {"exit", "return", "break", "continue"})) {
        m_isCut = true;
        return {};
    }
    if (name == "[" || name == "test") return {truthOfWords(words, m_state), false, false};
    if (name == "eval") return evaluated(simple.line, words);
    if (const auto function = m_functions.find(name); function != m_functions.end())
        return call(function->second, {words.begin() + 1, words.end()});
    if (m_builtins.run(simple.line, words)) return {name == "false" ? Truth::no : Truth::yes, false, false};
    record(simple, std::move(words));
    return {Truth::unknown, true, false};
}

Reader::Ended Reader::evaluated(int line, const std::vector<Text>& words)
{
    std::string text;
    for (const Text& word : std::span(words).subspan(1))
        text += (text.empty() ? "" : " ") + word.text;
    // Partly known text is still read. Its unknown parts remain as written.
    if (m_calls >= kMaxCalls || !m_budget.takeBytes(text.size())) return {Truth::unknown, true, false};
    ++m_calls;
    m_evaluated.push_back(std::move(text));
    const Status done = read(m_evaluated.back(), line);
    if (!done) m_notes.add(line, true, "eval: " + done.error().message);
    --m_calls;
    return {Truth::unknown, true, false};
}

Reader::Ended Reader::call(Cursor body, std::vector<Text> arguments)
{
    if (m_calls >= kMaxCalls) {
        m_notes.add(m_cursor.line(), true, "function calls nested too deep; this call was not read");
        return {Truth::unknown, true, false};
    }
    ++m_calls;
    std::optional<std::vector<Text>> before = std::move(m_state.arguments);
    m_state.arguments = std::move(arguments);
    std::swap(m_cursor, body);
    command(false);
    m_isCut = false;
    std::swap(m_cursor, body);
    m_state.arguments = std::move(before);
    --m_calls;
    return {Truth::unknown, true, false};
}

void Reader::record(const Simple& simple, std::vector<Text> words)
{
    if (m_script.commands.size() >= kMaxCommands) {
        m_notes.add(simple.line, true, "more than 2000 commands; the rest was not read");
        m_budget.isSpent = true;
        return;
    }
    Command made = m_builtins.command(simple, std::move(words), m_budget);
    made.isCertain = m_isCertain;
    m_script.commands.push_back(std::move(made));
}

std::vector<std::string> batchOptionsOf(std::string_view text)
{
    std::vector<std::string> options;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line.starts_with("#SBATCH")) continue;
        line.remove_prefix(7);
        if (const Result<ShellWords> words = splitShellWords(line))
            options.insert(options.end(), words->words.begin(), words->words.end());
    }
    return options;
}

void noteDefaults(Notes& notes)
{
    if (notes.defaults.empty()) return;
    constexpr size_t kMaxNamed = 8;
    std::string names;
    int line = 0;
    size_t count = 0;
    for (const auto& [name, at] : notes.defaults) {
        if (++count <= kMaxNamed) names += (names.empty() ? "" : ", ") + name;
        line = line == 0 ? at : std::min(line, at);
    }
    if (count > kMaxNamed) names += " and " + std::to_string(count - kMaxNamed) + " more";
    notes.add(line, false, "the script's defaults are used for variables that a caller may set: " + names);
}

} // namespace

Result<Script> readScript(std::string_view text, int firstLine,
                          std::span<const std::pair<std::string, Text>> exported)
{
    if (text.size() > kMaxBytes) return makeError(ErrorKind::invalid, "the text is larger than 1 MiB");
    Script script;
    Reader reader(script);
    for (const auto& [name, value] : exported) {
        reader.state().set(name, {value});
        reader.state().variables.find(name)->second.isExported = true;
    }
    LOCKSTEP_TRY(reader.read(text, firstLine));
    script.batchOptions = batchOptionsOf(text);
    for (const auto& [name, variable] : reader.state().variables) {
        if (!variable.isArray && !variable.values.empty())
            script.variables.emplace_back(name, variable.values[0]);
    }
    noteDefaults(reader.notes());
    script.notes = std::move(reader.notes().all);
    std::ranges::stable_sort(script.notes, {}, &Note::line);
    return script;
}

} // namespace lockstep::shell
