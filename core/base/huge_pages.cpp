// SPDX-License-Identifier: Apache-2.0
#include "core/base/huge_pages.h"

#include <cstdint>

#include <sys/mman.h>

namespace lockstep {

void adviseHugePages(void* data, size_t size_bytes)
{
#ifdef MADV_HUGEPAGE
    constexpr uintptr_t kHuge = uintptr_t(2) << 20;
    const auto first = (reinterpret_cast<uintptr_t>(data) + kHuge - 1) / kHuge * kHuge;
    const auto end = (reinterpret_cast<uintptr_t>(data) + size_bytes) / kHuge * kHuge;
    if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

} // namespace lockstep
