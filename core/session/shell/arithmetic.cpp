// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/arithmetic.h"

#include <array>

#include "core/base/text.h"
#include "core/base/words.h"

namespace lockstep::shell {

namespace {

constexpr int kMaxExpressionDepth = 60;

// Binary operators, ordered by precedence. Longer spellings come first.
struct Operator {
    std::string_view text;
    int level;
};
constexpr std::array<Operator, 18> kOperators{{{"||", 1},
                                               {"&&", 2},
                                               {"==", 6},
                                               {"!=", 6},
                                               {"<<", 8},
                                               {">>", 8},
                                               {"<=", 7},
                                               {">=", 7},
                                               {"|", 3},
                                               {"^", 4},
                                               {"&", 5},
                                               {"<", 7},
                                               {">", 7},
                                               {"+", 9},
                                               {"-", 9},
                                               {"*", 10},
                                               {"/", 10},
                                               {"%", 10}}};

class Parser {
  public:
    // `steps` is shared with the evaluation of variables that contain expressions.
    Parser(std::string_view text, const ValueOf& valueOf, int depth, int& steps)
        : m_text(text), m_valueOf(valueOf), m_depth(depth), m_steps(steps)
    {
    }

    std::optional<int64_t> whole()
    {
        std::optional<int64_t> value = choice();
        skipBlanks();
        return m_at == m_text.size() && !m_hasFailed ? value : std::nullopt;
    }

  private:
    using Value = std::optional<int64_t>;

    void skipBlanks()
    {
        while (m_at < m_text.size() &&
               std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos)
            ++m_at;
    }

    bool take(std::string_view text)
    {
        skipBlanks();
        if (!m_text.substr(m_at).starts_with(text)) return false;
        m_at += text.size();
        return true;
    }

    Value tooDeep()
    {
        m_hasFailed = true;
        m_at = m_text.size();
        return std::nullopt;
    }

    Value choice()
    {
        if (++m_depth > kMaxExpressionDepth) return tooDeep();
        const Value condition = binary(1);
        if (!take("?")) {
            --m_depth;
            return condition;
        }
        const Value yes = choice();
        if (!take(":")) return std::nullopt;
        const Value no = choice();
        --m_depth;
        if (!condition) return std::nullopt;
        return *condition != 0 ? yes : no;
    }

    const Operator* operatorHere(int level)
    {
        skipBlanks();
        for (const Operator& one : kOperators) {
            if (!m_text.substr(m_at).starts_with(one.text)) continue;
            const bool isPower = one.text == "*" && m_text.substr(m_at).starts_with("**");
            const bool assigns = one.level > 7 && m_text.substr(m_at + one.text.size()).starts_with("=");
            return one.level >= level && !isPower && !assigns ? &one : nullptr;
        }
        return nullptr;
    }

    Value binary(int level)
    {
        Value left = power();
        while (const Operator* op = operatorHere(level)) {
            m_at += op->text.size();
            const Value right = binary(op->level + 1);
            left = applied(op->text, left, right);
        }
        return left;
    }

    static Value applied(std::string_view op, Value a, Value b)
    {
        if (!a || !b) return std::nullopt;
        int64_t out = 0;
        if (op == "+") return __builtin_add_overflow(*a, *b, &out) ? std::nullopt : Value(out);
        if (op == "-") return __builtin_sub_overflow(*a, *b, &out) ? std::nullopt : Value(out);
        if (op == "*") return __builtin_mul_overflow(*a, *b, &out) ? std::nullopt : Value(out);
        if (op == "/" || op == "%") {
            if (*b == 0 || *b == -1)
                return *b == 0 ? std::nullopt : op == "%" ? Value(0) : applied("-", 0, a);
            return op == "/" ? *a / *b : *a % *b;
        }
        if (op == "<<" || op == ">>") {
            if (*a < 0 || *b < 0 || *b > 40 || *a > (int64_t(1) << 22)) return std::nullopt;
            return op == "<<" ? *a << *b : *a >> *b;
        }
        if (op == "|") return *a | *b;
        if (op == "&") return *a & *b;
        if (op == "^") return *a ^ *b;
        const bool holds = op == "||"   ? *a != 0 || *b != 0
                           : op == "&&" ? *a != 0 && *b != 0
                           : op == "==" ? *a == *b
                           : op == "!=" ? *a != *b
                           : op == "<"  ? *a < *b
                           : op == ">"  ? *a > *b
                           : op == "<=" ? *a <= *b
                                        : *a >= *b;
        return holds ? 1 : 0;
    }

    Value power()
    {
        const Value base = unary();
        if (!take("**")) return base;
        if (++m_depth > kMaxExpressionDepth) return tooDeep();
        const Value exponent = power();
        --m_depth;
        if (!base || !exponent || *exponent < 0 || *exponent > 64) return std::nullopt;
        Value out = 1;
        for (int64_t i = 0; i < *exponent; ++i)
            out = applied("*", out, base);
        return out;
    }

    Value unary()
    {
        if (++m_depth > kMaxExpressionDepth) return tooDeep();
        Value out;
        skipBlanks();
        const std::string_view rest = m_text.substr(m_at);
        if (rest.starts_with("++") || rest.starts_with("--")) {
            m_hasFailed = true; // assignments are not supported
        } else if (take("-")) {
            out = applied("-", 0, unary());
        } else if (take("+")) {
            out = unary();
        } else if (take("!")) {
            const Value value = unary();
            if (value) out = *value == 0 ? 1 : 0;
        } else if (take("~")) {
            const Value value = unary();
            if (value) out = ~*value;
        } else if (take("(")) {
            out = choice();
            if (!take(")")) out.reset();
        } else {
            out = primary();
        }
        --m_depth;
        return out;
    }

    Value primary()
    {
        const size_t begin = m_at;
        while (m_at < m_text.size() && isNameChar(m_text[m_at]))
            ++m_at;
        const std::string_view word = m_text.substr(begin, m_at - begin);
        if (word.empty()) {
            m_hasFailed = true;
            return std::nullopt;
        }
        if (word[0] >= '0' && word[0] <= '9') return numberOf(word);
        const std::optional<std::string> value = m_valueOf(word);
        if (!value || m_depth > kMaxExpressionDepth || --m_steps < 0) return std::nullopt;
        return value->empty() ? Value(0) : Parser(*value, m_valueOf, m_depth + 5, m_steps).whole();
    }

    static Value numberOf(std::string_view word)
    {
        if (word == "0" || word[0] != '0') return parseInt(word);
        const bool isHex = word.size() > 1 && (word[1] == 'x' || word[1] == 'X');
        int64_t out = 0;
        for (const char c : word.substr(isHex ? 2 : 1)) {
            const std::string_view digits = "0123456789abcdef";
            const size_t digit = digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
            const int64_t base = isHex ? 16 : 8;
            if (digit == std::string_view::npos || static_cast<int64_t>(digit) >= base) return std::nullopt;
            if (__builtin_mul_overflow(out, base, &out) ||
                __builtin_add_overflow(out, static_cast<int64_t>(digit), &out))
                return std::nullopt;
        }
        return out;
    }

    std::string_view m_text;
    const ValueOf& m_valueOf;
    size_t m_at = 0;
    int m_depth;
    int& m_steps;
    bool m_hasFailed = false;
};

} // namespace

std::optional<int64_t> evaluate(std::string_view expression, const ValueOf& valueOf)
{
    int steps = 1000;
    return Parser(expression, valueOf, 0, steps).whole();
}

} // namespace lockstep::shell
