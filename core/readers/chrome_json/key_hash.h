// SPDX-License-Identifier: Apache-2.0
// Hashes of the keys of lanes, flows and async stacks; valid only within one run of the program.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string_view>

namespace lockstep {

inline uint64_t mixed(uint64_t hash, uint64_t part)
{
    hash = (hash ^ part) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
}

inline uint64_t hashOf(std::initializer_list<std::string_view> parts)
{
    uint64_t hash = 0;
    for (const std::string_view part : parts)
        hash = mixed(hash, std::hash<std::string_view>{}(part));
    return hash;
}

} // namespace lockstep
