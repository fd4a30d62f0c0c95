// SPDX-License-Identifier: Apache-2.0
// What a program would lose by leaving without exit(): _exit() and exec run no handler, and forked workers of
// Python end so. The calls of the program's libraries to them are led past a stop at which all that was
// recorded is written.
#pragma once

namespace lockstep::capture {

// Leads the calls of all objects that are loaded and not yet seen. Any thread, as often as wanted.
void watchEarlyExits() noexcept;

} // namespace lockstep::capture
