// Group ranks: the members of PyTorch's process groups as distributedInfo.pg_config lists them. A kernel's
// own list is cut after 30 ranks ("[0, 1, ..., 63]"); this one is whole.
#pragma once

#include <map>
#include <span>
#include <string>

#include "core/readers/chrome_json/outer_text.h"

namespace lockstep {

// Group name ("0") to "[0, 1, 2]", in the file's order of ranks. Groups without a whole list are left out.
std::map<std::string, std::string, std::less<>> groupRanks(std::span<const HeaderField> fields);

} // namespace lockstep
