// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/syntax.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/base/words.h"
#include "core/session/config_value.h"
#include "core/session/shell_quote.h"

namespace lockstep::shell {

namespace {

constexpr int kMaxBrackets = 60; // maximum nesting depth of brackets in a word
constexpr int kMaxNesting = 100; // maximum nesting depth of commands

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool endsWord(char c)
{
    return isBlank(c) || std::string_view("\n;&|()<>").find(c) != npos;
}

// Returns the position after the end of what begins at `at`. See endOfPart().
size_t stepOver(std::string_view text, size_t at, int depth, bool isQuoted);

// Returns the position after the closing bracket, starting after the opening bracket, or npos.
size_t endOfBrackets(std::string_view text, size_t at, char open, int depth = 0, bool isQuoted = false)
{
    const char close = open == '(' ? ')' : '}';
    for (int level = 1; at < text.size() && depth <= kMaxBrackets;) {
        if (text[at] == open) ++level;
        if (text[at] == close && --level == 0) return at + 1;
        at = stepOver(text, at, depth + 1, isQuoted);
    }
    return npos;
}

size_t endOfDollar(std::string_view text, size_t at, int depth, bool isQuoted)
{
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (next != '(' && next != '{') return at + 1;
    return endOfBrackets(text, at + 2, next, depth + 1, isQuoted && next == '{');
}

size_t endOfQuote(std::string_view text, size_t at, int depth)
{
    const char quote = text[at];
    for (size_t i = at + 1; i < text.size() && depth <= kMaxBrackets;) {
        if (text[i] == quote) return i + 1;
        if (quote == '"' && (text[i] == '$' || text[i] == '`')) {
            i = text[i] == '`' ? endOfQuote(text, i, depth + 1) : endOfDollar(text, i, depth + 1, true);
        } else {
            i += quote != '\'' && text[i] == '\\' ? 2 : 1;
        }
    }
    return npos;
}

size_t stepOver(std::string_view text, size_t at, int depth, bool isQuoted)
{
    const char c = text[at];
    if (c == '\\') return std::min(at + 2, text.size());
    if ((c == '\'' && !isQuoted) || c == '"' || c == '`') return endOfQuote(text, at, depth);
    if (c != '$') return at + 1;
    if (text.substr(at, 2) != "$'") return endOfDollar(text, at, depth, isQuoted);
    for (size_t i = at + 2; i < text.size(); i += text[i] == '\\' ? 2 : 1) {
        if (text[i] == '\'') return i + 1;
    }
    return npos;
}

class Parser {
  public:
    Parser(std::string_view text, int firstLine) : m_text(text), m_line(firstLine), m_firstLine(firstLine) {}

    Result<Node> script()
    {
        Node node = list();
        if (!m_error && m_at < m_text.size()) fail("unexpected '" + std::string(here()) + "'");
        if (m_error) return tl::make_unexpected(*m_error);
        return node;
    }

    std::vector<Word> words()
    {
        std::vector<Word> all;
        for (skipNewlines(); m_at < m_text.size() && !m_error; skipNewlines()) {
            const std::string_view op = operatorHere();
            const bool isOp = !op.empty() || m_text[m_at] == '<' || m_text[m_at] == '>';
            all.push_back(isOp ? take(std::max<size_t>(op.size(), 1)) : word());
        }
        return all;
    }

  private:
    void fail(const std::string& reason)
    {
        const std::string_view before = m_text.substr(0, m_at);
        const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + m_firstLine;
        const size_t begin = before.rfind('\n') == npos ? 0 : before.rfind('\n') + 1;
        const std::string place = locationText({line, static_cast<int>(m_at - begin) + 1});
        if (!m_error) m_error = makeError(ErrorKind::invalid, place + ": " + reason).value();
        m_at = m_text.size();
    }

    std::string_view rest() const { return m_text.substr(m_at); }

    // Returns the text up to the next blank or operator, or the operator.
    std::string_view here() const
    {
        if (const std::string_view op = operatorHere(); !op.empty()) return op;
        return rest().substr(0, static_cast<size_t>(std::ranges::find_if(rest(), endsWord) - rest().begin()));
    }

