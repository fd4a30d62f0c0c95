// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/recipe_names.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/session/session_fields.h"

namespace lockstep {

std::span<const std::string_view> builtInRecipeNames()
{
    static constexpr std::array<std::string_view, 20> kNames{
        "version", "range_limit", "tool",       "steps",         "continuous",     "discrete", "roles",
        "ranks",   "all_ranks",   "hosts",      "gpus_per_host", "world",          "entry",    "gated",
        "windows", "total_steps", "first_step", "launcher",      "working_folder", "save_path"};
    return kNames;
}

namespace {

class RecipeNames {
  public:
    explicit RecipeNames(const LaunchRecipe& recipe) : m_recipe(recipe) {}

    Status check()
    {
        for (const RecipeVariable& one : m_recipe.variables) {
            m_place = one.place;
            LOCKSTEP_TRY(checkEra(one.era));
            if (m_recipe.findSetting(one.name) != nullptr)
                return fail(one.name, "is a variable and a setting");
            LOCKSTEP_TRY(checkExpression(one.expression));
            LOCKSTEP_TRY(checkCycle(one.name));
        }
        for (const RecipeSetting& one : m_recipe.settings) {
            LOCKSTEP_TRY(checkSetting(one));
            LOCKSTEP_TRY(checkCycle(one.name));
        }
        for (const auto* list : {&m_recipe.roleSettings, &m_recipe.off}) {
            for (const RecipeSetting& one : *list)
                LOCKSTEP_TRY(checkSetting(one));
        }
        for (const RecipeNeed& one : m_recipe.needs) {
            m_place = one.place;
            LOCKSTEP_TRY(checkExpression(one.when));
            LOCKSTEP_TRY(checkTemplate(one.name, {}));
        }
        for (const RecipeFailure& one : m_recipe.failures) {
            m_place = one.place;
            LOCKSTEP_TRY(checkEra(one.era));
        }
        LOCKSTEP_TRY(checkWriters());
        LOCKSTEP_TRY(checkImports());
        return checkRules();
    }

  private:
    Status checkSetting(const RecipeSetting& one)
    {
        m_place = one.place;
        LOCKSTEP_TRY(checkEra(one.limits.era));
        if (one.value) LOCKSTEP_TRY(checkExpression(*one.value));
        if (one.when) LOCKSTEP_TRY(checkExpression(*one.when));
        for (const RecipeTo& to : one.to) {
            LOCKSTEP_TRY(checkEra(to.limits.era));
            for (const std::optional<RecipeExpression>* expression : {&to.write, &to.read}) {
                for (const std::string& name :
                     *expression ? (*expression)->names() : std::vector<std::string>()) {
                    if (name != "value" && !isDefined(name)) return fail(name, "is not defined");
                }
            }
        }
        return {};
    }

    static constexpr std::array<std::string_view, 6> kRanks{
        "all", "none", "gated", "first_per_cluster", "first_per_node", "controller"};
    static constexpr std::array<std::string_view, 6> kParts{"step",    "stage", "role",
                                                            "replica", "rank",  "any"};

    Status checkWriters()
    {
        for (const RecipeWriter& one : m_recipe.writers) {
            m_place = one.place;
            LOCKSTEP_TRY(checkEra(one.limits.era));
            for (const auto* expression : {&one.when, &one.count, &one.each, &one.certain, &one.stage}) {
                if (*expression) LOCKSTEP_TRY(checkExpression(**expression));
            }
            LOCKSTEP_TRY(checkTemplate(one.folder, kParts));
            const bool isKnown = std::ranges::find(kRanks, one.ranks) != kRanks.end() || isDefined(one.ranks);
            if (!isKnown) return fail(one.ranks, "is not defined");
        }
        return {};
    }

    Status checkImports()
    {
        for (const RecipeImport& one : m_recipe.imports) {
            m_place = one.place;
            for (const auto& [field, value] : one.values) {
                if (!isField(field)) return fail(field, "is not a field or a setting");
                for (const std::string& name : value.names()) {
                    const bool isGroup = one.match.expression().find("(?<" + name + ">") != std::string::npos;
                    if (!isGroup && name != "value" && !isDefined(name)) return fail(name, "is not defined");
                }
            }
        }
        return {};
    }

    Status checkRules()
    {
        for (const RecipeRule& one : m_recipe.rules) {
            m_place = one.place;
            LOCKSTEP_TRY(checkExpression(one.when));
            LOCKSTEP_TRY(checkTemplate(one.message, {}));
            LOCKSTEP_TRY(checkTemplate(one.remedy, {}));
            if (!one.field.empty() && !isField(withRole(one.field)))
                return fail(one.field, "is not a field or a setting");
            for (const auto& [field, value] : one.fixes) {
                if (!isField(withRole(field))) return fail(field, "is not a field or a setting");
                LOCKSTEP_TRY(checkExpression(value));
            }
        }
        return {};
    }

