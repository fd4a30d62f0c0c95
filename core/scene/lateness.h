// SPDX-License-Identifier: Apache-2.0
// Lateness: the lateness of each rank in the collectives matched by the alignment: how often a rank arrived
// last, how long the others waited for it, and how long it waited itself. Durations do not require aligned
// clocks: in a collective that no rank leaves before all have arrived, the rank with the shortest duration
// arrived last. Computed with the scene whenever the clocks are realigned. Immutable.
#pragma once

#include <map>
#include <memory>

#include "core/align/alignment.h"
#include "core/lanes/activity_buckets.h"

namespace lockstep {

struct RankLate {
    uint64_t collectives = 0; // number of collectives in which this process participated
    uint64_t timesLast = 0;
    // sum over the parts of this process: the duration in excess of the shortest part of the collective
    int64_t waited_ns = 0;
    // sum, over the collectives for which this process arrived last, of the longest wait
    int64_t caused_ns = 0;
    ActivityBuckets waits; // on the report's clock; waits are stored as communication
};

class Lateness {
  public:
    // Returns the lateness of one process in one report, or nullptr if it participated in no collective.
    const RankLate* of(ReportKey report, ProcessId process) const;
    bool isEmpty() const { return m_ranks.empty(); }

  private:
    friend std::shared_ptr<const Lateness> measureLateness(const Workspace&, const Alignment&,
                                                           const Workers&);

    std::map<std::pair<ReportKey, ProcessId>, RankLate> m_ranks;
};

// Measures the lateness. Returns an empty object if the alignment matched no collectives. O(parts).
std::shared_ptr<const Lateness> measureLateness(const Workspace& workspace, const Alignment& alignment,
                                                const Workers& workers);

} // namespace lockstep
