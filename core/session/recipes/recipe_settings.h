// SPDX-License-Identifier: Apache-2.0
// The settings of a recipe with their spelling in one era and for one entry point: which keys the framework
// reads, what a plan writes, and how keys of a launch become fields of the session again. Pure. Thread: any.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/host_facts.h"
#include "core/session/recipes/launch_recipe.h"
#include "core/session/recipes/recipe.h"

namespace lockstep {

// A setting, or a setting of one role, with its key.
struct SpelledSetting {
    const RecipeSetting* setting = nullptr;
    const RecipeTo* to = nullptr;
    std::string key;   // with the role's key; "{option}" remains
    std::string field; // path of the session's field, e.g. "roles.actor.ranks",
                       // or name of the setting
    std::string role;  // "" = not of a role

    bool isOptionMap() const { return key.ends_with("{option}"); }
    // Returns the key without "{option}".
    std::string_view prefix() const { return std::string_view(key).substr(0, key.size() - 8); }
};

// Returns the settings that exist in the era for the entry point, in the order in which they are written:
// those of the session, of the roles, and the options of nsys.
std::vector<SpelledSetting> spelledSettings(const LaunchRecipe& recipe, size_t era, std::string_view entry);

// Adds the settings of the session to a command.
void addRecipeSettings(const LaunchRecipe& recipe, const RecipeInput& input, RecipeProgram& made);
// Returns the value that the plan adds for an option of nsys that the session does not set, or nullopt.
std::optional<std::string> computedNsysOption(const SessionConfig& config, size_t era,
                                              std::string_view option);

// Returns whether the framework reads an override with this key.
bool isKeyRead(const LaunchRecipe& recipe, size_t era, std::string_view entry, std::string_view key);
// Returns the setting with this key, or nullopt. The options of a map have the key of the map.
std::optional<SpelledSetting> settingOfKey(const LaunchRecipe& recipe, size_t era, std::string_view entry,
                                           std::string_view key);
// Returns a sentence about a profiling key that this era does not read. It states the eras that read the key,
// otherwise the most similar key.
std::string unreadKeyReason(const LaunchRecipe& recipe, size_t era, std::string_view entry,
                            std::string_view key);
// Returns the era that reads the most of these keys, or nullopt if none reads more of them than the newest.
std::optional<size_t> eraOfKeys(const LaunchRecipe& recipe, std::string_view entry,
                                std::span<const std::string> keys);
// Returns whether the key concerns profiling, even if nothing reads it.
bool isProfilingKey(const LaunchRecipe& recipe, std::string_view key);

// Sets the session's field from the value of a key. Returns false if the era does not have the key. Errors:
// invalid if the value is not valid for the key; in that case the session is unchanged.
Result<bool> importKey(SessionConfig& config, const LaunchRecipe& recipe, size_t era, std::string_view key,
                       const ConfigValue& value);
// Completes an import. Drops values that are equal to a default of the session, and moves settings that all
// enabled roles have in common to the session.
void normalizeImport(SessionConfig& config, const LaunchRecipe& recipe, size_t era);

// Returns the era of a checkout. fileText returns the content of a file, nullopt if there is none.
std::optional<size_t>
eraOfCheckout(const LaunchRecipe& recipe,
              const std::function<std::optional<std::string>(const std::string& path)>& fileText);
// Returns the session's era, otherwise that of the first host's checkout, otherwise the newest.
size_t eraOf(const SessionConfig& config, std::span<const HostFacts> facts);
// Returns the name of an era of the session's framework, "" if it has none.
std::string eraName(const SessionConfig& config, size_t era);

// If no field sets the tool, returns the last argument or variable that starts a profiler, as written, e.g.
// "++a.profiler.tool=torch". Otherwise returns nullopt.
std::optional<std::string> toolFromArguments(const SessionConfig& config);

// Returns whether the session's framework has a setting for the field in this era; true if it has no recipe.
bool hasRecipeField(const SessionConfig& config, size_t era, std::string_view field);
// Returns whether the framework has settings per role.
bool hasRoles(const SessionConfig& config);
// Returns the role whose settings apply where this one has none, or nullopt.
std::optional<Role> copiedRole(const SessionConfig& config, size_t era, Role role);

} // namespace lockstep
