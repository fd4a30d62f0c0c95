// SPDX-License-Identifier: Apache-2.0
// Fresh memory in huge pages, where the kernel allows them: first touch of small pages costs more than
// parsing does. Used by the store while a report is built.
#pragma once

#include <cstddef>

namespace lockstep {

// size bytes, a multiple of 2 MiB, aligned to 2 MiB, not yet backed; nullptr when the system has none. Freed
// by unmapHugePages with the same size, which gives them back to the system at once.
void* mapHugePages(size_t size);
void unmapHugePages(void* memory, size_t size);

} // namespace lockstep
