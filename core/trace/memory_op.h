// SPDX-License-Identifier: Apache-2.0
// MemoryOp: size and memory kinds of a copy or memset, stored next to its slice. One row per slice of kind
// memcpy or memset with a known size, sorted by slice. Values as exported by nsys (ENUM_CUDA_MEMCPY_OPER,
// ENUM_CUDA_MEM_KIND).
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/ids.h"

namespace lockstep {

enum class CopyKind : uint8_t {
    unknown,
    hostToDevice,
    deviceToHost,
    hostToArray,
    arrayToHost,
    arrayToArray,
    arrayToDevice,
    deviceToArray,
    deviceToDevice,
    hostToHost,
    peerToPeer,
    unifiedHostToDevice,
    unifiedDeviceToHost,
    unifiedDeviceToDevice,
    memset // not a CUPTI value; marks memsets
};

// Memory kinds as numbered by nsys. CUPTI's numbering starts with unknown = 0 and differs.
enum class MemoryKind : uint8_t {
    pageable,
    pinned,
    device,
    array,
    managed,
    deviceStatic,
    managedStatic,
    unknown
};

struct MemoryOp {
    SliceId slice;
    CopyKind kind = CopyKind::unknown;
    MemoryKind source = MemoryKind::unknown;
    MemoryKind destination = MemoryKind::unknown;
    uint64_t size_bytes = 0;

    friend bool operator==(const MemoryOp&, const MemoryOp&) = default;
};

// Returns the name that nsys stats prints, e.g. "[CUDA memcpy Host-to-Device]", "[CUDA memset]".
std::string_view copyKindName(CopyKind kind);
// Returns "Pageable", "Pinned", "Device", ..., as in ENUM_CUDA_MEM_KIND.label.
std::string_view memoryKindName(MemoryKind kind);

} // namespace lockstep