    std::string_view operatorHere() const
    {
        for (const std::string_view op : {";;&", ";;", ";&", "&&", "||", "|&", "|", "&", ";", "(", ")"}) {
            if (rest().starts_with(op)) return op == "&" && isRedirect() ? std::string_view() : op;
        }
        return {};
    }

    Word take(size_t length)
    {
        const Word made{m_text.substr(m_at, length), m_line};
        m_line += static_cast<int>(std::count(made.text.begin(), made.text.end(), '\n'));
        m_at += made.text.size();
        return made;
    }

    bool takeOp(std::string_view op)
    {
        skipBlanks();
        if (operatorHere() != op) return false;
        take(op.size());
        return true;
    }

    bool isWord(std::string_view which) const { return rest().starts_with(which) && here() == which; }

    bool takeWord(std::string_view which)
    {
        skipBlanks();
        if (!isWord(which)) return false;
        take(which.size());
        return true;
    }

    void expectWord(std::string_view which)
    {
        skipNewlines();
        if (!takeWord(which)) fail("'" + std::string(which) + "' expected");
    }

    void skipBlanks()
    {
        while (m_at < m_text.size()) {
            if (isBlank(m_text[m_at])) {
                ++m_at;
            } else if (m_text[m_at] == '#') {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            } else if (rest().starts_with("\\\n") || rest().starts_with("\\\r\n")) {
                take(rest().starts_with("\\\n") ? 2 : 3);
            } else {
                break;
            }
        }
    }

    bool takeNewline()
    {
        skipBlanks();
        if (!rest().starts_with('\n')) return false;
        take(1);
        skipHereDocuments();
        return true;
    }

    void skipNewlines()
    {
        while (takeNewline()) {
        }
    }

    bool takeSeparator() { return takeNewline() || takeOp(";") || takeOp("&"); }

    bool isListEnd() const
    {
        return m_at >= m_text.size() || isOneOf(here(), {")", ";;", ";&", ";;&", "then", "do", "done", "fi",
                                                         "else", "elif", "esac", "}"});
    }

    Node list()
    {
        Node node{Node::Kind::list, m_line};
        while (true) {
            while (takeSeparator()) {
            }
            if (isListEnd()) break;
            node.children.push_back(chain());
            if (!isListEnd() && !takeSeparator()) fail("unexpected '" + std::string(here()) + "'");
        }
        return node;
    }

    Node chain()
    {
        Node node{Node::Kind::chain, m_line};
        node.children.push_back(pipeline());
        node.isAnd.push_back(true);
        for (bool isAnd = true; (isAnd = takeOp("&&")) || takeOp("||");) {
            skipNewlines();
            node.children.push_back(pipeline());
            node.isAnd.push_back(isAnd);
        }
        return node.children.size() > 1 ? node : Node(std::move(node.children[0]));
    }

    Node pipeline()
    {
        Node node{Node::Kind::pipeline, m_line};
        if (takeWord("!")) {
            node.kind = Node::Kind::negated;
            node.children.push_back(pipeline());
            return node;
        }
        takeWord("time");
        do {
            skipNewlines();
            node.children.push_back(command());
        } while (takeOp("|") || takeOp("|&"));
        return node.children.size() > 1 ? node : Node(std::move(node.children[0]));
    }

    Node command()
    {
        skipBlanks();
        Node node{Node::Kind::simple, m_line};
        if (++m_depth > kMaxNesting) fail("more than 100 nested commands");
        if (m_at >= m_text.size()) {
            fail("a command is missing");
        } else if (const size_t end = endOfArithmetic(); end != npos) {
            node.kind = Node::Kind::arithmetic;
            node.words.push_back(take(end - m_at));
        } else if (takeOp("(")) {
            node.kind = Node::Kind::subshell;
            node.children.push_back(list());
            if (!takeOp(")")) fail("')' expected");
        } else if (takeWord("{")) {
            node = list();
            expectWord("}");
        } else if (isWord("[[")) {
            test(node);
        } else if (takeWord("if")) {
            condition(node);
        } else if (takeWord("for")) {
            forLoop(node);
        } else if (isWord("while") || isWord("until")) {
            node.kind = Node::Kind::whileLoop;
            node.words.push_back(word());
            node.children.push_back(list());
            expectWord("do");
            node.children.push_back(list());
            expectWord("done");
        } else if (takeWord("case")) {
            caseOf(node);
        } else {
            simple(node);
        }
        while (node.kind != Node::Kind::simple && (skipBlanks(), isRedirect()))
            redirect(node);
        --m_depth;
        return node;
    }

