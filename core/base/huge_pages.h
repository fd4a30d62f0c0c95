// SPDX-License-Identifier: Apache-2.0
// A hint to the kernel for large arrays that are about to be filled. No effect where the kernel refuses or
// has none.
#pragma once

#include <cstddef>

namespace lockstep {

// Asks for huge pages for the whole ones inside [data, data + size_bytes), before the memory is touched:
// fewer faults on first touch. Cheap; any thread.
void adviseHugePages(void* data, size_t size_bytes);

} // namespace lockstep
