// SPDX-License-Identifier: Apache-2.0
// Display names for the arguments of a slice: how a kernel was launched, what a copy transferred, which
// collective a slice belongs to. Shown with names and units, independent of the recording tool, before the
// remaining columns of the file. Computed from SliceDetails; used by the hover card and the Details panel.
// Pure; any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lockstep {

using SliceArguments = std::vector<std::pair<std::string, std::string>>;

struct InterpretedArguments {
    // names and values with known meaning, such as "grid" "128 × 1 × 1" or "registers per thread" "32"
    SliceArguments meaning;
    SliceArguments rest; // other arguments as in the file, except the ones for name, time and place
};

InterpretedArguments interpretArguments(const SliceArguments& arguments);

} // namespace lockstep
