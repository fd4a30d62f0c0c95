// SPDX-License-Identifier: Apache-2.0
// The data of counter lanes; ProcessLanesBuilder adds these lanes for each GPU and process.
#pragma once

namespace lockstep {

// The ends of the scale of a counter lane, over all sources of the lane, in the unit of the counter.
struct CounterLaneData {
    double low = 0;
    double high = 0;
};

} // namespace lockstep
