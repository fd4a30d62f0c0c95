// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/condition.h"

#include "core/base/text.h"
#include "core/session/shell/pattern.h"

namespace lockstep::shell {

namespace {

constexpr int kMaxConditions = 50;

struct Operand {
    Text value;
    bool isOp = false; // an unquoted operator or bracket
};

Truth truthOf(bool holds)
{
    return holds ? Truth::yes : Truth::no;
}

// Returns a pattern that matches only this text.
std::string escaped(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (std::string_view("*?[\\").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

class Evaluator {
  public:
    Evaluator(std::span<const Operand> operands, const State& state, bool hasPatterns)
        : m_operands(operands), m_state(state), m_hasPatterns(hasPatterns)
    {
    }

    Truth whole()
    {
        if (m_operands.empty()) return Truth::no;
        const Truth truth = any(0);
        return m_at == m_operands.size() ? truth : Truth::unknown;
    }

  private:
    bool takeOp(std::string_view a, std::string_view b)
    {
        const bool isHere = m_at < m_operands.size() && m_operands[m_at].isOp &&
                            (m_operands[m_at].value.text == a || m_operands[m_at].value.text == b);
        m_at += isHere ? 1 : 0;
        return isHere;
    }

    Truth any(int depth)
    {
        Truth truth = all(depth);
        while (takeOp("||", "-o")) {
            const Truth other = all(depth);
            const bool isYes = truth == Truth::yes || other == Truth::yes;
            const bool isNo = truth == Truth::no && other == Truth::no;
            truth = isYes ? Truth::yes : isNo ? Truth::no : Truth::unknown;
        }
        return truth;
    }

    Truth all(int depth)
    {
        Truth truth = one(depth);
        while (takeOp("&&", "-a")) {
            const Truth other = one(depth);
            const bool isNo = truth == Truth::no || other == Truth::no;
            const bool isYes = truth == Truth::yes && other == Truth::yes;
            truth = isNo ? Truth::no : isYes ? Truth::yes : Truth::unknown;
        }
        return truth;
    }

    Truth one(int depth)
    {
        if (depth > kMaxConditions) return Truth::unknown;
        if (takeOp("!", "!")) return negated(one(depth + 1));
        if (takeOp("(", "(")) {
            const Truth truth = any(depth + 1);
            return takeOp(")", ")") ? truth : Truth::unknown;
        }
        if (m_at >= m_operands.size()) return Truth::unknown;
        if (m_at + 2 < m_operands.size() && isBinary(m_operands[m_at + 1])) {
            const Operand& left = m_operands[m_at];
            const std::string_view op = m_operands[m_at + 1].value.text;
            const Operand& right = m_operands[m_at + 2];
            m_at += 3;
            return compared(left.value, op, right.value);
        }
        const Operand& first = m_operands[m_at++];
        const std::string& text = first.value.text;
        const bool isUnary = first.isOp && text.size() == 2 && text[0] == '-' && m_at < m_operands.size();
        if (!isUnary) return first.value.isKnown ? truthOf(!text.empty()) : Truth::unknown;
        const Text& word = m_operands[m_at++].value;
        if (text == "-v") return m_state.find(word.text) != nullptr ? Truth::yes : Truth::unknown;
        if (!word.isKnown || (text != "-z" && text != "-n")) return Truth::unknown;
        return truthOf(word.text.empty() == (text == "-z"));
    }

    static bool isBinary(const Operand& operand)
    {
        if (!operand.isOp) return false;
        for (const std::string_view op : {"=", "==", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt",
                                          "-ge", "-nt", "-ot", "-ef"}) {
            if (operand.value.text == op) return true;
        }
        return false;
    }

    Truth compared(const Text& left, std::string_view op, const Text& right) const
    {
        if (!left.isKnown || !right.isKnown) return Truth::unknown;
        if (op == "=" || op == "==" || op == "!=") {
            const bool isSame = m_hasPatterns ? matches(right.text, left.text) : left.text == right.text;
            return truthOf(isSame == (op != "!="));
        }
        const std::optional<int64_t> a = parseInt(left.text), b = parseInt(right.text);
        if (!a || !b || op == "=~" || op == "<" || op == ">") return Truth::unknown;
        if (op == "-eq") return truthOf(*a == *b);
        if (op == "-ne") return truthOf(*a != *b);
        if (op == "-lt") return truthOf(*a < *b);
        if (op == "-le") return truthOf(*a <= *b);
        if (op == "-gt") return truthOf(*a > *b);
        return op == "-ge" ? truthOf(*a >= *b) : Truth::unknown;
    }

    std::span<const Operand> m_operands;
    const State& m_state;
    bool m_hasPatterns;
    size_t m_at = 0;
};

} // namespace

Truth negated(Truth truth)
{
    if (truth == Truth::unknown) return truth;
    return truth == Truth::yes ? Truth::no : Truth::yes;
}

Truth truthOfTest(std::string_view whole, Expander& expander, const State& state, int line)
{
    if (whole.starts_with("((")) {
        const std::optional<int64_t> value = expander.number(whole.substr(2, whole.size() - 4), line);
        return value ? truthOf(*value != 0) : Truth::unknown;
    }
    const Result<Tokens> tokens = splitShellTokens(whole.substr(2, whole.size() - 4), line);
    if (!tokens) return Truth::unknown;
    std::vector<Operand> operands;
    bool isPatternNext = false;
    for (const Token& token : tokens->tokens) {
        if (token.kind == Token::Kind::op && token.text == "\n") continue;
        if (token.kind != Token::Kind::word) {
            operands.push_back({{std::string(token.text)}, true});
            continue;
        }
        Text value = expander.single(token.text, token.line);
        const bool isQuoted = token.text.find_first_of("\"'\\$`") != std::string_view::npos;
        // A quoted pattern matches literally. The result for a partly quoted pattern is unknown.
        const bool hasStar = value.text.find_first_of("*?[\\") != std::string::npos;
        const char quote = token.text.front();
        const bool isWhole =
            (quote == '"' || quote == '\'') && endOfQuote(token.text, 0) == token.text.size();
        if (isPatternNext && hasStar && isWhole) {
            value.text = escaped(value.text);
        } else if (isPatternNext && isQuoted && hasStar) {
            value.isKnown = false;
        }
        isPatternNext = token.text == "==" || token.text == "=" || token.text == "!=";
        operands.push_back({std::move(value), !isQuoted});
    }
    return Evaluator(operands, state, true).whole();
}

Truth truthOfPattern(const Token& pattern, const Text& subject, Expander& expander)
{
    if (pattern.text == "*") return Truth::yes;
    const Text value = expander.single(pattern.text, pattern.line);
    if (!subject.isKnown || !value.isKnown) return Truth::unknown;
    return truthOf(matches(value.text, subject.text));
}

Truth truthOfWords(std::span<const Text> words, const State& state)
{
    std::vector<Operand> operands;
    const bool hasClose = words.size() > 1 && words[0].text == "[" && words.back().text == "]";
    for (const Text& word : words.subspan(1, words.size() - (hasClose ? 2 : 1)))
        operands.push_back({word, word.isKnown});
    return Evaluator(operands, state, false).whole();
}

} // namespace lockstep::shell
