// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>

#include "core/base/text.h"

namespace lockstep {

// RecipeParser reads an expression by recursive descent, one function per level of precedence. Every call of
// a function that recurses creates a node or consumes a parenthesis, and both are limited, so the depth is
// limited too.
class RecipeParser {
  public:
    explicit RecipeParser(std::string_view text) : m_text(text) {}

    Result<RecipeExpression> parse()
    {
        const size_t root = LOCKSTEP_TRY(parseOr());
        skipSpaces();
        if (m_at < m_text.size()) return fail("an operator or the end is expected");
        m_made.m_root = root;
        return std::move(m_made);
    }

  private:
    using Operation = RecipeExpression::Operation;
    using Level = Result<size_t> (RecipeParser::*)();

    tl::unexpected<Error> fail(std::string_view reason) const
    {
        return makeError(ErrorKind::invalid,
                         "character " + std::to_string(m_at + 1) + ": " + std::string(reason));
    }

    void skipSpaces()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\t'))
            ++m_at;
    }

    static bool isWordCharacter(char c)
    {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    }

    // Consumes the symbol or word if it is next. A word must not continue.
    bool take(std::string_view symbol)
    {
        skipSpaces();
        if (!m_text.substr(m_at).starts_with(symbol)) return false;
        const size_t end = m_at + symbol.size();
        if (isWordCharacter(symbol.back()) && end < m_text.size() && isWordCharacter(m_text[end]))
            return false;
        m_at = end;
        return true;
    }

    Result<size_t> addNode(Operation operation, std::vector<size_t> inputs, RecipeValue value = {})
    {
        if (m_made.m_nodes.size() >= RecipeExpression::kMaxNodes) {
            return fail("the expression has more than " + std::to_string(RecipeExpression::kMaxNodes) +
                        " operations");
        }
        m_made.m_nodes.push_back({operation, std::move(value), std::move(inputs)});
        return m_made.m_nodes.size() - 1;
    }

    struct Binary {
        std::string_view symbol;
        Operation operation;
    };

    Result<size_t> parseChain(std::span<const Binary> operators, Level next)
    {
        size_t left = LOCKSTEP_TRY((this->*next)());
        for (;;) {
            const auto found =
                std::ranges::find_if(operators, [this](const Binary& one) { return take(one.symbol); });
            if (found == operators.end()) return left;
            const size_t right = LOCKSTEP_TRY((this->*next)());
            left = LOCKSTEP_TRY(addNode(found->operation, {left, right}));
        }
    }

    Result<size_t> parseOr()
    {
        static constexpr std::array<Binary, 1> kOr{{{"or", Operation::logicalOr}}};
        return parseChain(kOr, &RecipeParser::parseAnd);
    }

    Result<size_t> parseAnd()
    {
        static constexpr std::array<Binary, 1> kAnd{{{"and", Operation::logicalAnd}}};
        return parseChain(kAnd, &RecipeParser::parseNot);
    }

    Result<size_t> parseNot()
    {
        size_t count = 0;
        while (take("not"))
            ++count;
        size_t made = LOCKSTEP_TRY(parseComparison());
        if (count % 2 == 1) made = LOCKSTEP_TRY(addNode(Operation::logicalNot, {made}));
        return made;
    }

    Result<size_t> parseComparison()
    {
        static constexpr std::array<Binary, 7> kComparisons{{{"==", Operation::equal},
                                                             {"!=", Operation::notEqual},
                                                             {"<=", Operation::lessEqual},
                                                             {">=", Operation::greaterEqual},
                                                             {"<", Operation::less},
                                                             {">", Operation::greater},
                                                             {"in", Operation::in}}};
        const size_t left = LOCKSTEP_TRY(parseSum());
        for (const Binary& one : kComparisons) {
            if (!take(one.symbol)) continue;
            const size_t right = LOCKSTEP_TRY(parseSum());
            return addNode(one.operation, {left, right});
        }
        return left;
    }

    Result<size_t> parseSum()
    {
        static constexpr std::array<Binary, 2> kSums{{{"+", Operation::add}, {"-", Operation::subtract}}};
        return parseChain(kSums, &RecipeParser::parseProduct);
    }

    Result<size_t> parseProduct()
    {
        static constexpr std::array<Binary, 2> kProducts{
            {{"*", Operation::multiply}, {"/", Operation::divide}}};
        return parseChain(kProducts, &RecipeParser::parseSign);
    }

    Result<size_t> parseSign()
    {
        size_t count = 0;
        while (take("-"))
            ++count;
        size_t made = LOCKSTEP_TRY(parsePrimary());
        if (count % 2 == 1) made = LOCKSTEP_TRY(addNode(Operation::negative, {made}));
        return made;
    }

