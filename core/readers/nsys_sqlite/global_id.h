// SPDX-License-Identifier: Apache-2.0
// The serialized 64-bit id by which nsys names processes and threads: hardware 8 | virtual machine 8 |
// process 24 | thread 24 bits, most significant first. SQLite holds it as a signed integer. Pure functions.
#pragma once

#include <cstdint>

namespace lockstep {

// The process a globalPid or globalTid belongs to: the thread bits cleared. Equals the globalPid of that
// process.
constexpr uint64_t processKeyOf(uint64_t globalId)
{
    return globalId & ~uint64_t(0xFFFFFF);
}

// The pid as the profiled machine numbered it. Pseudo processes of the profiler itself (hardware byte 0xFE)
// come out negative, so that they cannot be taken for one of the machine's.
constexpr int64_t pidOf(uint64_t globalId)
{
    const auto pid = static_cast<int64_t>((globalId >> 24) & 0xFFFFFF);
    return (globalId >> 56) == 0xFE ? -1 - pid : pid;
}

constexpr int64_t tidOf(uint64_t globalId)
{
    return static_cast<int64_t>(globalId & 0xFFFFFF);
}

// The GPU of a GPU_METRICS or GENERIC_EVENTS typeId: its lowest byte.
constexpr int gpuOfTypeId(uint64_t typeId)
{
    return static_cast<int>(typeId & 0xFF);
}

} // namespace lockstep
