// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of an event that become RowFacts. PyTorch records shared memory only as one total,
// which does not correspond to any of the shared-memory values. Pure functions, any thread.
#pragma once

#include <string_view>

#include "core/trace/row_facts.h"

namespace lockstep {

// Reads one of the entries of args; see readNamedArgument(). The value must be part of a JSON text that ends
// with a bracket or brace, because elements of an array are read beyond `token`.
void readFactArgument(const char* key, std::string_view token, FactList& facts);

} // namespace lockstep
