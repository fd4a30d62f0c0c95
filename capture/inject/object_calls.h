// SPDX-License-Identifier: Apache-2.0
// Redirects calls from the loaded objects of this process. To do so, it changes the addresses in the tables
// through which the objects call (GOT slots with relocation types JUMP_SLOT and GLOB_DAT). Calls inside libc
// and pointers from dlsym() are not affected.
#pragma once

#include <span>

namespace lockstep::capture {

struct CallDetour {
    const char* name;
    void* function;
};

// Patches all loaded objects that were not seen before. Takes some 100 ns if nothing was loaded since the
// last call. Any thread; allocates nothing. Takes the lock of dl_iterate_phdr(), which a thread of the parent
// may have held when a child was forked, so never call this function in a forked child.
void patchCalls(std::span<const CallDetour> detours) noexcept;

} // namespace lockstep::capture