    Result<size_t> parsePrimary()
    {
        skipSpaces();
        if (m_at == m_text.size()) return fail("a value is expected");
        const char c = m_text[m_at];
        if (take("(")) {
            if (++m_depth > kMaxDepth) return fail("too many nested parentheses");
            const size_t inner = LOCKSTEP_TRY(parseOr());
            if (!take(")")) return fail("')' is expected");
            --m_depth;
            return inner;
        }
        if (take("[")) return parseItems(Operation::list, "]");
        if (c == '\'' || c == '"') {
            const std::string text = LOCKSTEP_TRY(parseText());
            return addNode(Operation::constant, {}, RecipeValue::fromText(text));
        }
        if (!isWordCharacter(c)) return fail("a value is expected");
        return parseWord();
    }

    Result<std::string> parseText()
    {
        const size_t end = m_text.find(m_text[m_at], m_at + 1);
        if (end == std::string_view::npos) return fail("the text has no closing quote");
        std::string text(m_text.substr(m_at + 1, end - m_at - 1));
        m_at = end + 1;
        return text;
    }

    Result<size_t> parseItems(Operation operation, std::string_view close)
    {
        if (++m_depth > kMaxDepth) return fail("too many nested parentheses");
        std::vector<size_t> inputs;
        if (!take(close)) {
            do {
                inputs.push_back(LOCKSTEP_TRY(parseOr()));
            } while (take(","));
            if (!take(close)) return fail("',' or '" + std::string(close) + "' is expected");
        }
        --m_depth;
        return addNode(operation, std::move(inputs));
    }

    Result<size_t> parseWord()
    {
        const size_t begin = m_at;
        while (m_at < m_text.size() && isWordCharacter(m_text[m_at]))
            ++m_at;
        const std::string word(m_text.substr(begin, m_at - begin));
        if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
            const std::optional<int64_t> number = parseInt(word);
            m_at = number ? m_at : begin;
            if (!number) return fail("'" + word + "' is not an integer");
            return addNode(Operation::constant, {}, RecipeValue::fromInt(*number));
        }
        if (word == "true" || word == "false")
            return addNode(Operation::constant, {}, RecipeValue::fromBool(word == "true"));
        if (word == "null") return addNode(Operation::constant, {}, RecipeValue::null());
        if (take("(")) return parseCall(word, begin);
        if (word == "and" || word == "or" || word == "not" || word == "in") {
            m_at = begin;
            return fail("a value is expected");
        }
        m_made.m_names.push_back(word);
        return addNode(Operation::name, {}, RecipeValue::fromText(word));
    }

    // set(name) and era(condition) take a name or a text, which is not evaluated.
    Result<size_t> parseSpecial(Operation operation)
    {
        skipSpaces();
        std::string word;
        if (m_at < m_text.size() && (m_text[m_at] == '\'' || m_text[m_at] == '"')) {
            word = LOCKSTEP_TRY(parseText());
        } else {
            const size_t begin = m_at;
            while (m_at < m_text.size() && isWordCharacter(m_text[m_at]))
                ++m_at;
            word = m_text.substr(begin, m_at - begin);
        }
        if (word.empty()) return fail("a name is expected");
        if (!take(")")) return fail("')' is expected");
        (operation == Operation::isEra ? m_made.m_eras : m_made.m_names).push_back(word);
        return addNode(operation, {}, RecipeValue::fromText(word));
    }

    Result<size_t> parseCall(std::string_view word, size_t begin)
    {
        struct Function {
            std::string_view name;
            Operation operation;
            size_t least, most; // number of arguments
        };
        static constexpr std::array<Function, 6> kFunctions{
            {{"ceildiv", Operation::ceilDivide, 2, 2},
             {"min", Operation::minimum, 1, RecipeExpression::kMaxNodes},
             {"max", Operation::maximum, 1, RecipeExpression::kMaxNodes},
             {"len", Operation::length, 1, 1},
             {"runs", Operation::runs, 1, 1},
             {"if", Operation::choice, 3, 3}}};
        if (word == "set") return parseSpecial(Operation::isSet);
        if (word == "era") return parseSpecial(Operation::isEra);
        const auto found = std::ranges::find(kFunctions, word, &Function::name);
        if (found == kFunctions.end()) {
            m_at = begin;
            return fail("there is no function '" + std::string(word) + "'");
        }
        const size_t made = LOCKSTEP_TRY(parseItems(found->operation, ")"));
        const size_t count = m_made.m_nodes[made].inputs.size();
        if (count < found->least || count > found->most) {
            m_at = begin;
            return fail("wrong number of arguments for '" + std::string(word) + "'");
        }
        return made;
    }

    static constexpr size_t kMaxDepth = 50;
    std::string_view m_text;
    size_t m_at = 0;
    size_t m_depth = 0;
    RecipeExpression m_made;
};

