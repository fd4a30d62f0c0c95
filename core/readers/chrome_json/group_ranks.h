// SPDX-License-Identifier: Apache-2.0
// Group ranks: the members of PyTorch's process groups as distributedInfo.pg_config lists them. A kernel's
// own list is cut after 30 ranks ("[0, 1, ..., 63]"); this one is whole.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/readers/chrome_json/outer_text.h"

namespace lockstep {

// Group name ("0") to "[0, 1, 2]", in the file's order of ranks. Groups without a whole list are left out:
// one that is elided, or has other than pg_size members where that is stated.
std::map<std::string, std::string, std::less<>> groupRanks(std::span<const HeaderField> fields);

// How many ranks "[0, 1, 2]" names; 0 where it is empty or elided.
size_t listedRanks(std::string_view list);

} // namespace lockstep
