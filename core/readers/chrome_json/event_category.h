// SPDX-License-Identifier: Apache-2.0
// Classifies an event by category and name: row kind, track kind, and copy kind. Includes Kineto's category
// names of all versions (spelling from libkineto's ActivityType names and, before 2022, Operator / Kernel /
// Memcpy / Memset / Runtime); unknown categories are plain spans. Pure functions, any thread.
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

// Returns the class of a duration event ("X", "B", "b") by its category.
EventClass classOfCategory(std::string_view category);

// Returns false for categories whose rows do not need args: ops, annotations and Python functions.
bool readsArguments(std::string_view category);

// Returns copy kind and memory kinds from names such as "Memcpy HtoD (Pageable -> Device)", "Memset (Device)"
// or "CopyHostToDevice"; unknown if the name does not contain them.
MemoryOp memoryOpOfName(std::string_view name);

} // namespace lockstep
