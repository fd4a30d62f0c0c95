// SPDX-License-Identifier: Apache-2.0
// Parses one window of events and describes the resulting rows as text, so that tests can compare them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace lockstep::test {

// Returns everything that EventRows collected. `events` is the text between the brackets of an array.
std::string eventRowsText(std::string_view events);

// Returns the offsets of the events, in `events`, that have slices, halves of slices or metadata.
std::set<uint64_t> offsetsOfRows(std::string_view events);

} // namespace lockstep::test
