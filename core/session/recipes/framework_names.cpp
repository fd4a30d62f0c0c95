// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipes/framework_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <set>

#include "core/base/text.h"
#include "core/session/recipes/recipe_library.h"
#include "core/session/recipes/recipe_map.h"
#include "core/session/yaml_tree.h"

namespace lockstep {

namespace {

// first_step is followed by last_step, or by end_step, the step after the last. `rest` is the name that
// another tool gave the file; it is read as the name of such a file.
constexpr std::array<std::string_view, 13> kFileNameGroups{
    "rank",     "world", "replica", "replica_rank", "step",  "first_step", "last_step",
    "end_step", "pid",   "capture", "role",         "stage", "rest"};
constexpr std::array<std::string_view, 2> kFolderGroups{"replica", "role"};

// Returns the first group of the pattern that is none of `known`; empty if there is none.
std::string_view unknownGroup(std::string_view expression, std::span<const std::string_view> known)
{
    constexpr std::string_view kBegin = "(?<";
    for (size_t at = expression.find(kBegin); at != std::string_view::npos;
         at = expression.find(kBegin, at + 1)) {
        const std::string_view rest = expression.substr(at + kBegin.size());
        const std::string_view name = rest.substr(0, rest.find('>'));
        if (std::ranges::find(known, name) == known.end()) return name;
    }
    return {};
}

Result<Pattern> namePattern(RecipeMap& map, std::string_view key, std::span<const std::string_view> groups)
{
    const ConfigValue* value = map.find(key);
    if (value == nullptr) return tl::make_unexpected(map.missing(key).error());
    Pattern pattern = LOCKSTEP_TRY(RecipeMap::patternFrom(*value));
    if (const std::string_view group = unknownGroup(pattern.expression(), groups); !group.empty()) {
        return makeError(ErrorKind::invalid, locationText(value->place) + ": the group '" +
                                                 std::string(group) + "' must be " + choiceText(groups));
    }
    return pattern;
}

Result<FileNameScheme> fileNameFrom(RecipeMap& map)
{
    FileNameScheme made;
    std::string scheme;
    LOCKSTEP_TRY(map.require("scheme", scheme));
    made.source = "file name (" + scheme + ")";
    LOCKSTEP_TRY(map.require("example", made.example));
    made.pattern = LOCKSTEP_TRY(namePattern(map, "name", kFileNameGroups));
    LOCKSTEP_TRY(map.read("tool", made.tool));
    LOCKSTEP_TRY(map.read("role", made.role));
    if (made.pattern.fullMatch(made.example)) return made;
    return valueError(*map.find("example"), "a name that the pattern matches");
}

Result<FolderNameScheme> folderNameFrom(RecipeMap& map)
{
    FolderNameScheme made;
    made.pattern = LOCKSTEP_TRY(namePattern(map, "name", kFolderGroups));
    LOCKSTEP_TRY(map.read("role", made.role));
    LOCKSTEP_TRY(map.read("stage", made.isStage));
    LOCKSTEP_TRY(map.read("anywhere", made.isAnywhere));
    return made;
}

Status readRangeNames(RecipeMap& map, std::vector<std::string>& names)
{
    LOCKSTEP_TRY(map.require("names", names));
    for (const std::string& name : names) {
        if (name == lowerAscii(name)) continue;
        return valueError(*map.find("names"), "in lower case: ranges are compared without regard to case");
    }
    return {};
}

Result<RangeNames> rangeNamesFrom(RecipeMap& map)
{
    RangeNames made;
    LOCKSTEP_TRY(readRangeNames(map, made.names));
    LOCKSTEP_TRY(map.read("phase", made.phase));
    LOCKSTEP_TRY(map.read("in", made.in));
    LOCKSTEP_TRY(map.read("role", made.role));
    LOCKSTEP_TRY(map.read("records", made.isRecord));
    return made;
}

Result<StepTimerNames> timerNamesFrom(RecipeMap& map)
{
    constexpr std::array<std::string_view, 1> kGroups{"name"};
    StepTimerNames made;
    made.values = LOCKSTEP_TRY(namePattern(map, "values", kGroups));
    LOCKSTEP_TRY(map.require("step", made.step));
    LOCKSTEP_TRY(map.read("inside", made.inside));
    LOCKSTEP_TRY(map.read("concurrent", made.concurrent));
    LOCKSTEP_TRY(map.read("staleness", made.staleness));
    return made;
}

template<class T>
void append(std::vector<T>& target, const std::vector<T>& more)
{
    target.insert(target.end(), more.begin(), more.end());
}

} // namespace

// Reads only two keys of each recipe: every program that opens a report waits for this. launchRecipes()
// reports what is wrong in a recipe.
const FrameworkNames& frameworkNames()
{
    static const FrameworkNames kNames = [] {
        FrameworkNames all;
        std::set<std::string> seen;
        for (const RecipeText& recipe : recipeTexts()) {
            const auto name = readYamlKey(recipe.text, "name"), section = readYamlKey(recipe.text, "names");
            if (!name || !seen.insert(name->text).second) continue;
            if (!section || section->kind == ConfigValue::Kind::null) continue;
            const auto names = frameworkNamesFrom(*section);
            if (!names) continue;
            append(all.files, names->files);
            append(all.folders, names->folders);
            append(all.ranges, names->ranges);
            append(all.timers, names->timers);
            append(all.steps, names->steps);
            append(all.stepBegins, names->stepBegins);
            append(all.weightParts, names->weightParts);
            append(all.bufferWaits, names->bufferWaits);
            append(all.controller, names->controller);
            append(all.roles, names->roles);
            append(all.workers, names->workers);
        }
        return all;
    }();
    return kNames;
}

Result<FrameworkNames> frameworkNamesFrom(const ConfigValue& section)
{
    RecipeMap map = LOCKSTEP_TRY(RecipeMap::of(section, "a map"));
    FrameworkNames made;
    LOCKSTEP_TRY(forEachRecipePart(map, "files", false, [&](RecipeMap& part, const auto&) -> Status {
        made.files.push_back(LOCKSTEP_TRY(fileNameFrom(part)));
        return {};
    }));
    LOCKSTEP_TRY(forEachRecipePart(map, "folders", false, [&](RecipeMap& part, const auto&) -> Status {
        made.folders.push_back(LOCKSTEP_TRY(folderNameFrom(part)));
        return {};
    }));
    LOCKSTEP_TRY(forEachRecipePart(map, "ranges", false, [&](RecipeMap& part, const auto&) -> Status {
        made.ranges.push_back(LOCKSTEP_TRY(rangeNamesFrom(part)));
        return {};
    }));
    LOCKSTEP_TRY(forEachRecipePart(map, "timers", false, [&](RecipeMap& part, const auto&) -> Status {
        made.timers.push_back(LOCKSTEP_TRY(timerNamesFrom(part)));
        return {};
    }));
    LOCKSTEP_TRY(forEachRecipePart(map, "weight_parts", false, [&](RecipeMap& part, const auto&) -> Status {
        WeightPartNames names;
        LOCKSTEP_TRY(part.require("part", names.part));
        LOCKSTEP_TRY(readRangeNames(part, names.names));
        made.weightParts.push_back(std::move(names));
        return {};
    }));
    LOCKSTEP_TRY(map.read("steps", made.steps));
    LOCKSTEP_TRY(map.read("step_begins", made.stepBegins));
    LOCKSTEP_TRY(map.read("buffer_wait", made.bufferWaits));
    LOCKSTEP_TRY(map.read("controller", made.controller));
    LOCKSTEP_TRY(map.read("roles", made.roles));
    LOCKSTEP_TRY(map.read("workers", made.workers));
    LOCKSTEP_TRY(map.finish());
    return made;
}

Result<Pattern> compileWildcards(std::string_view name)
{
    std::string expression;
    for (const char c : name) {
        if (c == '*') {
            expression += ".*";
        } else {
            if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') expression += '\\';
            expression += c;
        }
    }
    return Pattern::compile(expression);
}

} // namespace lockstep
