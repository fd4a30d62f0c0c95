// SPDX-License-Identifier: Apache-2.0
// Group ranks: the members of PyTorch's process groups from distributedInfo.pg_config. The list in a kernel
// row is cut after 30 ranks ("[0, 1, ..., 63]"); the list in pg_config is complete.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/readers/chrome_json/outer_text.h"

namespace lockstep {

// Returns a map from group name ("0") to "[0, 1, 2]", in the file's order of ranks. Groups without a complete
// list are omitted: elided lists, and lists whose length differs from a recorded pg_size.
std::map<std::string, std::string, std::less<>> groupRanks(std::span<const HeaderField> fields);

// Returns the number of ranks in "[0, 1, 2]"; 0 if the list is empty or elided.
size_t listedRanks(std::string_view list);

} // namespace lockstep
