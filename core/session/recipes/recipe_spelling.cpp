// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/recipe_spelling.h"

#include "core/base/json_fields.h"
#include "core/session/hydra_override.h"

namespace lockstep {

namespace {

Json jsonFromConfig(const ConfigValue& value)
{
    switch (value.kind) {
    case ConfigValue::Kind::map: {
        Json object = Json::object();
        for (size_t i = 0; i < value.keys.size(); ++i)
            object[value.keys[i]] = jsonFromConfig(value.items[i]);
        return object;
    }
    case ConfigValue::Kind::list: {
        Json array = Json::array();
        for (const ConfigValue& item : value.items)
            array.push_back(jsonFromConfig(item));
        return array;
    }
    case ConfigValue::Kind::null:
        return nullptr;
    case ConfigValue::Kind::boolean:
    case ConfigValue::Kind::number: {
        const RecipeValue scalar = RecipeValue::fromConfig(value);
        if (scalar.kind == RecipeValue::Kind::boolean) return scalar.isTrue();
        if (scalar.kind == RecipeValue::Kind::integer) return scalar.number;
        return value.text;
    }
    case ConfigValue::Kind::text:
        break;
    }
    return value.text;
}

std::string commaText(const ConfigValue& value)
{
    if (value.isScalar()) return value.text;
    std::string joined;
    for (const ConfigValue& item : value.items)
        joined += (joined.empty() ? "" : ",") + item.text;
    return joined;
}

} // namespace

void addSpelling(const RecipeTo& to, const ConfigValue& value, RecipeProgram& made)
{
    using Style = RecipeTo::Style;
    const auto addWord = [&](std::string word) { made.overrides.push_back(std::move(word)); };
    const std::string json = to.style == Style::json ? jsonLine(jsonFromConfig(value)) : std::string();
    if (to.form == RecipeTo::Form::environment) {
        made.environment.emplace_back(to.name, to.style == Style::json ? json : commaText(value));
        return;
    }
    if (to.form == RecipeTo::Form::override) {
        addWord(to.prefix + to.name + "=" + hydraText(value));
        return;
    }
    switch (to.style) {
    case Style::flag:
        if (value.kind == ConfigValue::Kind::boolean && RecipeValue::fromConfig(value).isTrue())
            addWord(to.name);
        return;
    case Style::equals:
        return addWord(to.name + "=" + commaText(value));
    case Style::repeat:
        for (const ConfigValue& item : value.items) {
            addWord(to.name);
            addWord(item.text);
        }
        return;
    case Style::list:
        if (value.kind == ConfigValue::Kind::list && value.items.empty()) return;
        addWord(to.name);
        if (value.isScalar()) addWord(value.text);
        for (const ConfigValue& item : value.items)
            addWord(item.text);
        return;
    case Style::json:
        addWord(to.name);
        return addWord(json);
    case Style::value:
    case Style::comma:
        break;
    }
    addWord(to.name);
    addWord(commaText(value));
}

} // namespace lockstep
