// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/log_sign.h"

#include <array>

#include "core/session/recipes/recipe_map.h"

namespace lockstep {

std::span<const std::string_view> enumNames(LogSign::Kind)
{
    static constexpr std::array<std::string_view, 6> kWords{"step",   "step_begins", "step_ends",
                                                            "timing", "controller",  "worker"};
    return kWords;
}

Result<LogSign> logSignFrom(RecipeMap& map)
{
    static constexpr std::array<std::pair<LogSign::Kind, std::string_view>, 8> kGroups{{
        {LogSign::Kind::step, "step"},
        {LogSign::Kind::stepBegins, "step"},
        {LogSign::Kind::stepEnds, "step"},
        {LogSign::Kind::timing, "name"},
        {LogSign::Kind::timing, "seconds"},
        {LogSign::Kind::controller, "host"},
        {LogSign::Kind::controller, "pid"},
        {LogSign::Kind::worker, "name"},
    }};
    const ConfigValue& value = map.value();
    const auto kind = value.keys.size() == 1 ? enumFromWord<LogSign::Kind>(value.keys[0]) : std::nullopt;
    if (!kind) return valueError(value, "a map with " + choiceText(enumNames(LogSign::Kind{})));
    const ConfigValue& text = *map.find(value.keys[0]);
    LogSign made{*kind, LOCKSTEP_TRY(RecipeMap::patternFrom(text))};
    for (const auto& [of, group] : kGroups) {
        const bool isMissing =
            made.pattern.expression().find("(?<" + std::string(group) + ">") == std::string::npos;
        if (of == *kind && isMissing)
            return valueError(text, "a pattern with the group " + std::string(group));
    }
    return made;
}

Result<RecipeFailure> failureFrom(RecipeMap& map)
{
    RecipeFailure made;
    made.place = map.value().place;
    LOCKSTEP_TRY(map.require("id", made.id));
    const ConfigValue* log = map.find("log");
    if (log == nullptr) return tl::make_unexpected(map.missing("log").error());
    made.log = LOCKSTEP_TRY(RecipeMap::patternFrom(*log));
    LOCKSTEP_TRY(map.read("era", made.era));
    LOCKSTEP_TRY(map.require("message", made.message));
    LOCKSTEP_TRY(map.read("remedy", made.remedy));
    return made;
}

} // namespace lockstep
