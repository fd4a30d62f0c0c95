// SPDX-License-Identifier: Apache-2.0
// What the arguments that a file holds of a slice mean to who looks at it: how a kernel was launched, what a
// copy moved, which collective it is. Said in words and units before the columns as the file has them,
// whatever tool wrote it. Made of SliceDetails; read by the hover card and the Details panel. Pure; any
// thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lockstep {

using SliceArguments = std::vector<std::pair<std::string, std::string>>;

struct ToldArguments {
    SliceArguments meaning; // "grid" "128 × 1 × 1", "registers a thread" "32"
    SliceArguments
        rest; // what is not told by it, nor by the slice's own name, time and place, as the file has it
};

ToldArguments toldArguments(const SliceArguments& arguments);

} // namespace lockstep
