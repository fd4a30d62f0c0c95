// SPDX-License-Identifier: Apache-2.0
// ReplayWatch: counts the entries that a replay has walked over, tells how far it is and hears when it is to
// stop, every few thousand entries. Made by replayAllocator() for one job, on its thread, for the walks of
// segments, blocks, sizes and levels.
#pragma once

#include <cstdint>

#include "core/base/progress.h"

namespace lockstep {

class ReplayWatch {
  public:
    // total: entries over which all walks together will go; 0: how far it is shall not be told.
    ReplayWatch(const Progress& progress, uint64_t total) : m_progress(progress), m_total(total) {}

    // Once per entry of a walk. true: leave the walk, the job is to stop; status() says so too.
    bool isStoppedAtNext() { return ++m_done % kEvery == 0 && isStopped(); }
    Status status() const { return m_progress.check(); }

  private:
    static constexpr uint64_t kEvery = uint64_t(1) << 15; // at 100 ns an entry 3 ms

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