    // Returns the end of the "(( ... ))" that begins here, or npos.
    size_t endOfArithmetic() const
    {
        const size_t end = rest().starts_with("((") ? endOfBrackets(m_text, m_at + 1, '(') : npos;
        return end != npos && m_text[end - 2] == ')' ? end : npos;
    }

    void condition(Node& node)
    {
        node.kind = Node::Kind::condition;
        do {
            node.children.push_back(list());
            expectWord("then");
            node.children.push_back(list());
        } while (takeWord("elif"));
        if (takeWord("else")) node.children.push_back(list());
        expectWord("fi");
    }

    void forLoop(Node& node)
    {
        node.kind = Node::Kind::forLoop;
        skipBlanks();
        const size_t end = endOfArithmetic();
        node.words.push_back(end != npos ? take(end - m_at) : word());
        skipNewlines();
        node.hasValues = takeWord("in");
        for (skipBlanks(); node.hasValues && !isListEnd() && m_text[m_at] != '\n' && operatorHere().empty();
             skipBlanks())
            node.words.push_back(word());
        takeSeparator();
        expectWord("do");
        node.children.push_back(list());
        expectWord("done");
    }

    void caseOf(Node& node)
    {
        node.kind = Node::Kind::caseOf;
        skipBlanks();
        node.words.push_back(word());
        expectWord("in");
        for (skipNewlines(); !m_error && !takeWord("esac"); skipNewlines()) {
            takeOp("(");
            std::vector<Word> patterns;
            do {
                skipBlanks();
                patterns.push_back(word());
            } while (!m_error && takeOp("|"));
            if (!takeOp(")")) return fail("')' expected");
            node.patterns.push_back(std::move(patterns));
            node.children.push_back(list());
            if (takeOp(";&") || takeOp(";;&")) return fail("';&' and ';;&' are not supported");
            takeOp(";;");
        }
    }

    void test(Node& node)
    {
        node.kind = Node::Kind::test;
        for (size_t at = m_at + 2; at < m_text.size() && at != npos; at = endOfPart(m_text, at)) {
            const bool isEnd = m_text.substr(at).starts_with("]]") && endsWord(m_text[at - 1]) &&
                               (at + 2 >= m_text.size() || endsWord(m_text[at + 2]));
            if (isEnd) return node.words.push_back(take(at + 2 - m_at));
        }
        fail("this [[ is never closed");
    }

    void simple(Node& node)
    {
        const bool isFunction = takeWord("function");
        for (skipBlanks(); m_at < m_text.size() && m_text[m_at] != '\n' && !m_error; skipBlanks()) {
            if (isRedirect()) {
                redirect(node);
            } else if (!operatorHere().empty() || (isFunction && node.words.size() == 1)) {
                break;
            } else if (node.words.empty() && isAssignment(rest().substr(0, kLongestName))) {
                node.assignments.push_back(word());
            } else {
                node.words.push_back(word());
            }
        }
        const bool hasBrackets = node.words.size() == 1 && node.assignments.empty() && takeOp("(");
        if (hasBrackets && !takeOp(")")) return fail("')' expected");
        if (!hasBrackets && !isFunction) {
            if (node.words.empty() && node.assignments.empty() && !node.isRedirected && !node.hasInput)
                fail("unexpected '" + std::string(here()) + "'");
            return;
        }
        node.kind = Node::Kind::function;
        skipNewlines();
        node.children.push_back(command());
    }

    // Matches "<" or ">" with an optional number before it, "&>" and "&>>", but not a process substitution.
    bool isRedirect() const
    {
        size_t at = m_at;
        while (at < m_text.size() && m_text[at] >= '0' && m_text[at] <= '9')
            ++at;
        if (at == m_at && rest().starts_with("&>")) return true;
        if (at >= m_text.size() || (m_text[at] != '<' && m_text[at] != '>')) return false;
        return at + 1 >= m_text.size() || m_text[at + 1] != '(';
    }

