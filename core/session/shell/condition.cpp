// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/condition.h"

#include <algorithm>

#include <fnmatch.h>

#include "core/base/text.h"
#include "core/base/words.h"

namespace lockstep::shell {

namespace {

struct Operand {
    Text value;
    bool isOp = false;     // not quoted, so it may be an operator
    bool isLiteral = true; // as a pattern, it matches only itself
};

Verdict verdictOf(bool holds)
{
    return {holds ? Truth::yes : Truth::no, nullptr};
}

Verdict unknownVerdict(CausePtr why)
{
    return {Truth::unknown, std::move(why)};
}

// Returns whether a text is empty, if that is known. HOME, USER and PWD are never empty.
Verdict isEmpty(const Text& value)
{
    if (!value.isKnown()) return unknownVerdict(value.unknown);
    const size_t end = value.text.find(kReferenceEnd);
    if (!value.text.starts_with(kReferenceBegin) || end + 1 < value.text.size())
        return verdictOf(value.text.empty());
    const std::string name = value.text.substr(1, end - 1);
    if (isOneOf(name, {"HOME", "USER", "PWD"})) return verdictOf(false);
    return unknownVerdict(std::make_shared<const Cause>(Cause{name, "known only to the host", 0}));
}

Verdict isSame(const Text& left, const Operand& right)
{
    const std::string& pattern = right.value.text;
    const bool isPattern = !right.isLiteral && pattern.find_first_of("*?[\\") != npos;
    if (!isPattern && left.text == pattern) return verdictOf(true);
    if (left.hasReference() || right.value.hasReference() || (isPattern && pattern.find('(') != npos))
        return unknownVerdict(nullptr);
    if (!isPattern) return verdictOf(false);
    constexpr size_t kLongest = 300; // limits the time that a pattern with several stars takes
    if (left.text.size() > kLongest || std::ranges::count(pattern, '*') > 3) return unknownVerdict(nullptr);
    return verdictOf(::fnmatch(pattern.c_str(), left.text.c_str(), 0) == 0);
}

class Evaluator {
  public:
    Evaluator(std::span<const Operand> operands, const State& state) : m_operands(operands), m_state(state) {}

    // `whole` is named as the cause if no variable is.
    Verdict verdict(std::string_view whole, int line)
    {
        Verdict made = m_operands.empty() ? verdictOf(false) : any(0);
        if (m_at != m_operands.size()) made = unknownVerdict(made.why);
        if (made.truth == Truth::unknown && !made.why)
            made.why = std::make_shared<const Cause>(Cause{"", "the condition " + shortened(whole), line});
        return made;
    }

  private:
    bool takeOp(std::string_view a, std::string_view b)
    {
        const bool isHere = m_at < m_operands.size() && m_operands[m_at].isOp &&
                            (m_operands[m_at].value.text == a || m_operands[m_at].value.text == b);
        m_at += isHere ? 1 : 0;
        return isHere;
    }

    Verdict any(int depth)
    {
        Verdict made = all(depth);
        while (takeOp("||", "-o")) {
            const Verdict other = all(depth);
            if (made.truth == Truth::no || other.truth == Truth::yes) made = other;
        }
        return made;
    }

    Verdict all(int depth)
    {
        Verdict made = one(depth);
        while (takeOp("&&", "-a")) {
            const Verdict other = one(depth);
            if (made.truth == Truth::yes || other.truth == Truth::no) made = other;
        }
        return made;
    }

    Verdict one(int depth)
    {
        constexpr int kMaxConditions = 50;
        if (depth > kMaxConditions) return unknownVerdict(nullptr);
        if (takeOp("!", "!")) {
            Verdict made = one(depth + 1);
            if (made.truth != Truth::unknown) made.truth = made.truth == Truth::yes ? Truth::no : Truth::yes;
            return made;
        }
        if (takeOp("(", "(")) {
            const Verdict made = any(depth + 1);
            return takeOp(")", ")") ? made : unknownVerdict(made.why);
        }
        if (m_at >= m_operands.size()) return unknownVerdict(nullptr);
        if (m_at + 2 < m_operands.size() && isBinary(m_operands[m_at + 1])) {
            m_at += 3;
            return compared(m_operands[m_at - 3].value, m_operands[m_at - 2].value.text,
                            m_operands[m_at - 1]);
        }
        const Operand& first = m_operands[m_at++];
        const std::string& op = first.value.text;
        const bool isUnary = first.isOp && op.size() == 2 && op[0] == '-' && m_at < m_operands.size();
        const Text& word = isUnary ? m_operands[m_at++].value : first.value;
        Verdict made = isEmpty(word);
        if (isUnary && op == "-v")
            return m_state.find(word.text) != nullptr ? verdictOf(true) : unknownVerdict(nullptr);
        if (isUnary && op != "-z" && op != "-n") return unknownVerdict(word.unknown);
        if (op == "-z" && isUnary) return made;
        return made.truth == Truth::unknown ? made : verdictOf(made.truth == Truth::no);
    }