    Status fail(std::string_view name, std::string_view what) const
    {
        return makeError(ErrorKind::invalid,
                         locationText(m_place) + ": '" + std::string(name) + "' " + std::string(what));
    }

    // Returns the field of one role for "roles.{role}.NAME" and "role.NAME".
    static std::string withRole(std::string name)
    {
        if (name.starts_with("role.")) return "roles.actor" + name.substr(4);
        if (const size_t at = name.find("{role}"); at != std::string::npos) name.replace(at, 6, "actor");
        return name;
    }

    bool isField(std::string_view name) const
    {
        const auto isInside = [&](const SessionField& field) {
            return field.path.starts_with(name) && field.path.size() > name.size() &&
                   field.path[name.size()] == '.';
        };
        return findSessionField(name) != nullptr || m_recipe.findSetting(name) != nullptr ||
               m_recipe.findVariable(name) != nullptr || name.starts_with("nsys.worker_options.") ||
               std::ranges::any_of(sessionFields(), isInside);
    }

    bool isDefined(std::string_view name) const
    {
        if (!m_recipe.roles.empty() && name == "role") return true;
        if (!m_recipe.roles.empty() && name.starts_with("role.")) return isField(withRole(std::string(name)));
        return std::ranges::find(builtInRecipeNames(), name) != builtInRecipeNames().end() ||
               name.starts_with("env.") || isField(name);
    }

    Status checkEra(std::string_view condition) const
    {
        std::string_view rest = condition;
        if (rest.starts_with(">=") || rest.starts_with("<=")) rest.remove_prefix(2);
        while (!rest.empty()) {
            const size_t dots = rest.find("..");
            const std::string_view id = rest.substr(0, dots);
            if (std::ranges::find(m_recipe.eras, id, &RecipeEra::id) == m_recipe.eras.end())
                return fail(id, "is not an era");
            rest = dots == std::string_view::npos ? std::string_view() : rest.substr(dots + 2);
        }
        return {};
    }

    Status checkExpression(const RecipeExpression& expression) const
    {
        for (const std::string& name : expression.names()) {
            if (!isDefined(name)) return fail(name, "is not defined");
        }
        for (const std::string& era : expression.eras())
            LOCKSTEP_TRY(checkEra(era));
        return {};
    }

    Status checkTemplate(std::string_view text, std::span<const std::string_view> others) const
    {
        for (size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
            const size_t end = text.find('}', at);
            if (end == std::string_view::npos) return fail(text, "has '{' without '}'");
            const std::string_view name = text.substr(at + 1, end - at - 1);
            if (!isDefined(name) && std::ranges::find(others, name) == others.end())
                return fail(name, "is not defined");
        }
        return {};
    }

    Status checkCycle(const std::string& name)
    {
        std::set<std::string, std::less<>> path;
        return visit(name, path);
    }

    // Visits what a name depends on. `path` contains the names on the way, so its size limits the depth.
    Status visit(const std::string& name, std::set<std::string, std::less<>>& path)
    {
        if (m_done.contains(name)) return {};
        if (!path.insert(name).second) return fail(name, "depends on itself");
        std::vector<const RecipeExpression*> expressions;
        if (const RecipeVariable* variable = m_recipe.findVariable(name))
            expressions.push_back(&variable->expression);
        if (const RecipeSetting* setting = m_recipe.findSetting(name)) {
            if (setting->value) expressions.push_back(&*setting->value);
            if (setting->when) expressions.push_back(&*setting->when);
        }
        for (const RecipeExpression* expression : expressions) {
            for (const std::string& used : expression->names()) {
                // A setting or variable that is named like a field of the session may use the field itself.
                const bool isField =
                    findSessionField(used) != nullptr ||
                    std::ranges::find(builtInRecipeNames(), used) != builtInRecipeNames().end();
                if (used != name || !isField) LOCKSTEP_TRY(visit(used, path));
            }
        }
        path.erase(name);
        m_done.insert(name);
        return {};
    }

    const LaunchRecipe& m_recipe;
    TextLocation m_place; // of the part that is being checked
    std::set<std::string, std::less<>> m_done;
};

} // namespace

Status checkRecipeNames(const LaunchRecipe& recipe)
{
    return RecipeNames(recipe).check();
}

} // namespace lockstep
