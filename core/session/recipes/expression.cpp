// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/expression.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fnmatch.h>

#include "core/base/host_reference.h"

namespace lockstep {

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

// Returns the elements of both lists, in order.
RecipeValue joinedLists(RecipeValue a, const RecipeValue& b)
{
    a.items.insert(a.items.end(), b.items.begin(), b.items.end());
    return a;
}

// Returns the first list without the elements of the second.
RecipeValue listWithout(RecipeValue a, const RecipeValue& b)
{
    std::erase_if(a.items,
                  [&](const RecipeValue& item) { return std::ranges::find(b.items, item) != b.items.end(); });
    return a;
}

bool areLists(const RecipeValue& a, const RecipeValue& b)
{
    return a.kind == Kind::list && b.kind == Kind::list;
}

// Joins lists, and texts, also with numbers; otherwise adds.
RecipeValue sumOf(const RecipeValue& a, const RecipeValue& b)
{
    if (areLists(a, b)) return joinedLists(a, b);
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

// Returns the integers of a list in order, or nullopt if one of them is none. null has none.
std::optional<std::vector<int64_t>> sortedIntegers(const RecipeValue& value)
{
    std::vector<int64_t> numbers;
    if (value.kind == Kind::null) return numbers;
    if (value.kind != Kind::list) return std::nullopt;
    for (const RecipeValue& item : value.items) {
        if (item.kind != Kind::integer) return std::nullopt;
        numbers.push_back(item.number);
    }
    std::ranges::sort(numbers);
    return numbers;
}

// Returns the number of runs of adjacent integers: 2 for [1, 2, 5].
RecipeValue runsOf(const RecipeValue& value)
{
    const std::optional<std::vector<int64_t>> numbers = sortedIntegers(value);
    if (!numbers) return unknownOf({&value});
    int64_t runs = 0;
    for (size_t i = 0; i < numbers->size(); ++i) {
        const int64_t step = i == 0 ? 2 : (*numbers)[i] - (*numbers)[i - 1];
        runs += step <= 1 ? 0 : 1;
    }
    return RecipeValue::fromInt(runs);
}

constexpr int64_t kMaxListLength = 100'000; // a longer list is assumed to be a typo

// Returns the integers from a to b - 1.
RecipeValue rangeOf(const RecipeValue& a, const RecipeValue& b)
{
    int64_t length = 0;
    if (a.kind != Kind::integer || b.kind != Kind::integer) return unknownOf({&a, &b});
    if (__builtin_sub_overflow(b.number, a.number, &length) || length > kMaxListLength)
        return RecipeValue::unknown();
    std::vector<int64_t> numbers;
    for (int64_t number = a.number; number < b.number; ++number)
        numbers.push_back(number);
    return RecipeValue::fromInts(numbers);
}

// Returns the numbers of the groups of `size` ranks that have one of the ranks: [0, 2] for [1, 2, 9] and 4.
// With `isInverse`, returns the ranks of the groups: [0, 1, 2, 3] for [0] and 4.
RecipeValue rankGroups(const RecipeValue& list, const RecipeValue& size, bool isInverse)
{
    const std::optional<std::vector<int64_t>> numbers = sortedIntegers(list);
    if (!numbers || size.kind != Kind::integer || size.number < 1) return unknownOf({&list, &size});
    std::vector<int64_t> made;
    for (const int64_t number : *numbers) {
        if (!isInverse && number >= 0 && (made.empty() || made.back() != number / size.number))
            made.push_back(number / size.number);
        const bool isTooLarge = number < 0 || number > INT32_MAX || size.number > kMaxListLength ||
                                static_cast<int64_t>(made.size()) + size.number > kMaxListLength;
        if (isInverse && isTooLarge) return RecipeValue::unknown();
        for (int64_t i = 0; isInverse && i < size.number; ++i)
            made.push_back(number * size.number + i);
    }
    return RecipeValue::fromInts(made);
}

// Returns the texts that match one of the shell patterns, or the patterns that match one of the texts.
RecipeValue matchesOf(const RecipeValue& patterns, const RecipeValue& texts, bool arePatternsWanted)
{
    if (patterns.kind == Kind::null || texts.kind == Kind::null) return RecipeValue::fromTexts({});
    if (!areLists(patterns, texts)) return unknownOf({&patterns, &texts});
    RecipeValue made = arePatternsWanted ? patterns : texts;
    const RecipeValue& others = arePatternsWanted ? texts : patterns;
    std::erase_if(made.items, [&](const RecipeValue& one) {
        return std::ranges::none_of(others.items, [&](const RecipeValue& other) {
            const std::string pattern = (arePatternsWanted ? one : other).message();
            return ::fnmatch(pattern.c_str(), (arePatternsWanted ? other : one).message().c_str(), 0) == 0;
        });
    });
    return made;
}

RecipeValue elementOf(const RecipeValue& list, bool isLast)
{
    if (list.kind != Kind::list || list.items.empty()) return unknownOf({&list});
    return isLast ? list.items.back() : list.items.front();
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
    case Operation::inRole: {
        const RecipeScope* role = scope.forRole(evaluate(scope, node.inputs[0]).text);
        return role == nullptr ? RecipeValue::unknown() : evaluate(*role, node.inputs[1]);
    }
    case Operation::named:
        return scope.value(evaluate(scope, node.inputs[0]).text);
    case Operation::rolesWhere: {
        std::vector<std::string> roles = scope.roleNames();
        std::erase_if(roles, [&](const std::string& role) {
            return !conditionOf(evaluate(*scope.forRole(role), node.inputs[0])).isTrue();
        });
        return RecipeValue::fromTexts(roles);
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
    case Operation::absolute:
        if (inputs[0].kind != Kind::text) return unknownOf({&inputs[0]});
        return RecipeValue::fromBool(isAbsoluteOrHomePath(inputs[0].text));
    case Operation::first:
    case Operation::last:
        return elementOf(inputs[0], operation == Operation::last);
    case Operation::range:
        return rangeOf(inputs[0], inputs[1]);
    case Operation::groups:
    case Operation::members:
        return rankGroups(inputs[0], inputs[1], operation == Operation::members);
    case Operation::matching:
    case Operation::matched:
        return matchesOf(inputs[0], inputs[1], operation == Operation::matched);
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
    case Operation::subtract:
        if (areLists(inputs[0], inputs[1])) return listWithout(inputs[0], inputs[1]);
        break;
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
