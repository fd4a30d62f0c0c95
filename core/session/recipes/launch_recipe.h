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
#include "core/session/recipes/log_sign.h"

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

// Where a part of a recipe applies.
struct RecipeLimits {
    std::string era;                         // condition on the era, "" = any
    std::vector<std::string> only, excluded; // entry points; empty = any, none
};

// How a setting reaches the framework.
struct RecipeTo {
    enum class Form : uint8_t { override, argument, environment, file, inherit };
    enum class Style : uint8_t { value, equals, flag, list, comma, repeat, json };

    Form form = Form::argument;
    Style style = Style::value;
    std::string name;   // Hydra key, flag, variable, or key in the framework's own
                        // file; {role} and {option}
    std::string prefix; // override: "++", "+" or ""
    RecipeLimits limits;
    std::vector<std::string> plain; // {option}: options that are written without the prefix
    // The written value, if it is not the value of the setting, and the setting for a `value` that is read.
    std::optional<RecipeExpression> write, read;
};
std::span<const std::string_view> enumNames(RecipeTo::Form);
std::span<const std::string_view> enumNames(RecipeTo::Style);

struct LaunchPattern {
    LaunchWord word = LaunchWord::script;
    Pattern pattern;
    std::vector<Pattern> has, lacks; // each matches any word of the command
    std::string entry;
    bool isLoose = false; // suggests the framework, but does not prove that this is the training
};

struct RecipeEra {
    // A file of the checkout, and text in it. All conditions of an era must hold.
    struct File {
        std::string path, contains, lacks;
        std::optional<Pattern> match; // of a part of the file
        bool isAbsent = false;        // the file does not exist
    };
    std::string id;
    std::vector<File> files;
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
    std::vector<RecipeTo> to; // the first that applies; empty: an option of the
                              // setting before the last dot
    RecipeType type = RecipeType::text;
    std::optional<ConfigValue> defaultValue;
    std::vector<std::string> choices;
    std::optional<RecipeExpression> value, when;
    RecipeLimits limits;
    std::string field;              // field of the session that the setting reads and writes;
                                    // default: name
    std::vector<std::string> roles; // of a setting per role; empty = all
    std::string comment;
    std::string formerly; // path of the setting in session files of older versions, e.g. "a.b"
};

// How a variable of a launch that is imported becomes fields of the session, if it is no setting itself.
struct RecipeImport {
    TextLocation place;
    std::string variable;
    Pattern match; // of the whole value; its groups are names in `values`
    std::vector<std::pair<std::string, RecipeExpression>> values; // session fields to their values
    std::string message;                                          // if the value does not fit
    std::string note, remedy;                                     // if it does; "" = none
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
    // nullopt: files that Lockstep cannot open, so that the collector does not expect them.
    std::optional<ReportKind> kind;
    std::optional<RecipeExpression> when;
    RecipeLimits limits;
    std::vector<std::string> roles; // the writer exists once for each; empty: it
                                    // is evaluated without a role
    std::string role, process;
    std::string ranks; // all, none, gated, first_per_cluster, first_per_node, controller, or a name
    std::string folder;
    std::string names;                       // patterns for the file name, one per line
    std::optional<RecipeExpression> count;   // nullopt: known only during the run
    std::optional<RecipeExpression> each;    // files of each rank, instead of count
    std::optional<RecipeExpression> certain; // how many of them the run writes in any case
    std::optional<RecipeExpression> stage;   // whether each file has one stage, not a whole step
    bool isUpperBound = false;
    bool isWholeRun = false; // the files are not of the recorded steps
};

// A role of the session in the framework's settings.
struct RecipeRole {
    std::string role, key;
    std::string copies; // the role whose settings apply where this one has none;
                        // "" = none
    RecipeLimits limits;
};

// A map of settings that the framework's own file lacks. It is written whole if one of its keys is written.
struct RecipeMapKey {
    std::string key;
    RecipeLimits limits;
    std::vector<std::string> roles; // {role} in the key
    std::vector<std::string> like;  // keys of maps from which written values are copied
    ConfigValue with;               // values of every such map
    ConfigValue parts;              // map of tools to the values of their maps inside; null:
                                    // the map is one tool's
};

struct RecipeRule {
    TextLocation place;
    std::string id;
    Severity severity = Severity::warning;
    std::vector<std::string> roles; // the rule is checked for each; {role} in its
                                    // texts. Empty: without a role
    std::string field;
    RecipeExpression when;
    std::string message, remedy;
    std::vector<std::pair<std::string, RecipeExpression>> fixes; // session fields or settings to their values
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
    std::vector<RecipeSetting> roleSettings; // by their name below roles.ROLE
    std::vector<RecipeSetting> off;          // written instead of the settings for Lockstep's own capture
    std::vector<RecipeRole> roles;
    std::vector<RecipeMapKey> maps;
    std::vector<RecipeTo> workers;
    NsightOptions nsysOptions;
    bool startsNsys = false; // the recipe has options for nsys, so Lockstep starts it around the command
    std::vector<RecipeNeed> needs;
    std::vector<RecipeWriter> writers;
    std::vector<RecipeRule> rules; // rules, then silent cases
    std::vector<RecipeFailure> failures;
    std::vector<LogSign> logSigns;
    std::vector<RecipeImport> imports;
    std::vector<std::string> search;            // further folders with reports
    std::vector<std::string> unsets;            // variables that the framework unsets for its torch profiler
    std::vector<std::string> configurationKeys; // top-level keys of the framework's own YAML file
    // The command of such a file with this key and without the others.
    struct FileCommand {
        std::string has;
        std::vector<std::string> lacks, command;
    };
    std::vector<FileCommand> fileCommands;
    std::string stepsHint;            // how steps are written, for the form
    int64_t firstStep = 0;            // number of the first step of a run
    std::string entry;                // entry point of a command that no pattern matches; "" = unknown
    std::string version;              // file of the checkout with the version
    std::optional<Pattern> profiling; // keys of overrides that concern profiling, also unknown ones
    std::optional<Pattern> starters;  // keys of overrides that start a profiler
    std::optional<RecipeExpression> impliedTool; // tool of an imported launch that does not name one

    const RecipeVariable* findVariable(std::string_view variable) const;
    const RecipeSetting* findSetting(std::string_view setting) const;
    const RecipeSetting* findRoleSetting(std::string_view setting) const;
    // Returns the index of the era, or nullopt.
    std::optional<size_t> eraIndex(std::string_view id) const;
    bool applies(const RecipeLimits& limits, size_t era, std::string_view entryPoint) const;
    // Returns the first of the destinations that applies, or nullptr.
    const RecipeTo* destination(const std::vector<RecipeTo>& to, size_t era,
                                std::string_view entryPoint) const;
    // Returns the role's block in the settings, or nullptr.
    const RecipeRole* findRole(std::string_view role, size_t era, std::string_view entryPoint) const;
    // Returns whether the condition on the era ("head", ">=0.8", "0.6..0.7.0", "" = any) includes an era.
    // Eras are counted from 0, the newest.
    bool includesEra(std::string_view condition, size_t era) const;
};

// Reads a recipe. `file` is used in messages. Errors: invalid, with file, line and column, for text that is
// not YAML, an unknown key, a missing key, a value of the wrong type, a pattern or expression that cannot be
// read, a name that is not defined, and a name that depends on itself.
Result<LaunchRecipe> readRecipe(std::string_view text, std::string_view file);

} // namespace lockstep