Result<RecipeExpression> RecipeExpression::parse(std::string_view text)
{
    return RecipeParser(text).parse();
}

namespace {

using Kind = RecipeValue::Kind;

// Returns the first operand that is unknown, otherwise an unknown value without a name.
RecipeValue unknownOf(std::initializer_list<const RecipeValue*> operands)
{
    for (const RecipeValue* one : operands) {
        if (!one->isKnown()) return *one;
    }
    return RecipeValue::unknown();
}

// Returns the value as a condition: true, false or unknown. null counts as false.
RecipeValue conditionOf(const RecipeValue& value)
{
    if (value.kind == Kind::null) return RecipeValue::fromBool(false);
    return value.kind == Kind::boolean || !value.isKnown() ? value : RecipeValue::unknown();
}

// `decides` is the value that decides the result alone: false for `and`, true for `or`.
RecipeValue connected(const RecipeValue& left, const RecipeValue& right, bool decides)
{
    const RecipeValue a = conditionOf(left), b = conditionOf(right);
    const RecipeValue decision = RecipeValue::fromBool(decides);
    if (a == decision || b == decision) return decision;
    return a.isKnown() && b.isKnown() ? RecipeValue::fromBool(!decides) : unknownOf({&a, &b});
}

// Returns whether two values are equal; unknown if that depends on a part that is unknown.
RecipeValue isEqual(const RecipeValue& a, const RecipeValue& b)
{
    if (!a.isKnown() || !b.isKnown()) return unknownOf({&a, &b});
    if (a.kind != b.kind || a.items.size() != b.items.size()) return RecipeValue::fromBool(false);
    if (a.kind != Kind::list) return RecipeValue::fromBool(a == b);
    RecipeValue all = RecipeValue::fromBool(true);
    for (size_t i = 0; i < a.items.size(); ++i)
        all = connected(all, isEqual(a.items[i], b.items[i]), false);
    return all;
}

RecipeValue isContained(const RecipeValue& item, const RecipeValue& list)
{
    if (list.kind != Kind::list || !item.isKnown()) return unknownOf({&item, &list});
    RecipeValue any = RecipeValue::fromBool(false);
    for (const RecipeValue& one : list.items)
        any = connected(any, isEqual(item, one), true);
    return any;
}

RecipeValue integerOr(bool overflowed, int64_t value)
{
    return overflowed ? RecipeValue::unknown() : RecipeValue::fromInt(value);
}

// Rounds down, or up if `isCeiling`.
RecipeValue quotient(int64_t a, int64_t b, bool isCeiling)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) return RecipeValue::unknown();
    const int64_t whole = a / b;
    if (a % b == 0) return RecipeValue::fromInt(whole);
    const bool isNegative = (a < 0) != (b < 0);
    if (isCeiling) return RecipeValue::fromInt(isNegative ? whole : whole + 1);
    return RecipeValue::fromInt(isNegative ? whole - 1 : whole);
}

RecipeValue lengthOf(const RecipeValue& value)
{
    if (value.kind == Kind::list) return RecipeValue::fromInt(static_cast<int64_t>(value.items.size()));
    if (value.kind == Kind::text) return RecipeValue::fromInt(static_cast<int64_t>(value.text.size()));
    return value.kind == Kind::null ? RecipeValue::fromInt(0) : unknownOf({&value});
}

// Joins texts, also with numbers; otherwise adds.
RecipeValue sumOf(const RecipeValue& a, const RecipeValue& b)
{
    const auto isPart = [](const RecipeValue& one) {
        return one.kind == Kind::text || one.kind == Kind::integer;
    };
    if (!isPart(a) || !isPart(b)) return unknownOf({&a, &b});
    if (a.kind == Kind::text || b.kind == Kind::text) return RecipeValue::fromText(a.message() + b.message());
    int64_t sum = 0;
    return integerOr(__builtin_add_overflow(a.number, b.number, &sum), sum);
}

RecipeValue negated(const RecipeValue& condition)
{
    return condition.isKnown() ? RecipeValue::fromBool(!condition.isTrue()) : condition;
}

