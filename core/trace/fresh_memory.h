// SPDX-License-Identifier: Apache-2.0
// Allocates memory in huge pages where the Linux kernel allows them, because page faults on small pages cost
// more than parsing. Used while a report is built.
#pragma once

#include <cstddef>

namespace lockstep {

// Returns `size` bytes (a multiple of 2 MiB), aligned to 2 MiB and not yet backed by memory, or nullptr if
// none is available. Free the bytes with unmapHugePages() and the same size, which returns them to the system
// immediately.
void* mapHugePages(size_t size);
void unmapHugePages(void* memory, size_t size);

} // namespace lockstep
