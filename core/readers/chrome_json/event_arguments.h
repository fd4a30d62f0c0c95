// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of an event that rows use: the members of EventArguments, including RowFacts. PyTorch
// records shared memory only as one total, which does not correspond to any of the shared-memory values of
// RowFact. Pure functions, any thread.
#pragma once

#include "core/readers/chrome_json/json_tokens.h"
#include "core/readers/chrome_json/raw_event.h"

namespace lockstep {

// Reads one entry of args. `value` is the token of a valid value. Unknown keys and values of the wrong type
// are ignored.
void readNamedArgument(std::string_view key, const JsonTokens& tokens, size_t value, EventArguments& args);

} // namespace lockstep