// Returns the number of runs of adjacent integers: 2 for [1, 2, 5].
RecipeValue runsOf(const RecipeValue& value)
{
    if (value.kind == Kind::null) return RecipeValue::fromInt(0);
    if (value.kind != Kind::list) return unknownOf({&value});
    std::vector<int64_t> numbers;
    for (const RecipeValue& item : value.items) {
        if (item.kind != Kind::integer) return unknownOf({&item});
        numbers.push_back(item.number);
    }
    std::ranges::sort(numbers);
    int64_t runs = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
        const bool isAdjacent = i > 0 && (numbers[i] == numbers[i - 1] || numbers[i] - 1 == numbers[i - 1]);
        runs += isAdjacent ? 0 : 1;
    }
    return RecipeValue::fromInt(runs);
}

// Returns the smallest or largest of some integers. A single list stands for its elements.
RecipeValue extremeOf(const std::vector<RecipeValue>& values, bool isLargest)
{
    if (values.size() == 1 && values[0].kind == Kind::list) return extremeOf(values[0].items, isLargest);
    if (values.empty()) return RecipeValue::unknown();
    for (const RecipeValue& value : values) {
        if (value.kind != Kind::integer) return unknownOf({&value});
    }
    const auto [least, most] = std::ranges::minmax_element(values, {}, &RecipeValue::number);
    return isLargest ? *most : *least;
}

} // namespace

RecipeValue RecipeExpression::evaluate(const RecipeScope& scope) const
{
    return m_nodes.empty() ? RecipeValue::unknown() : evaluate(scope, m_root);
}

RecipeValue RecipeExpression::evaluate(const RecipeScope& scope, size_t at) const
{
    const Node& node = m_nodes[at];
    switch (node.operation) {
    case Operation::constant:
        return node.value;
    case Operation::name:
        return scope.value(node.value.text);
    case Operation::isSet:
        return RecipeValue::fromBool(scope.isSet(node.value.text));
    case Operation::isEra:
        return scope.isEra(node.value.text);
    case Operation::choice: {
        const RecipeValue condition = conditionOf(evaluate(scope, node.inputs[0]));
        return condition.isKnown() ? evaluate(scope, node.inputs[condition.isTrue() ? 1 : 2]) : condition;
    }
    default:
        break;
    }
    std::vector<RecipeValue> inputs;
    for (const size_t input : node.inputs)
        inputs.push_back(evaluate(scope, input));
    return applied(node.operation, std::move(inputs));
}

RecipeValue RecipeExpression::applied(Operation operation, std::vector<RecipeValue> inputs)
{
    switch (operation) {
    case Operation::list: {
        RecipeValue list;
        list.kind = Kind::list;
        list.items = std::move(inputs);
        return list;
    }
    case Operation::length:
        return lengthOf(inputs[0]);
    case Operation::runs:
        return runsOf(inputs[0]);
    case Operation::minimum:
    case Operation::maximum:
        return extremeOf(inputs, operation == Operation::maximum);
    case Operation::logicalNot:
        return negated(conditionOf(inputs[0]));
    case Operation::negative:
        return integersApplied(Operation::subtract, RecipeValue::fromInt(0), inputs[0]);
    case Operation::logicalAnd:
        return connected(inputs[0], inputs[1], false);
    case Operation::logicalOr:
        return connected(inputs[0], inputs[1], true);
    case Operation::equal:
        return isEqual(inputs[0], inputs[1]);
    case Operation::notEqual:
        return negated(isEqual(inputs[0], inputs[1]));
    case Operation::in:
        return isContained(inputs[0], inputs[1]);
    case Operation::add:
        return sumOf(inputs[0], inputs[1]);
    default:
        break;
    }
    return integersApplied(operation, inputs[0], inputs[1]);
}

RecipeValue RecipeExpression::integersApplied(Operation operation, const RecipeValue& a, const RecipeValue& b)
{
    if (a.kind != Kind::integer || b.kind != Kind::integer) return unknownOf({&a, &b});
    int64_t result = 0;
    switch (operation) {
    case Operation::subtract:
        return integerOr(__builtin_sub_overflow(a.number, b.number, &result), result);
    case Operation::multiply:
        return integerOr(__builtin_mul_overflow(a.number, b.number, &result), result);
    case Operation::divide:
    case Operation::ceilDivide:
        return quotient(a.number, b.number, operation == Operation::ceilDivide);
    case Operation::less:
        return RecipeValue::fromBool(a.number < b.number);
    case Operation::lessEqual:
        return RecipeValue::fromBool(a.number <= b.number);
    case Operation::greater:
        return RecipeValue::fromBool(a.number > b.number);
    case Operation::greaterEqual:
        return RecipeValue::fromBool(a.number >= b.number);
    default:
        return RecipeValue::unknown();
    }
}

} // namespace lockstep
