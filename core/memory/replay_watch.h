// SPDX-License-Identifier: Apache-2.0
// ReplayWatch counts the entries that a replay has processed; every few thousand entries it reports progress
// and checks for cancellation. replayAllocator() creates one per job, on its thread, for the replay's passes
// over segments, blocks, sizes and levels.
#pragma once

#include <cstdint>

#include "core/base/progress.h"

namespace lockstep {

class ReplayWatch {
  public:
    // total: number of entries in all passes together; 0: do not report progress.
    ReplayWatch(const Progress& progress, uint64_t total) : m_progress(progress), m_total(total) {}

    // Called once per entry in a pass. Returns true if the job is canceled and the pass must end; status()
    // then returns the error.
    bool advanceAndCheckStop() { return ++m_done % kEvery == 0 && isStopped(); }
    Status status() const { return m_progress.check(); }

  private:
    static constexpr uint64_t kEvery = uint64_t(1) << 15; // about 3 ms if an entry takes 100 ns

    bool isStopped() const
    {
        if (m_total > 0) m_progress.report(m_done, m_total);
        return m_progress.isCanceled();
    }

    const Progress& m_progress;
    uint64_t m_total;
    uint64_t m_done = 0;
};

} // namespace lockstep
