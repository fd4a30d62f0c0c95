// SPDX-License-Identifier: Apache-2.0
// RollUpdates numbers the weight updates of ROLL, which records no versions. A step begins with an update, to
// the weights that it then trains, so these have the number of the step as their version. Updates whose step
// is not in the file are counted on from the others. Updates outside steps are counted from 1. Sources:
// roll/pipeline/rlvr/rlvr_pipeline.py, roll/pipeline/agentic/agentic_pipeline.py. One thread. Times are Unix
// ns.
#pragma once

#include "core/readers/samples/sample_rows.h"

namespace lockstep {

class RollUpdates {
  public:
    // step: the number of the step that begins with the update; kUnrecorded if it is not known.
    // isLost: the step is not in the file
    void add(int64_t end_ns, SourceRow source, int64_t step, bool isLost)
    {
        m_updates.push_back({end_ns, source, step});
        m_isAnyLost = m_isAnyLost || isLost;
    }
    // Adds the updates to `rows`, and sets the versions of its samples: those of the updates that had ended
    // when a sample started and ended. Call it once, after all updates and samples were added.
    void finish(SampleRows& rows);

  private:
    struct Update {
        int64_t end_ns;
        SourceRow source;
        int64_t version; // the step, until finish()
    };
    void number();

    std::vector<Update> m_updates;
    int64_t m_first = kUnrecorded; // version before all updates
    bool m_isAnyLost = false;
};

} // namespace lockstep
