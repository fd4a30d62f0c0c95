// SPDX-License-Identifier: Apache-2.0
// The serialized 64-bit ID of processes and threads in nsys: hardware 8 | virtual machine 8 | process 24 |
// thread 24 bits, most significant first. SQLite stores it as a signed integer. Pure functions.
#pragma once

#include <cstdint>

namespace lockstep {

// Returns the process of a globalPid or globalTid by clearing the thread bits. The result equals the
// globalPid of the process.
constexpr uint64_t processKeyOf(uint64_t globalId)
{
    return globalId & ~uint64_t(0xFFFFFF);
}

// Returns the pid on the profiled machine. Pseudo processes of the profiler (hardware byte 0xFE) get negative
// numbers, so that they cannot be confused with real processes.
constexpr int64_t pidOf(uint64_t globalId)
{
    const auto pid = static_cast<int64_t>((globalId >> 24) & 0xFFFFFF);
    return (globalId >> 56) == 0xFE ? -1 - pid : pid;
}

constexpr int64_t tidOf(uint64_t globalId)
{
    return static_cast<int64_t>(globalId & 0xFFFFFF);
}

// Returns the GPU of a typeId in GPU_METRICS or GENERIC_EVENTS, which is the lowest byte of the typeId.
constexpr int gpuOfTypeId(uint64_t typeId)
{
    return static_cast<int>(typeId & 0xFF);
}

} // namespace lockstep
