// SPDX-License-Identifier: Apache-2.0
#include "core/trace/row_chunks.h"

#include <cstdint>

#include <sys/mman.h>

namespace lockstep {

namespace {

constexpr uintptr_t kHugePage = 2 * 1024 * 1024;

} // namespace

void* mapHugePages(size_t size)
{
    void* const wide =
        ::mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (wide == MAP_FAILED) return nullptr;
    char* const begin = static_cast<char*>(wide);
    const size_t lead = (kHugePage - reinterpret_cast<uintptr_t>(begin) % kHugePage) % kHugePage;
    if (lead > 0) ::munmap(begin, lead);
    if (lead < kHugePage) ::munmap(begin + lead + size, kHugePage - lead);
    ::madvise(begin + lead, size, MADV_HUGEPAGE);
    return begin + lead;
}

void unmapHugePages(void* memory, size_t size)
{
    if (memory != nullptr) ::munmap(memory, size);
}

} // namespace lockstep