    static bool isBinary(const Operand& operand)
    {
        return operand.isOp && isOneOf(operand.value.text, {"=", "==", "!=", "=~", "<", ">", "-eq", "-ne",
                                                            "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"});
    }

    static Verdict compared(const Text& left, std::string_view op, const Operand& right)
    {
        for (const Text* one : {&left, &right.value}) {
            if (!one->isKnown()) return unknownVerdict(one->unknown);
        }
        if (op == "=" || op == "==" || op == "!=") {
            const Verdict same = isSame(left, right);
            return same.truth == Truth::unknown ? same
                                                : verdictOf((same.truth == Truth::yes) == (op != "!="));
        }
        const std::optional<int64_t> a = parseInt(left.text), b = parseInt(right.value.text);
        if (!a || !b || !op.starts_with('-')) return unknownVerdict(nullptr);
        if (op == "-eq") return verdictOf(*a == *b);
        if (op == "-ne") return verdictOf(*a != *b);
        if (op == "-lt") return verdictOf(*a < *b);
        if (op == "-le") return verdictOf(*a <= *b);
        if (op == "-gt") return verdictOf(*a > *b);
        return op == "-ge" ? verdictOf(*a >= *b) : unknownVerdict(nullptr);
    }

    std::span<const Operand> m_operands;
    const State& m_state;
    size_t m_at = 0;
};

// Returns true if the word is one quoted string.
bool isWhollyQuoted(std::string_view raw)
{
    return (raw[0] == '"' || raw[0] == '\'') && endOfQuote(raw, 0) == raw.size();
}

} // namespace

Verdict verdictOfTest(const Word& whole, Expander& expander, const State& state)
{
    const std::string_view inner = whole.text.substr(2, whole.text.size() - 4);
    if (whole.text.starts_with("((")) {
        CausePtr why;
        const std::optional<int64_t> value = expander.number(inner, whole.line, why);
        return value ? verdictOf(*value != 0) : unknownVerdict(why);
    }
    std::vector<Operand> operands;
    for (const Word& word : splitWords(inner, whole.line)) {
        const bool isPlain = word.text.find_first_of("\"'\\$`") == npos;
        operands.push_back({expander.single(word.text, word.line), isPlain, isWhollyQuoted(word.text)});
        // A pattern that is partly quoted, or a regular expression.
        const bool isUnclear = !isPlain && !operands.back().isLiteral &&
                               operands.back().value.text.find_first_of("*?[\\") != npos;
        if (isUnclear && operands.back().value.isKnown())
            operands.back().value.unknown = std::make_shared<const Cause>(
                Cause{"", "the condition " + shortened(whole.text), whole.line});
    }
    return Evaluator(operands, state).verdict(whole.text, whole.line);
}

Verdict verdictOfWords(std::span<const Text> words, int line, const State& state)
{
    std::vector<Operand> operands;
    std::string whole;
    for (const Text& word : words)
        whole += (whole.empty() ? "" : " ") + word.text;
    const bool hasClose = words.size() > 1 && words[0].text == "[" && words.back().text == "]";
    for (const Text& word : words.subspan(1, words.size() - (hasClose ? 2 : 1)))
        operands.push_back({word, word.isKnown(), true});
    return Evaluator(operands, state).verdict(whole, line);
}

Verdict verdictOfPattern(const Word& pattern, const Text& subject, Expander& expander)
{
    if (pattern.text == "*") return {};
    if (!subject.isKnown()) return unknownVerdict(subject.unknown);
    const Text value = expander.single(pattern.text, pattern.line);
    Verdict made = unknownVerdict(value.unknown);
    if (value.isKnown()) made = isSame(subject, {value, false, isWhollyQuoted(pattern.text)});
    if (made.truth == Truth::unknown && !made.why)
        made.why =
            std::make_shared<const Cause>(Cause{"", "the pattern " + shortened(pattern.text), pattern.line});
    return made;
}

} // namespace lockstep::shell
