// SPDX-License-Identifier: Apache-2.0
// The keys of a JSON object whose text may be cut short, by which formats are recognized. Pure. Any thread.
#pragma once

#include <string_view>
#include <vector>

namespace lockstep {

// Returns the keys of the first object in a text that may be cut short, as written.
std::vector<std::string_view> firstKeys(std::string_view text);

} // namespace lockstep
