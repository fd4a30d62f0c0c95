// SPDX-License-Identifier: Apache-2.0
// Replaces functions that the loaded objects of this process call, by writing other addresses into the tables
// through which they call them (GOT slots of the relocation types JUMP_SLOT and GLOB_DAT). Calls inside libc
// itself, and pointers that a program fetched by dlsym(), are left as they are.
#pragma once

#include <span>

namespace lockstep::capture {

struct CallDetour {
    const char* name;
    void* function;
};

// Leads the calls of all objects that are loaded and were not seen before. Costs some 100 ns where nothing
// was loaded since the last time. Any thread, allocates nothing; takes the loader's lock that
// dl_iterate_phdr() takes, which a thread of the parent may have held when a child was forked: never call it
// in a forked child.
void leadCalls(std::span<const CallDetour> detours) noexcept;

} // namespace lockstep::capture
