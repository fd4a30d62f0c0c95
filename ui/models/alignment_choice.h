// AlignmentChoice: how the person wants the open reports put on one axis: the mode, what was moved by hand,
// what was accepted and what is locked. Reports are told by ReportEntry::key, because their positions change
// when others are closed. A value; what undo goes back to.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/align/alignment.h"

namespace lockstep {

struct AlignmentChoice {
    AlignOptions options;          // `manual` and `kept` stay empty: here they go by key
    std::map<int, int64_t> shifts; // ns, by key; 0 is not kept
    std::map<int, KeptClock> kept; // accepted placements, by key; KeptClock::report is not used
    std::set<int> locked;          // keys of kept ones that refuse to be moved by hand

    // The options for a workspace whose reports have these keys.
    AlignOptions optionsFor(const std::vector<int>& keys) const;
    // The inverse; what lies beyond the keys is dropped. locked: positions.
    static AlignmentChoice of(const AlignOptions& options, const std::set<size_t>& locked,
                              const std::vector<int>& keys);
    // Positions of the locked ones among these keys.
    std::set<size_t> lockedAmong(const std::vector<int>& keys) const;
    void forget(int key);

    friend bool operator==(const AlignmentChoice&, const AlignmentChoice&) = default;
};

} // namespace lockstep
