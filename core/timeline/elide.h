// SPDX-License-Identifier: Apache-2.0
// Eliding: shortens a name to its most significant part that fits into a given width. Never splits a UTF-8
// character. All functions return "" if neither the whole name nor three characters and an ellipsis fit.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/timeline/label_font.h"

namespace lockstep {

// "actor_upd…"
std::string elideEnd(std::string_view text, float width, const LabelFont& font);
// "sm90_x…_tn_n"
std::string elideMiddle(std::string_view text, float width, const LabelFont& font);
// Drops the parameter list, then template arguments, then return type and namespaces, each only if needed;
// then shortens the rest in the middle. Names of NCCL kernels first lose the prefix that they have in common
// and then their end, so that the name of the collective remains.
std::string elideKernel(std::string_view name, float width, const LabelFont& font);

// Returns a C++ function's name without parameters and template arguments: "void ns::gemm<int, 4>(float*)" ->
// "ns::gemm". Other strings are returned unchanged.
std::string_view withoutParameters(std::string_view name);
std::string withoutTemplateArguments(std::string_view name);
// Returns the part of a child's name that follows its parent's name: "step/forward" in "step" -> "forward".
// Returns the whole name if nothing would remain.
std::string_view withoutParentName(std::string_view name, std::string_view parent);

} // namespace lockstep
