// SPDX-License-Identifier: Apache-2.0
// Joins the descriptions of one communication in kernel rows and record_param_comms rows of a whole file.
// Kernel rows have only some of the arguments: none before October 2023, and no Seq if only the op has one.
// PyTorch gives both rows the same "External id". One thread, after all windows are parsed.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/readers/chrome_json/event_rows.h"

namespace lockstep {

// Returns one op per communication kernel with information in its own arguments or its record, and one per
// record without a kernel, assigned to the record's slice. Strings are stored as IDs of `strings`, the
// report's pool; names[worker] translates the IDs of a worker. The rank list comes from `groups` (see
// groupRanks()) if the group is in it, unless the operation itself lists as many ranks as its recorded group
// size and `groups` does not.
std::vector<std::pair<SourceRow, CollectiveOp>>
joinCollectives(std::span<const EventRows> workers, const std::vector<std::vector<StringId>>& names,
                const std::map<std::string, std::string, std::less<>>& groups, StringPool& strings);

} // namespace lockstep
