// SPDX-License-Identifier: Apache-2.0
// What a program would lose by leaving without exit(): _exit(), quick_exit(), abort() and exec run no
// destructor, and forked workers of Python end so. The calls of the program and its libraries to them are led
// past a stop at which all that was recorded is written. Libraries that are loaded later are led as soon as
// anybody looks a symbol up by dlsym(). A forked child has what its parent led; libraries that it loads
// itself are left alone.
#pragma once

namespace lockstep::capture {

// Once, in the process that loaded the library; not in a forked child.
void beginEarlyExitWatch() noexcept;
// Leads the calls of all objects that were loaded since. Any thread, as often as wanted.
void watchEarlyExits() noexcept;

} // namespace lockstep::capture
