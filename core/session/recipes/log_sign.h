// SPDX-License-Identifier: Apache-2.0
// LogSign: a pattern by which a line in the output of a run tells about a step or a process: the section
// `log` of a recipe. Value type. Thread: any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/pattern.h"
#include "core/session/config_value.h"

namespace lockstep {

class RecipeMap;

struct LogSign {
    // Groups: step for the first three; name and seconds for a phase of the step; host and pid; name.
    enum class Kind : uint8_t { step, stepBegins, stepEnds, timing, controller, worker };

    Kind kind = Kind::step;
    Pattern pattern; // of a part of the line
};
std::span<const std::string_view> enumNames(LogSign::Kind);

struct RecipeFailure {
    TextLocation place;
    std::string id;
    Pattern log;
    std::string era;
    std::string message, remedy;
};

// Reads one sign: a map with one key, its kind. Errors: invalid, with line and column, also for a pattern
// without a group that the kind needs.
Result<LogSign> logSignFrom(RecipeMap& map);
Result<RecipeFailure> failureFrom(RecipeMap& map);

} // namespace lockstep
