// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/arithmetic.h"

#include <array>

#include "core/base/text.h"
#include "core/base/words.h"

namespace lockstep::shell {

namespace {

using Number = std::optional<int64_t>;

Number applied(std::string_view op, int64_t a, int64_t b)
{
    int64_t out = 0;
    if (op == "+") return __builtin_add_overflow(a, b, &out) ? std::nullopt : Number(out);
    if (op == "-") return __builtin_sub_overflow(a, b, &out) ? std::nullopt : Number(out);
    if (op == "*") return __builtin_mul_overflow(a, b, &out) ? std::nullopt : Number(out);
    if (op == "/" || op == "%") {
        if (b == 0) return std::nullopt;
        if (b == -1) return op == "%" ? Number(0) : applied("-", 0, a);
        return op == "/" ? a / b : a % b;
    }
    if (op == "||") return a != 0 || b != 0;
    if (op == "&&") return a != 0 && b != 0;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<=") return a <= b;
    if (op == ">=") return a >= b;
    return op == "<" ? a < b : a > b;
}

// Calculator evaluates an expression by precedence climbing. On failure, it moves to the end of the text.
class Calculator {
  public:
    Calculator(std::string_view text, const ValueOf& valueOf) : m_text(text), m_valueOf(valueOf) {}

    Number whole()
    {
        const Number value = choice();
        return trimmed(m_text).empty() && !m_hasFailed ? value : std::nullopt;
    }

  private:
    bool take(std::string_view op)
    {
        m_text = trimmed(m_text);
        if (!m_text.starts_with(op)) return false;
        m_text.remove_prefix(op.size());
        return true;
    }

    Number fail()
    {
        m_hasFailed = true;
        m_text = {};
        return std::nullopt;
    }

    Number choice()
    {
        const Number condition = binary(0);
        if (!take("?")) return condition;
        const Number yes = choice();
        const Number no = take(":") ? choice() : fail();
        if (!condition) return std::nullopt;
        return *condition != 0 ? yes : no;
    }

    Number binary(size_t level)
    {
        // Operators by precedence. Longer spellings come first.
        static constexpr std::array<std::array<std::string_view, 4>, 6> kLevels{
            {{"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}};
        if (level == kLevels.size()) return unary();
        Number left = binary(level + 1);
        while (true) {
            std::string_view op;
            for (const std::string_view one : kLevels[level]) {
                if (op.empty() && !one.empty() && take(one)) op = one;
            }
            if (op.empty()) return left;
            const Number right = binary(level + 1);
            left = left && right ? applied(op, *left, *right) : std::nullopt;
        }
    }

    Number unary()
    {
        constexpr int kMaxDepth = 60;
        if (++m_depth > kMaxDepth) return fail();
        Number value;
        if (take("(")) {
            value = choice();
            if (!take(")")) value = fail();
        } else if (take("-")) {
            value = unary();
            if (value) value = applied("-", 0, *value);
        } else if (take("!")) {
            value = unary();
            if (value) value = *value == 0 ? 1 : 0;
        } else {
            value = take("+") ? unary() : primary();
        }
        --m_depth;
        return value;
    }

    Number primary()
    {
        const auto end = std::find_if_not(m_text.begin(), m_text.end(), isNameChar);
        const std::string_view word(m_text.begin(), end);
        if (word.empty()) return fail();
        m_text.remove_prefix(word.size());
        if (!isDigit(word[0])) return m_valueOf(word);
        // 010 and 0x1F are not supported.
        return word[0] == '0' && word != "0" ? std::nullopt : parseInt(word);
    }

    std::string_view m_text; // the rest
    const ValueOf& m_valueOf;
    int m_depth = 0;
    bool m_hasFailed = false;
};

} // namespace

std::optional<int64_t> evaluate(std::string_view expression, const ValueOf& valueOf)
{
    // Assignments such as x++ would look like signs.
    if (expression.find("++") != std::string_view::npos || expression.find("--") != std::string_view::npos)
        return std::nullopt;
    return Calculator(expression, valueOf).whole();
}

} // namespace lockstep::shell
