// SPDX-License-Identifier: Apache-2.0
// KernelClass: classifies GPU work as computation, communication or memory operations, for breakdowns of a
// training run. The class is derived from the kind and category of the row, or from HTA's name patterns.
// Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/trace/report.h"

namespace lockstep {

enum class KernelClass : uint8_t { computation, communication, memory, other, count };

// Returns HTA's name for a class, such as "COMPUTATION".
std::string_view kernelClassName(KernelClass of);

// Classifies work by its recorded kind: kernels are computation unless their category is communication.
KernelClass kernelClassOf(const Report& report, SliceId slice);
// Classifies by HTA's name patterns (HTA 0.6, utils.get_kernel_type), including its mistakes: every name that
// begins with hip counts as communication.
KernelClass htaClassOf(std::string_view name);

} // namespace lockstep
