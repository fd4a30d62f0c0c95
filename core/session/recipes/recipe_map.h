// SPDX-License-Identifier: Apache-2.0
// RecipeMap reads the keys of one map of a recipe, and reports the keys that were not read. Used only by
// launch_recipe.cpp and its parts. Not thread-safe.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/pattern.h"
#include "core/session/config_value.h"
#include "core/session/recipes/expression.h"
#include "core/session/typed_value.h"

namespace lockstep {

class RecipeMap {
  public:
    explicit RecipeMap(const ConfigValue& map) : m_map(map), m_used(map.keys.size(), false) {}

    static Result<RecipeMap> of(const ConfigValue& value, std::string_view what)
    {
        if (value.kind != ConfigValue::Kind::map) return valueError(value, what);
        return RecipeMap(value);
    }

    const ConfigValue* find(std::string_view key)
    {
        const auto found = std::ranges::find(m_map.keys, key);
        if (found == m_map.keys.end()) return nullptr;
        const auto at = static_cast<size_t>(found - m_map.keys.begin());
        m_used[at] = true;
        return &m_map.items[at];
    }

    // Reads a key that may be absent.
    template<class T>
    Status read(std::string_view key, T& target)
    {
        const ConfigValue* value = find(key);
        if (value == nullptr) return {};
        const Status done = assign(target, *value);
        if (!done) return tl::make_unexpected(withContext(done.error(), key));
        return {};
    }

    template<class T>
    Status require(std::string_view key, T& target)
    {
        if (m_map.find(key) == nullptr) return missing(key);
        return read(key, target);
    }

    Status readExpression(std::string_view key, std::optional<RecipeExpression>& target)
    {
        const ConfigValue* value = find(key);
        if (value == nullptr) return {};
        target = LOCKSTEP_TRY(expressionFrom(*value, key));
        return {};
    }

    Status requireExpression(std::string_view key, RecipeExpression& target)
    {
        std::optional<RecipeExpression> read;
        LOCKSTEP_TRY(readExpression(key, read));
        if (!read) return missing(key);
        target = std::move(*read);
        return {};
    }

    Status readPattern(std::string_view key, std::optional<Pattern>& target)
    {
        const ConfigValue* value = find(key);
        if (value == nullptr) return {};
        target = LOCKSTEP_TRY(patternFrom(*value));
        return {};
    }

    static Result<RecipeExpression> expressionFrom(const ConfigValue& value, std::string_view key)
    {
        if (!value.isScalar()) return valueError(value, "an expression");
        Result<RecipeExpression> made = RecipeExpression::parse(value.text);
        if (made) return made;
        return makeError(ErrorKind::invalid,
                         locationText(value.place) + ": " + std::string(key) + ": " + made.error().message);
    }

    static Result<Pattern> patternFrom(const ConfigValue& value)
    {
        if (value.kind == ConfigValue::Kind::list || value.kind == ConfigValue::Kind::map)
            return valueError(value, "a pattern");
        Result<Pattern> made = Pattern::compile(value.text);
        if (made) return made;
        return makeError(ErrorKind::invalid, locationText(value.place) + ": " + made.error().message);
    }

    Result<std::vector<Pattern>> patterns(std::string_view key)
    {
        std::vector<Pattern> made;
        const ConfigValue* value = find(key);
        if (value == nullptr) return made;
        if (value->kind != ConfigValue::Kind::list) return valueError(*value, "a list of patterns");
        for (const ConfigValue& item : value->items)
            made.push_back(LOCKSTEP_TRY(patternFrom(item)));
        return made;
    }

    Status missing(std::string_view key) const
    {
        return makeError(ErrorKind::invalid,
                         locationText(m_map.place) + ": '" + std::string(key) + "' is missing");
    }

    Status finish() const
    {
        for (size_t i = 0; i < m_used.size(); ++i) {
            if (m_used[i]) continue;
            return makeError(ErrorKind::invalid, locationText(m_map.items[i].keyLocation) +
                                                     ": unknown key '" + m_map.keys[i] + "'");
        }
        return {};
    }

    const ConfigValue& value() const { return m_map; }

  private:
    const ConfigValue& m_map;
    std::vector<bool> m_used;
};

// Reads each element of the list `key`, or of the map, with read(element, name).
template<class Read>
Status forEachRecipePart(RecipeMap& map, std::string_view key, bool isMap, Read read)
{
    const ConfigValue* value = map.find(key);
    if (value == nullptr) return {};
    const ConfigValue::Kind kind = isMap ? ConfigValue::Kind::map : ConfigValue::Kind::list;
    if (value->kind != kind) {
        const Status wrong = valueError(*value, isMap ? "a map" : "a list");
        return tl::make_unexpected(withContext(wrong.error(), key));
    }
    for (size_t i = 0; i < value->items.size(); ++i) {
        RecipeMap part = LOCKSTEP_TRY(RecipeMap::of(value->items[i], "a map"));
        LOCKSTEP_TRY(read(part, isMap ? value->keys[i] : std::string()));
        LOCKSTEP_TRY(part.finish());
    }
    return {};
}

} // namespace lockstep
