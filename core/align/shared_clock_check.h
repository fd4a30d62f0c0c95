// SPDX-License-Identifier: Apache-2.0
// SharedClockCheck: whether the collectives of reports that are assumed to share one clock are consistent
// with that assumption. Created by checkSharedClocks() for fitCollectives(); used for clock maps and their
// reasons.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/align/collective_matching.h"

namespace lockstep {

struct SharedClockCheck {
    // collectives that wait for all ranks and appear in several reports of the domain
    uint64_t collectives = 0;
    uint64_t contradicted = 0; // collectives that ended in one report before they began in another
    int64_t worst_ns = 0;      // the longest of these gaps

    // Returns true if there are too many contradictions to be explained by operations that do not wait or by
    // corrupt timestamps.
    bool isContradictory() const { return contradicted * 100 > collectives; }
};

// Returns the checks, by domain. Gaps of up to 10 us are attributed to timestamp errors. O(parts).
std::vector<SharedClockCheck> checkSharedClocks(const CollectiveMatches& matches,
                                                const ClockPartition& partition);

// Returns "4 of 20 collectives contradict the shared clock: they ended in one report up to 2.1 ms before they
// began in another", or an empty string if no collective does.
std::string contradictionText(const SharedClockCheck& check);

} // namespace lockstep
