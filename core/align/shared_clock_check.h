// SPDX-License-Identifier: Apache-2.0
// SharedClockCheck: whether the collectives of reports that are held to read one clock agree with that. Made
// by checkSharedClocks() for fitCollectives(); clock maps and their reasons are built from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/align/collective_matching.h"

namespace lockstep {

struct SharedClockCheck {
    uint64_t collectives = 0;  // that several reports of the clock domain took part in, and that wait for all
    uint64_t contradicted = 0; // of them, those that ended in one report before they began in another
    int64_t worst_ns = 0;      // the longest of these gaps

    // Too many to be operations that do not wait or stamps that went wrong.
    bool isContradictory() const { return contradicted * 100 > collectives; }
};

// By domain. Gaps of up to 10 us are the stamps' own error. O(parts).
std::vector<SharedClockCheck> checkSharedClocks(const CollectiveMatches& matches,
                                                const ClockPartition& partition);

// "4 of 20 collectives contradict the shared clock: they ended in one report up to 2.1 ms before they began
// in another"; empty where none does.
std::string contradictionText(const SharedClockCheck& check);

} // namespace lockstep
