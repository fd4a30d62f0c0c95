// SPDX-License-Identifier: Apache-2.0
// ranksPerLine(): divides the ranks of a rank map among its lines. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

// Divides consecutive ranks among `lines` lines and returns the number of ranks in each. Returns fewer lines
// only if there are fewer ranks. hosts: the number of consecutive ranks on each host, in the order of the
// map.
//
// Without hosts, the lines would differ by at most one rank. A line begins at a host's first rank wherever
// this changes its number of ranks by less than a quarter of the mean. Each host boundary is assigned to the
// nearest boundary of equal lines, so deviations do not accumulate, and the ranks between two such boundaries
// are divided equally. O(hosts + lines).
std::vector<uint32_t> ranksPerLine(std::span<const uint32_t> hosts, uint32_t lines);

} // namespace lockstep
