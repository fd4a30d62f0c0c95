// SPDX-License-Identifier: Apache-2.0
// SessionScope gives the values of the names in a recipe's expressions for one session: variables and
// settings of the recipe, fields of the session, and the names that every recipe has. A value comes from the
// first of these that has it: the user's setting, the setting's own expression, the command, the default.
// Values are computed when asked for, and kept. Not thread-safe; create one where it is needed.
#pragma once

#include <map>

#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"

namespace lockstep {

class SessionScope final : public RecipeScope {
  public:
    // The recipe, the session and the hosts must outlive the scope.
    SessionScope(const LaunchRecipe& recipe, const RecipeInput& input);

    RecipeValue value(std::string_view name) const override;
    bool isSet(std::string_view name) const override;
    RecipeValue isEra(std::string_view condition) const override;

    bool isTrue(const std::optional<RecipeExpression>& condition) const;
    bool isTrue(const RecipeExpression& condition) const { return condition.evaluate(*this).isTrue(); }
    bool hasEra(std::string_view condition) const { return m_recipe.includesEra(condition, m_era); }

    // Returns what the user sets for a setting, below `settings:` or in the field of that name; null if
    // nothing.
    ConfigValue userValue(const RecipeSetting& setting) const;
    // Returns the value that the plan writes: the user's, otherwise that of the setting's expression.
    // nullopt: nothing is written.
    std::optional<ConfigValue> writtenSetting(const RecipeSetting& setting) const;
    // Returns the text with each {NAME} replaced by its value, or by `unknown` if the value is not known.
    std::string expanded(std::string_view text, std::string_view unknown) const;

  private:
    RecipeValue compute(std::string_view name) const;
    RecipeValue builtIn(std::string_view name) const;
    RecipeValue variableValue(const RecipeVariable& variable) const;
    RecipeValue settingValue(const RecipeSetting& setting) const;
    RecipeValue recordedRanks() const;
    RecipeValue worldSize() const;
    // Returns the number that torchrun is given; nullopt if the GPUs of each host decide.
    std::optional<int64_t> processesPerHost() const;

    const LaunchRecipe& m_recipe;
    const RecipeInput& m_input;
    size_t m_era = 0;
    mutable std::map<std::string, RecipeValue, std::less<>> m_known;
};

// Returns the value that a command gives to a setting or variable, or nullopt. `environment` is used for
// variables of the environment.
std::optional<ConfigValue> valueInCommand(const RecipeTo& to, RecipeType type,
                                          std::span<const std::string> command, const TextPairs& environment);
// Converts the spelling of a value in a command to its type; nullopt if it is not of that type.
std::optional<ConfigValue> typedRecipeValue(RecipeType type, std::string_view text);

} // namespace lockstep
