// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/recipe_value.h"

#include <algorithm>
#include <optional>

#include "core/base/text.h"

namespace lockstep {

RecipeValue RecipeValue::unknown(std::string_view name)
{
    RecipeValue made;
    made.text = name;
    return made;
}

RecipeValue RecipeValue::null()
{
    RecipeValue made;
    made.kind = Kind::null;
    return made;
}

RecipeValue RecipeValue::fromBool(bool value)
{
    RecipeValue made;
    made.kind = Kind::boolean;
    made.number = value ? 1 : 0;
    return made;
}

RecipeValue RecipeValue::fromInt(int64_t value)
{
    RecipeValue made;
    made.kind = Kind::integer;
    made.number = value;
    return made;
}

RecipeValue RecipeValue::fromText(std::string_view value)
{
    RecipeValue made;
    made.kind = Kind::text;
    made.text = value;
    return made;
}

RecipeValue RecipeValue::fromInts(const std::vector<int64_t>& values)
{
    RecipeValue made;
    made.kind = Kind::list;
    for (const int64_t value : values)
        made.items.push_back(fromInt(value));
    return made;
}

RecipeValue RecipeValue::fromTexts(const std::vector<std::string>& values)
{
    RecipeValue made;
    made.kind = Kind::list;
    for (const std::string& value : values)
        made.items.push_back(fromText(value));
    return made;
}

RecipeValue RecipeValue::fromConfig(const ConfigValue& value)
{
    switch (value.kind) {
    case ConfigValue::Kind::null:
        return null();
    case ConfigValue::Kind::boolean:
        return fromBool(lowerAscii(value.text) == "true");
    case ConfigValue::Kind::number: {
        std::string digits = value.text;
        std::erase(digits, '_');
        const std::optional<int64_t> number = parseInt(digits);
        return number ? fromInt(*number) : fromText(value.text);
    }
    case ConfigValue::Kind::text:
        return fromText(value.text);
    case ConfigValue::Kind::map:
        return fromTexts(value.keys);
    case ConfigValue::Kind::list:
        break;
    }
    RecipeValue list;
    list.kind = Kind::list;
    for (const ConfigValue& item : value.items)
        list.items.push_back(fromConfig(item));
    return list;
}

std::string RecipeValue::message() const
{
    switch (kind) {
    case Kind::unknown:
    case Kind::null:
        return {};
    case Kind::boolean:
        return number == 1 ? "true" : "false";
    case Kind::integer:
        return std::to_string(number);
    case Kind::text:
        return text;
    case Kind::list:
        break;
    }
    std::string joined;
    for (const RecipeValue& item : items)
        joined += (joined.empty() ? "" : ", ") + item.message();
    return "[" + joined + "]";
}

ConfigValue RecipeValue::config() const
{
    switch (kind) {
    case Kind::unknown:
    case Kind::null:
        return {};
    case Kind::boolean:
        return ConfigValue::fromBool(number == 1);
    case Kind::integer:
        return ConfigValue::fromInt(number);
    case Kind::text:
        return ConfigValue::fromText(text);
    case Kind::list:
        break;
    }
    ConfigValue list = ConfigValue::emptyList();
    for (const RecipeValue& item : items)
        list.items.push_back(item.config());
    return list;
}

} // namespace lockstep
