// SPDX-License-Identifier: Apache-2.0
// Eliding: the most telling part of a name that fits a width. Pure; never cuts inside a UTF-8 character. All
// give "" where not even three characters and an ellipsis (or the whole name) fit.
#pragma once

#include <string>
#include <string_view>

#include "core/timeline/label_font.h"

namespace lockstep {

// "actor_upd…"
std::string elideEnd(std::string_view text, float width, const LabelFont& font);
// "sm90_x…_tn_n"
std::string elideMiddle(std::string_view text, float width, const LabelFont& font);
// Drops parameter list, then template arguments, then return type and namespaces, each only when needed; then
// the middle of what is left. NCCL's kernels lose their common beginning and then their end: the collective
// stays.
std::string elideKernel(std::string_view name, float width, const LabelFont& font);

// A C++ function's name without parameters and template arguments: "void ns::gemm<int, 4>(float*)" ->
// "ns::gemm". Text that is no such name comes back as it is.
std::string_view withoutParameters(std::string_view name);
std::string withoutTemplateArguments(std::string_view name);
// What a child says beyond its parent: "step/forward" in "step" -> "forward". The whole name when that is
// nothing.
std::string_view withoutParentName(std::string_view name, std::string_view parent);

} // namespace lockstep
