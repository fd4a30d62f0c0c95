// SPDX-License-Identifier: Apache-2.0
// RowKinds: a set of kinds of slices, by which analyses choose their rows. A value.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "core/trace/row_kind.h"

namespace lockstep {

using RowKinds = uint64_t;

// How often a walk over rows asks whether it is to stop: a few milliseconds at most.
inline constexpr uint32_t kRowsBetweenChecks = 1 << 16;

constexpr RowKinds rowKinds(std::initializer_list<RowKind> kinds)
{
    RowKinds set = 0;
    for (const RowKind kind : kinds)
        set |= RowKinds(1) << static_cast<unsigned>(kind);
    return set;
}

constexpr bool holds(RowKinds set, RowKind kind)
{
    return (set >> static_cast<unsigned>(kind) & 1) != 0;
}

} // namespace lockstep
