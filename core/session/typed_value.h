// SPDX-License-Identifier: Apache-2.0
// Typed reading and writing of ConfigValue, with one overload per type of SessionConfig field. assign()
// either succeeds, or leaves the target unchanged and returns an `invalid` error. The error states the
// required value and, if known, the line and column.
#pragma once

#include <optional>
#include <span>

#include "core/base/result.h"
#include "core/session/config_value.h"

namespace lockstep {

// Returns an error of kind invalid with the text "line 3, column 7: must be ...".
tl::unexpected<Error> valueError(const ConfigValue& value, std::string_view mustBe);

Status assign(bool& target, const ConfigValue& value);
// Reads integers; underscores are allowed ("100_000").
Status assign(int64_t& target, const ConfigValue& value);
// Reads any scalar as spelled. null becomes "".
Status assign(std::string& target, const ConfigValue& value);
// Reads a list; null clears it.
Status assign(std::vector<int64_t>& target, const ConfigValue& value);
Status assign(std::vector<std::string>& target, const ConfigValue& value);
// Reads a map of scalars.
Status assign(TextPairs& target, const ConfigValue& value);

ConfigValue valueOf(bool value);
ConfigValue valueOf(int64_t value);
ConfigValue valueOf(const std::string& value);
ConfigValue valueOf(const std::vector<int64_t>& values);
ConfigValue valueOf(const std::vector<std::string>& values);
ConfigValue valueOf(const TextPairs& values);

// Enumerations are written as words. enumNames(E) lists the words in the order of the enumerators, which
// begin at 0.
template<class E>
requires std::is_enum_v<E> std::string_view enumName(E value)
{
    return enumNames(value)[static_cast<size_t>(value)];
}

template<class E>
requires std::is_enum_v<E> std::optional<E> enumFromWord(std::string_view word)
{
    const auto words = enumNames(E{});
    for (size_t i = 0; i < words.size(); ++i) {
        if (words[i] == word) return static_cast<E>(i);
    }
    return std::nullopt;
}

// Returns "one of a, b, c".
std::string choiceText(std::span<const std::string_view> words);

template<class E>
requires std::is_enum_v<E> Status assign(E& target, const ConfigValue& value)
{
    const std::optional<E> found = value.isScalar() ? enumFromWord<E>(value.text) : std::nullopt;
    if (!found) return valueError(value, choiceText(enumNames(E{})));
    target = *found;
    return {};
}

template<class E>
requires std::is_enum_v<E> ConfigValue valueOf(E value)
{
    return ConfigValue::fromText(std::string(enumName(value)));
}

// null clears an optional.
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

// Return the value to write, or nullopt for an unset or empty field, so that a saved file contains only what
// is set.
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
