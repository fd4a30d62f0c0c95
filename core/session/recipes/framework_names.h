// SPDX-License-Identifier: Apache-2.0
// FrameworkNames: how the frameworks name their report files, the folders around them, and the ranges inside:
// the section `names` of all recipes. This is all that readers and analyses know about frameworks. Immutable
// after reading. Thread: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/pattern.h"
#include "core/base/result.h"
#include "core/base/rl_phase.h"

namespace lockstep {

struct ConfigValue;

// One way to name report files. The pattern matches the whole file name without the endings of its format
// (.gz, .json, .nsys-rep, ...). Its groups state the identity; see resources/help/recipes.md.
struct FileNameScheme {
    std::string source;  // as in Sourced::source: "file name (SCHEME)"
    std::string example; // a name that matches
    Pattern pattern;
    std::string tool, role; // of all these files; "" = not known
};

// One way to name folders. The pattern matches the whole of "PARENT/FOLDER". Groups: replica and role.
struct FolderNameScheme {
    Pattern pattern;
    std::string role;        // of the files in the folder; "" = not known
    bool isStage = false;    // the folder is named like a stage of the step
    bool isAnywhere = false; // not only the two folders that are nearest to the file
};

struct RangeNames {
    std::vector<std::string> names; // in lower case; '*' stands for any text
    std::optional<RlPhase> phase;   // nullopt: none
    std::string in;                 // applies only in a process with this role; "" = any
    std::string role;               // such a range is a stage of workers with this role; "" = not known
    bool isRecord = false;          // applies to records of phases and timers, not to ranges in traces
};

struct WeightPartNames {
    WeightPart part = WeightPart::pause;
    std::vector<std::string> names; // as in RangeNames
};

// How a log with one value per step names the timers of a step. Other values are no timers.
struct StepTimerNames {
    Pattern values;   // of a timer; its group `name` is the name of a range
    std::string step; // the timer of the whole step
    std::vector<std::pair<std::string, std::string>> inside; // a timer to the one that contains its time
    std::vector<std::string> concurrent; // timers of what runs at the same time as the step
    std::string staleness; // value: mean number of weight versions between generation and use; "" = none
};

struct FrameworkNames {
    std::vector<FileNameScheme> files; // in the order in which they are tried
    std::vector<FolderNameScheme> folders;
    std::vector<RangeNames> ranges;
    std::vector<StepTimerNames> timers;
    std::vector<std::string> controller; // ranges of a controller's steps
    std::vector<std::string> steps;      // records of whole steps, which have no number
    std::vector<std::string> stepBegins; // records with which a step begins that lasts until the next
    std::vector<WeightPartNames> weightParts;
    std::vector<std::string> bufferWaits; // ranges in which the trainer waits and no sample is ready
    std::vector<std::pair<std::string, std::string>> roles;   // words in names to roles
    std::vector<std::pair<std::string, std::string>> workers; // beginnings of range names to roles
};

// Returns the names of all recipes, in the order of launchRecipes().
const FrameworkNames& frameworkNames();

// Reads the section `names` of one recipe. Errors: invalid, with line and column.
Result<FrameworkNames> frameworkNamesFrom(const ConfigValue& section);

// Compiles a name in which '*' stands for any text.
Result<Pattern> compileWildcards(std::string_view name);

} // namespace lockstep
