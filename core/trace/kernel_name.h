// SPDX-License-Identifier: Apache-2.0
// The base name of a kernel, for files that state only the demangled one: so a run is counted under the same
// names whichever tool recorded it. Used by readers that keep base names and by analyses. Pure.
#pragma once

#include <string_view>

namespace lockstep {

// "void ns::kernel<int>(float*)" -> "kernel": a part of `demangled`. O(length).
std::string_view kernelBaseName(std::string_view demangled);

} // namespace lockstep
