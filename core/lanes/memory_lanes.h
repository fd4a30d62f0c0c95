// SPDX-License-Identifier: Apache-2.0
// The data of memory lanes, which show the memory of a device from an allocator snapshot; ProcessLanesBuilder
// adds these lanes for each GPU and process.
#pragma once

namespace lockstep {

struct MemoryLaneData {
    double most_bytes = 0; // the highest active or reserved memory, over all sources of the lane
};

} // namespace lockstep
