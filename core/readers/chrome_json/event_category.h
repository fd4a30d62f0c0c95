// SPDX-License-Identifier: Apache-2.0
// What the category and name of an event say: which kind of row it is, on which kind of track it lies, what a
// copy moved. Kineto's category names of all eras (spelling from libkineto's ActivityType names and, before
// 2022, Operator / Kernel / Memcpy / Memset / Runtime); unknown ones are plain spans. Pure functions, any
// thread.
#pragma once

#include <compare>
#include <string_view>

#include "core/trace/entity_tables.h"
#include "core/trace/memory_op.h"
#include "core/trace/row_kind.h"

namespace lockstep {

struct EventClass {
    RowKind kind = RowKind::span;
    TrackKind track = TrackKind::other;
    SliceCategory category = SliceCategory::other;
    bool isKineto = false; // a category that only PyTorch's profiler writes

    bool isOnGpu() const { return track <= TrackKind::gpuAnnotation; }
    friend auto operator<=>(const EventClass&, const EventClass&) = default;
};

// The class of a duration event ("X", "B", "b") by its category.
EventClass classOfCategory(std::string_view category);

// False for categories whose rows are made without looking into args: ops, annotations, Python functions.
bool readsArguments(std::string_view category);

// "Memcpy HtoD (Pageable -> Device)", "Memset (Device)", "CopyHostToDevice": copy kind and memory kinds;
// unknown where the name does not say.
MemoryOp memoryOpOfName(std::string_view name);

} // namespace lockstep
