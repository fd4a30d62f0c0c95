// AlignmentChoice: how the person wants the open reports put on one axis: the mode, what was moved by hand,
// what was accepted and what is locked. Reports are told by ReportEntry::key, because their positions change
// when others are closed. A value; what undo goes back to.
#pragma once

#include <map>
#include <set>

#include "core/align/alignment.h"

namespace lockstep {

struct AlignmentChoice {
    AlignOptions options;          // `manual` and `kept` stay empty: here they go by key
    std::map<int, int64_t> shifts; // ns, by key; 0 is not kept
    std::map<int, KeptClock> kept; // accepted placements, by key; KeptClock::report is not used
    std::set<int> locked;          // kept, and refusing to be moved by hand

    friend bool operator==(const AlignmentChoice&, const AlignmentChoice&) = default;
};

} // namespace lockstep
