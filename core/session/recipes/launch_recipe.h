// SPDX-License-Identifier: Apache-2.0
// LaunchRecipe: one training framework as data, read from a YAML file in resources/recipes or in the user's
// configuration folder. resources/help/recipes.md documents the file. Immutable after reading. Thread: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/pattern.h"
#include "core/session/config_value.h"
#include "core/session/expected_files.h"
#include "core/session/finding.h"
#include "core/session/recipes/expression.h"

namespace lockstep {

enum class RecipeCluster : uint8_t { ray, torchrun, none };
enum class RecipeType : uint8_t {
    integer,
    boolean,
    flag, // present or absent on the command line
    text,
    path,
    integers,
    texts,
    textMap,
    integerMap
};
enum class LaunchWord : uint8_t { module, script, program };

std::span<const std::string_view> enumNames(RecipeCluster);
std::span<const std::string_view> enumNames(RecipeType);
std::span<const std::string_view> enumNames(LaunchWord);

// How a setting reaches the framework.
struct RecipeTo {
    enum class Form : uint8_t { override, argument, environment, file };
    enum class Style : uint8_t { value, equals, flag, list, comma, repeat, json };

    Form form = Form::argument;
    Style style = Style::value;
    std::string name;   // Hydra key, flag, variable, or key in the framework's own file
    std::string prefix; // override: "++", "+" or ""
};
std::span<const std::string_view> enumNames(RecipeTo::Form);
std::span<const std::string_view> enumNames(RecipeTo::Style);

struct LaunchPattern {
    LaunchWord word = LaunchWord::script;
    Pattern pattern;
    std::vector<Pattern> has, lacks; // each matches any word of the command
    std::string entry;
};

struct RecipeEra {
    std::string id;
    std::string path, contains, lacks; // file of the checkout, and text in it
};

struct RecipeVariable {
    enum class Source : uint8_t { key, argument, environment, ask, expression };

    TextLocation place;
    std::string name;
    Source source = Source::key;
    std::vector<std::string> keys; // Hydra keys, flags, variables, or the label in the form
    RecipeExpression expression;
    RecipeType type = RecipeType::text;
    std::optional<ConfigValue> defaultValue;
    std::string era;
};

struct RecipeSetting {
    TextLocation place;
    std::string name;
    RecipeTo to;
    RecipeType type = RecipeType::text;
    std::optional<ConfigValue> defaultValue;
    std::vector<std::string> choices;
    std::optional<RecipeExpression> value, when;
    bool isPerRole = false;
    std::string era;
    std::string comment;
};

struct RecipeNeed {
    enum class Kind : uint8_t { module, program, env, path };

    TextLocation place;
    RecipeExpression when;
    Kind kind = Kind::program;
    std::string name;
    std::string message, remedy;
};

struct RecipeWriter {
    TextLocation place;
    std::string id;
    // nullopt: files with samples, which are no reports and are not expected by the collector.
    std::optional<ReportKind> kind;
    std::optional<RecipeExpression> when;
    std::string era;
    std::string role, process;
    std::string ranks; // all, gated, first_per_cluster, first_per_node, controller, or a name
    std::string folder;
    std::string names;                     // patterns for the file name, one per line
    std::optional<RecipeExpression> count; // nullopt: known only during the run
    bool isUpperBound = false;
};

struct RecipeRule {
    TextLocation place;
    std::string id;
    Severity severity = Severity::warning;
    std::string field;
    RecipeExpression when;
    std::string message, remedy;
    std::vector<std::pair<std::string, RecipeExpression>> fixes; // session fields or settings to their values
};

struct RecipeFailure {
    TextLocation place;
    std::string id;
    Pattern log;
    std::string era;
    std::string message, remedy;
};

struct LaunchRecipe {
    std::string file; // for messages
    std::string text; // content of the file; only for recipes of the user
    std::string name, label, help;
    bool runsOnEveryHost = false;
    RecipeCluster cluster = RecipeCluster::none;
    std::vector<Tool> tools;
    std::vector<std::string> command; // example
    std::vector<LaunchPattern> patterns;
    std::vector<RecipeEra> eras;
    std::vector<RecipeVariable> variables;
    std::vector<RecipeSetting> settings;
    std::vector<std::pair<std::string, std::string>> roles; // role of the session to its key
    std::optional<RecipeTo> workers;
    NsightOptions nsysOptions;
    bool startsNsys = false; // the recipe has options for nsys, so Lockstep starts it around the command
    std::vector<RecipeNeed> needs;
    std::vector<RecipeWriter> writers;
    std::vector<RecipeRule> rules; // rules, then silent cases
    std::vector<RecipeFailure> failures;

    const RecipeVariable* findVariable(std::string_view variable) const;
    const RecipeSetting* findSetting(std::string_view setting) const;
    // Returns whether the condition on the era ("head", ">=0.8", "0.6..0.7.0", "" = any) includes an era.
    // Eras are counted from 0, the newest.
    bool includesEra(std::string_view condition, size_t era) const;
};

// Reads a recipe. `file` is used in messages. Errors: invalid, with file, line and column, for text that is
// not YAML, an unknown key, a missing key, a value of the wrong type, a pattern or expression that cannot be
// read, a name that is not defined, and a name that depends on itself.
Result<LaunchRecipe> readRecipe(std::string_view text, std::string_view file);

} // namespace lockstep
