// SPDX-License-Identifier: Apache-2.0
// Hints to the Linux kernel that a large array is about to be filled. Has no effect if the kernel does not
// provide huge pages.
#pragma once

#include <cstddef>

namespace lockstep {

// Requests huge pages for the complete huge pages inside [data, data + size_bytes). Call it before the memory
// is touched; it reduces page faults on first access. Cheap; any thread.
void adviseHugePages(void* data, size_t size_bytes);

} // namespace lockstep
