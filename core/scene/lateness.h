// SPDX-License-Identifier: Apache-2.0
// Lateness: how each rank stands in the collectives that the alignment matched: how often it came last, what
// that cost the others, and when it waited itself. Durations need no aligned clocks: of a collective that
// nobody leaves before all have come, the rank that stayed shortest came last. Made with the scene whenever
// the clocks are aligned anew; immutable.
#pragma once

#include <map>
#include <memory>

#include "core/align/alignment.h"
#include "core/lanes/activity_buckets.h"

namespace lockstep {

struct RankLate {
    uint64_t collectives = 0; // that it took part in
    uint64_t timesLast = 0;
    int64_t waited_ns = 0; // sum over its parts of what they took longer than the shortest part
    int64_t caused_ns = 0; // sum over the collectives that it came last to of the longest wait for it
    ActivityBuckets waits; // on the report's clock, as communication
};

class Lateness {
  public:
    // Of one process of one report; nullptr where it took part in none.
    const RankLate* of(ReportKey report, ProcessId process) const;
    bool isEmpty() const { return m_ranks.empty(); }

  private:
    friend std::shared_ptr<const Lateness> measureLateness(const Workspace&, const Alignment&,
                                                           const Workers&);

    std::map<std::pair<ReportKey, ProcessId>, RankLate> m_ranks;
};

// Empty where the alignment matched nothing. O(parts).
std::shared_ptr<const Lateness> measureLateness(const Workspace& workspace, const Alignment& alignment,
                                                const Workers& workers);

} // namespace lockstep
