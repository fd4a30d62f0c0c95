// SPDX-License-Identifier: Apache-2.0
// Computes base names of GPU kernels for files that record only the demangled name, so that GPU kernels are
// grouped under the same names regardless of the recording tool. Used by readers that store base names and by
// analyses. Pure.
#pragma once

#include <string_view>

namespace lockstep {

// Returns the base name, which is a view into `demangled`: "void ns::kernel<int>(float*)" -> "kernel".
// O(length).
std::string_view kernelBaseName(std::string_view demangled);

} // namespace lockstep
