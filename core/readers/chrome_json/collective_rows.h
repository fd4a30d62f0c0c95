// SPDX-License-Identifier: Apache-2.0
// CollectiveRows: joins what kernel rows and record_param_comms rows of a whole file say of the same
// communication. Kernels carry a part of the arguments (none before October 2023, no Seq where only the op
// states it); PyTorch gives both rows one "External id". One thread, once all windows are parsed.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/readers/chrome_json/event_rows.h"

namespace lockstep {

// One op per communication kernel whose own arguments or whose record state any, and one per record that no
// kernel names, on the record's slice. Texts are ids of `strings`, the report's; names[worker] translates a
// worker's. The list of ranks is that of `groups` (see groupRanks()) where the group is in it, unless the
// operation lists as many ranks as it says its group has and `groups` does not.
std::vector<std::pair<SourceRow, CollectiveOp>>
joinCollectives(std::span<const EventRows> workers, const std::vector<std::vector<StringId>>& names,
                const std::map<std::string, std::string, std::less<>>& groups, StringPool& strings);

} // namespace lockstep
