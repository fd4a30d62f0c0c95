// SPDX-License-Identifier: Apache-2.0
// Saves what a program would lose by ending without exit(). _exit(), quick_exit(), abort() and exec run no
// destructors, and forked Python workers end that way. Calls to these functions from the program and its
// libraries are redirected (GOT patch) to a function that first writes everything recorded. Libraries loaded
// later are patched as soon as a symbol is looked up with dlsym(). A forked child keeps the patches of its
// parent, but libraries that the child itself loads are not patched.
#pragma once

namespace lockstep::capture {

// Call this once in the process that loaded the library, and not in a forked child.
void beginEarlyExitWatch() noexcept;
// Patches all objects that were loaded since the last call. May be called on any thread, any number of times.
void watchEarlyExits() noexcept;

} // namespace lockstep::capture
