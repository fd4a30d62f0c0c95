// SPDX-License-Identifier: Apache-2.0
// Typed reading and writing of ConfigValue: one overload per type that a SessionConfig field has. assign()
// gives true, or leaves the target alone and says (invalid) what the value must be and, where known, its line
// and column.
#pragma once

#include <optional>
#include <span>

#include "core/base/result.h"
#include "core/session/config_value.h"

namespace lockstep {

// "line 3, column 7: must be ..." as an error of kind invalid.
tl::unexpected<Error> valueError(const ConfigValue& value, std::string_view mustBe);

Status assign(bool& target, const ConfigValue& value);
// Whole numbers, underscores allowed ("100_000").
Status assign(int64_t& target, const ConfigValue& value);
// Any scalar, as spelled; null gives "".
Status assign(std::string& target, const ConfigValue& value);
// null empties a list or map.
Status assign(std::vector<int64_t>& target, const ConfigValue& value);
Status assign(std::vector<std::string>& target, const ConfigValue& value);
// A map of scalars.
Status assign(TextPairs& target, const ConfigValue& value);

ConfigValue valueOf(bool value);
ConfigValue valueOf(int64_t value);
ConfigValue valueOf(const std::string& value);
ConfigValue valueOf(const std::vector<int64_t>& values);
ConfigValue valueOf(const std::vector<std::string>& values);
ConfigValue valueOf(const TextPairs& values);

// Enumerations are written as words: wordsOf(E) lists them in the order of the enumerators, which count from
// 0.
template<class E>
requires std::is_enum_v<E> std::string_view wordOf(E value)
{
    return wordsOf(value)[static_cast<size_t>(value)];
}

template<class E>
requires std::is_enum_v<E> std::optional<E> enumFromWord(std::string_view word)
{
    const auto words = wordsOf(E{});
    for (size_t i = 0; i < words.size(); ++i) {
        if (words[i] == word) return static_cast<E>(i);
    }
    return std::nullopt;
}

// "one of a, b, c".
std::string choiceText(std::span<const std::string_view> words);

template<class E>
requires std::is_enum_v<E> Status assign(E& target, const ConfigValue& value)
{
    const std::optional<E> found = value.isScalar() ? enumFromWord<E>(value.text) : std::nullopt;
    if (!found) return valueError(value, choiceText(wordsOf(E{})));
    target = *found;
    return {};
}

template<class E>
requires std::is_enum_v<E> ConfigValue valueOf(E value)
{
    return ConfigValue::fromText(std::string(wordOf(value)));
}

// null empties an optional.
template<class T>
Status assign(std::optional<T>& target, const ConfigValue& value)
{
    if (value.kind == ConfigValue::Kind::null) {
        target.reset();
        return {};
    }
    T made{};
    LOCKSTEP_TRY(assign(made, value));
    target = std::move(made);
    return {};
}

// What a field writes: nothing while it is unset, empty or zero-sized, so that a saved text shows what was
// chosen.
template<class T>
std::optional<ConfigValue> writtenValue(const T& value)
{
    if constexpr (requires { value.empty(); }) {
        if (value.empty()) return std::nullopt;
    }
    return valueOf(value);
}

template<class T>
std::optional<ConfigValue> writtenValue(const std::optional<T>& value)
{
    return value ? std::optional<ConfigValue>(valueOf(*value)) : std::nullopt;
}

} // namespace lockstep