    void redirect(Node& node)
    {
        take(rest().find_first_of("<>"));
        std::string_view which;
        for (const std::string_view one : {"<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">"}) {
            if (which.empty() && rest().starts_with(one)) which = one;
        }
        take(which.size());
        skipBlanks();
        if (isListEnd() || m_text[m_at] == '\n') return fail("the file of a redirection is missing");
        const Word target = word();
        (which[0] == '<' ? node.hasInput : node.isRedirected) = true;
        if (which == "<<" || which == "<<-") m_hereDocuments.push_back({target.text, which == "<<-"});
        if (which[0] == '>' && which != ">&") node.outputs.push_back(target);
    }

    static constexpr size_t kLongestName = 200;

    Word word()
    {
        skipBlanks();
        size_t at = m_at;
        // A process substitution is one word.
        if (m_text.substr(at + 1).starts_with('(') && (m_text[at] == '<' || m_text[at] == '>'))
            at = endOfBrackets(m_text, at + 2, '(');
        while (at < m_text.size() && !endsWord(m_text[at]))
            at = endOfPart(m_text, at);
        if (at < m_text.size() && m_text[at] == '(' && m_text[at - 1] == '=' && at > m_at &&
            isAssignment(m_text.substr(m_at, at - m_at)))
            at = arrayEnd(at);
        if (at == npos) fail("this quote or bracket is never closed");
        if (at == m_at) fail("unexpected '" + std::string(here()) + "'");
        return at == npos ? Word{} : take(at - m_at);
    }

    // Returns the end of the array that the '(' at `at` opens. '#' begins comments there.
    size_t arrayEnd(size_t at) const
    {
        for (++at; at < m_text.size() && at != npos && m_text[at] != ')';) {
            const bool isComment =
                m_text[at] == '#' &&
                (isBlank(m_text[at - 1]) || std::string_view("\n(").find(m_text[at - 1]) != npos);
            at = isComment ? m_text.find('\n', at) : endOfPart(m_text, at);
        }
        return at < m_text.size() ? at + 1 : npos;
    }

    struct HereDocument {
        std::string_view end; // with its quotes
        bool stripsTabs;
    };

    // Skips the bodies of the here-documents that the previous line opened.
    void skipHereDocuments()
    {
        for (const HereDocument& one : m_hereDocuments) {
            std::string end(one.end);
            std::erase_if(end, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
            while (m_at < m_text.size()) {
                std::string_view line = take(std::min(rest().find('\n'), rest().size() - 1) + 1).text;
                while (line.ends_with('\n') || line.ends_with('\r'))
                    line.remove_suffix(1);
                while (one.stripsTabs && line.starts_with('\t'))
                    line.remove_prefix(1);
                if (line == end) break;
            }
        }
        m_hereDocuments.clear();
    }

    std::string_view m_text;
    size_t m_at = 0;
    int m_line;
    int m_firstLine;
    int m_depth = 0;
    std::optional<Error> m_error;
    std::vector<HereDocument> m_hereDocuments;
};

} // namespace

Result<Node> parseShell(std::string_view text, int firstLine)
{
    return Parser(text, firstLine).script();
}

std::vector<Word> splitWords(std::string_view text, int firstLine)
{
    return Parser(text, firstLine).words();
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

size_t endOfPart(std::string_view text, size_t at, bool isQuoted)
{
    return stepOver(text, at, 0, isQuoted);
}

bool isAssignment(std::string_view word, Assignment* parts)
{
    const size_t end = word.find_first_of("=[+");
    if (end == npos || !isEnvironmentName(word.substr(0, end))) return false;
    Assignment made;
    made.name = word.substr(0, end);
    std::string_view rest = word.substr(end);
    if (rest[0] == '[') {
        const size_t close = rest.find(']');
        if (close == npos) return false;
        made.subscript = rest.substr(1, close - 1);
        rest.remove_prefix(close + 1);
    }
    made.isAdding = rest.starts_with("+=");
    if (!made.isAdding && !rest.starts_with("=")) return false;
    made.value = rest.substr(made.isAdding ? 2 : 1);
    if (parts != nullptr) *parts = made;
    return true;
}

} // namespace lockstep::shell
