// SPDX-License-Identifier: Apache-2.0
// RowKinds: a set of slice kinds by which analyses and SQL tables select rows. Value type.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "core/trace/row_kind.h"

namespace lockstep {

using RowKinds = uint64_t;
static_assert(static_cast<int>(RowKind::count) <= 64);

// Number of rows between cancellation checks: a few milliseconds of work at most.
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
