// SPDX-License-Identifier: Apache-2.0
// SessionScope gives the values of the names in a recipe's expressions for one session: variables and
// settings of the recipe, fields of the session, and the names that every recipe has. A value comes from the
// first of these that has it: the user's setting, the setting's own expression, the command, the default.
// Values are computed when asked for, and kept. Not thread-safe; create one where it is needed.
#pragma once

#include <map>
#include <span>
#include <string>

#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"

namespace lockstep {

class SessionScope final : public RecipeScope {
  public:
    // The recipe, the session and the hosts must outlive the scope.
    SessionScope(const LaunchRecipe& recipe, const RecipeInput& input);
    // The scope of one role, in which `role.NAME` is its setting. `session` must outlive it; see forRole().
    SessionScope(const SessionScope& session, std::string role);

    RecipeValue value(std::string_view name) const override;
    bool isSet(std::string_view name) const override;
    RecipeValue isEra(std::string_view condition) const override;
    std::vector<std::string> roleNames() const override;
    const SessionScope* forRole(std::string_view role) const override;

    bool isTrue(const std::optional<RecipeExpression>& condition) const;
    bool isTrue(const RecipeExpression& condition) const { return condition.evaluate(*this).isTrue(); }
    bool hasEra(std::string_view condition) const { return m_recipe.includesEra(condition, m_input.era); }
    bool applies(const RecipeLimits& limits) const { return m_recipe.applies(limits, m_input.era, m_entry); }
    // Returns how the setting is written here, or nullptr if it does not exist in this era or entry point.
    const RecipeTo* destination(const RecipeSetting& setting) const;
    // Returns the entry point of the command, "" = unknown.
    const std::string& entry() const { return m_entry; }

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
    // Returns the value that the command or the environment gives to a setting.
    std::optional<ConfigValue> valueInLaunch(const RecipeSetting& setting) const;
    // Returns the value from the session's settings or from the command.
    std::optional<ConfigValue> statedValue(const RecipeVariable& variable) const;
    RecipeValue settingValue(const RecipeSetting& setting) const;
    RecipeValue recordedRanks() const;
    RecipeValue worldSize() const;
    // Returns the number that torchrun is given; nullopt if the GPUs of each host decide.
    std::optional<int64_t> processesPerHost() const;

    const LaunchRecipe& m_recipe;
    const RecipeInput& m_input;
    const SessionScope* m_session = nullptr; // of a role's scope
    std::string m_role, m_entry;
    mutable std::map<std::string, RecipeValue, std::less<>> m_known;
    mutable std::map<std::string, SessionScope, std::less<>> m_roles;
};

// Returns the entry point of a command, "" = unknown.
std::string entryOfCommand(const LaunchRecipe& recipe, std::span<const std::string> command);

// Returns the value that a command gives to a setting or variable, or nullopt. `environment` is used for
// variables of the environment.
std::optional<ConfigValue> valueInCommand(const RecipeTo& to, RecipeType type,
                                          std::span<const std::string> command, const TextPairs& environment);
// Converts the spelling of a value in a command to its type; nullopt if it is not of that type.
std::optional<ConfigValue> typedRecipeValue(RecipeType type, std::string_view text);

} // namespace lockstep
