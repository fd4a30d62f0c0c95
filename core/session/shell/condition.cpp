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

// Returns whether a text is empty, if that is known. HOME, USER and PWD are never empty.
Verdict isEmpty(const Text& value)
{
    if (!value.isKnown()) return {std::nullopt, value.unknown};
    const size_t end = value.text.find(kReferenceEnd);
    if (!value.text.starts_with(kReferenceBegin) || end + 1 < value.text.size()) return {value.text.empty()};
    const std::string name = value.text.substr(1, end - 1);
    if (isOneOf(name, {"HOME", "USER", "PWD"})) return {false};
    return {std::nullopt, causeOf(name, "known only to the host")};
}

Verdict isSame(const Text& left, const Operand& right)
{
    const std::string& pattern = right.value.text;
    const bool isPattern = !right.isLiteral && pattern.find_first_of("*?[\\") != npos;
    if (!isPattern && left.text == pattern) return {true};
    // Limits the time that a pattern with several stars takes.
    const bool isLong = left.text.size() > 300 || std::ranges::count(pattern, '*') > 3;
    if (left.hasReference() || right.value.hasReference() ||
        (isPattern && (isLong || pattern.find('(') != npos)))
        return {};
    return {isPattern && ::fnmatch(pattern.c_str(), left.text.c_str(), 0) == 0};
}

class Evaluator {
  public:
    Evaluator(std::span<const Operand> operands, const State& state) : m_operands(operands), m_state(state) {}

    // `whole` is named as the cause if no variable is.
    Verdict verdict(std::string_view whole, int line)
    {
        Verdict made = m_operands.empty() ? Verdict{false} : joined(true, 0);
        if (m_at != m_operands.size()) made.holds.reset();
        if (!made.holds && !made.why) made.why = causeOf("", "the condition " + shortened(whole), line);
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

    // Evaluates conditions that are joined by "or", or by "and". One that decides the result wins.
    Verdict joined(bool isOr, int depth)
    {
        const auto next = [&] { return isOr ? joined(false, depth) : one(depth); };
        Verdict made = next();
        while (isOr ? takeOp("||", "-o") : takeOp("&&", "-a")) {
            const Verdict other = next();
            if (made.holds == !isOr || other.holds == isOr) made = other;
        }
        return made;
    }

    Verdict one(int depth)
    {
        constexpr int kMaxConditions = 50;
        if (depth > kMaxConditions || m_at >= m_operands.size()) return {};
        if (takeOp("!", "!")) {
            Verdict made = one(depth + 1);
            if (made.holds) made.holds = !*made.holds;
            return made;
        }
        if (takeOp("(", "(")) {
            Verdict made = joined(true, depth + 1);
            if (!takeOp(")", ")")) made.holds.reset();
            return made;
        }
        const Operand& first = m_operands[m_at++];
        if (m_at + 1 < m_operands.size() && isBinary(m_operands[m_at])) {
            m_at += 2;
            return compared(first.value, m_operands[m_at - 2].value.text, m_operands[m_at - 1]);
        }
        const std::string& op = first.value.text;
        const bool isUnary = first.isOp && op.size() == 2 && op[0] == '-' && m_at < m_operands.size();
        const Text& word = isUnary ? m_operands[m_at++].value : first.value;
        if (isUnary && op == "-v" && m_state.find(word.text) != nullptr) return {true};
        if (isUnary && op != "-z" && op != "-n") return {std::nullopt, word.unknown};
        Verdict made = isEmpty(word);
        if (made.holds && !(isUnary && op == "-z")) made.holds = !*made.holds;
        return made;
    }

    static bool isBinary(const Operand& operand)
    {
        return operand.isOp && isOneOf(operand.value.text, {"=", "==", "!=", "=~", "<", ">", "-eq", "-ne",
                                                            "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"});
    }

    static Verdict compared(const Text& left, std::string_view op, const Operand& right)
    {
        for (const Text* one : {&left, &right.value}) {
            if (!one->isKnown()) return {std::nullopt, one->unknown};
        }
        if (op == "=" || op == "==" || op == "!=") {
            Verdict same = isSame(left, right);
            if (same.holds) same.holds = *same.holds == (op != "!=");
            return same;
        }
        const std::optional<int64_t> a = parseInt(left.text), b = parseInt(right.value.text);
        if (!a || !b) return {};
        if (op == "-eq") return {*a == *b};
        if (op == "-ne") return {*a != *b};
        if (op == "-lt") return {*a < *b};
        if (op == "-le") return {*a <= *b};
        if (op == "-gt") return {*a > *b};
        return op == "-ge" ? Verdict{*a >= *b} : Verdict{};
    }

    std::span<const Operand> m_operands;
    const State& m_state;
    size_t m_at = 0;
};

// Returns true if the word is one quoted string.
bool isWhollyQuoted(std::string_view raw)
{
    return (raw[0] == '"' || raw[0] == '\'') && endOfPart(raw, 0) == raw.size();
}

} // namespace

Verdict verdictOfTest(Reading& reading, const Word& whole)
{
    const std::string_view inner = whole.text.substr(2, whole.text.size() - 4);
    if (whole.text.starts_with("((")) {
        CausePtr why;
        const std::optional<int64_t> value = numberOf(reading, inner, whole.line, why);
        return value ? Verdict{*value != 0} : Verdict{std::nullopt, why};
    }
    std::vector<Operand> operands;
    for (const Word& word : splitWords(inner, whole.line)) {
        const bool isPlain = word.text.find_first_of("\"'\\$`") == npos;
        Operand one{expandedText(reading, word.text, word.line), isPlain, isWhollyQuoted(word.text)};
        // A pattern that is partly quoted, or a regular expression.
        if (!isPlain && !one.isLiteral && one.value.isKnown() &&
            one.value.text.find_first_of("*?[\\") != npos)
            one.value.unknown = causeOf("", "the condition " + shortened(whole.text), whole.line);
        operands.push_back(std::move(one));
    }
    return Evaluator(operands, reading.state).verdict(whole.text, whole.line);
}

Verdict verdictOfWords(const State& state, std::span<const Text> words, int line)
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

Verdict verdictOfPattern(Reading& reading, const Word& pattern, const Text& subject)
{
    if (pattern.text == "*") return {true};
    if (!subject.isKnown()) return {std::nullopt, subject.unknown};
    const Text value = expandedText(reading, pattern.text, pattern.line);
    Verdict made{std::nullopt, value.unknown};
    if (value.isKnown()) made = isSame(subject, {value, false, isWhollyQuoted(pattern.text)});
    if (!made.holds && !made.why)
        made.why = causeOf("", "the pattern " + shortened(pattern.text), pattern.line);
    return made;
}

} // namespace lockstep::shell
