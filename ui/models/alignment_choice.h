// SPDX-License-Identifier: Apache-2.0
// AlignmentChoice specifies how the user wants the open reports to be aligned: the mode, manual offsets,
// accepted alignments and locks. Value type; undo restores an earlier AlignmentChoice.
#pragma once

#include <map>
#include <set>

#include "core/align/alignment.h"

namespace lockstep {

struct AlignmentChoice {
    AlignOptions options;       // contains no shifts of 0
    std::set<ReportKey> locked; // locked reports: the subset of options.kept that cannot be moved manually

    // Returns the choice with report keys replaced according to `numbers`. Reports that are not in `numbers`
    // are dropped.
    AlignmentChoice renumbered(const std::map<ReportKey, ReportKey>& numbers) const;
    void forget(ReportKey key);

    friend bool operator==(const AlignmentChoice&, const AlignmentChoice&) = default;
};

} // namespace lockstep
