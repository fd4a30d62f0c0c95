// SPDX-License-Identifier: Apache-2.0
#include "core/session/typed_value.h"

#include <algorithm>

#include "core/base/text.h"

namespace lockstep {

tl::unexpected<Error> valueError(const ConfigValue& value, std::string_view mustBe)
{
    const std::string place = locationText(value.place);
    return makeError(ErrorKind::invalid,
                     (place.empty() ? "" : place + ": ") + "must be " + std::string(mustBe));
}

Status assign(bool& target, const ConfigValue& value)
{
    if (value.kind != ConfigValue::Kind::boolean) return valueError(value, "true or false");
    target = lowerAscii(value.text) == "true";
    return {};
}

Status assign(int64_t& target, const ConfigValue& value)
{
    std::string digits = value.text;
    std::erase(digits, '_');
    if (digits.starts_with('+')) digits.erase(0, 1);
    const std::optional<int64_t> parsed =
        value.kind == ConfigValue::Kind::number ? parseInt(digits) : std::nullopt;
    if (!parsed) return valueError(value, "a whole number");
    target = *parsed;
    return {};
}

Status assign(std::string& target, const ConfigValue& value)
{
    if (!value.isScalar()) return valueError(value, "a single value");
    target = value.kind == ConfigValue::Kind::null ? std::string() : value.text;
    return {};
}

template<class T>
static Status assignList(std::vector<T>& target, const ConfigValue& value, std::string_view mustBe)
{
    std::vector<T> made;
    if (value.kind != ConfigValue::Kind::list && value.kind != ConfigValue::Kind::null)
        return valueError(value, mustBe);
    made.reserve(value.items.size());
    for (const ConfigValue& item : value.items) {
        T element{};
        LOCKSTEP_TRY(assign(element, item));
        made.push_back(std::move(element));
    }
    target = std::move(made);
    return {};
}

Status assign(std::vector<int64_t>& target, const ConfigValue& value)
{
    return assignList(target, value, "a list of whole numbers, such as [2, 5]");
}

Status assign(std::vector<std::string>& target, const ConfigValue& value)
{
    return assignList(target, value, "a list of strings");
}

Status assign(TextPairs& target, const ConfigValue& value)
{
    const bool fits = value.kind == ConfigValue::Kind::map || value.kind == ConfigValue::Kind::null;
    if (!fits) return valueError(value, "a map of names to values");
    TextPairs made;
    for (size_t i = 0; i < value.items.size(); ++i) {
        made.emplace_back(value.keys[i], std::string());
        LOCKSTEP_TRY(assign(made.back().second, value.items[i]));
    }
    target = std::move(made);
    return {};
}

ConfigValue valueOf(bool value)
{
    return ConfigValue::fromBool(value);
}

ConfigValue valueOf(int64_t value)
{
    return ConfigValue::fromInt(value);
}

ConfigValue valueOf(const std::string& value)
{
    return ConfigValue::fromText(value);
}

ConfigValue valueOf(const std::vector<int64_t>& values)
{
    ConfigValue list = ConfigValue::emptyList();
    for (const int64_t value : values)
        list.items.push_back(ConfigValue::fromInt(value));
    return list;
}

ConfigValue valueOf(const std::vector<std::string>& values)
{
    ConfigValue list = ConfigValue::emptyList();
    for (const std::string& value : values)
        list.items.push_back(ConfigValue::fromText(value));
    return list;
}

ConfigValue valueOf(const TextPairs& values)
{
    ConfigValue map = ConfigValue::emptyMap();
    for (const auto& [name, value] : values)
        map.set(name, ConfigValue::fromText(value));
    return map;
}

std::string choiceText(std::span<const std::string_view> words)
{
    std::string text = "one of";
    for (const std::string_view word : words)
        text += (text.size() > 6 ? ", " : " ") + std::string(word);
    return text;
}

} // namespace lockstep
