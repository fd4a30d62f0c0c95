// SPDX-License-Identifier: Apache-2.0
// AlignmentChoice: how the person wants the open reports put on one axis: the mode, what was moved by hand,
// what was accepted and what is locked. A value; what undo goes back to.
#pragma once

#include <map>
#include <set>

#include "core/align/alignment.h"

namespace lockstep {

struct AlignmentChoice {
    AlignOptions options;       // shifts of 0 are not kept
    std::set<ReportKey> locked; // of the kept ones: they refuse to be moved by hand

    // The same of reports that have other keys; what is said of others is dropped.
    AlignmentChoice renumbered(const std::map<ReportKey, ReportKey>& numbers) const;
    void forget(ReportKey key);

    friend bool operator==(const AlignmentChoice&, const AlignmentChoice&) = default;
};

} // namespace lockstep
