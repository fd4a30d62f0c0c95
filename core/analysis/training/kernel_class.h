// SPDX-License-Identifier: Apache-2.0
// KernelClass: whether work of a GPU computes, communicates or moves memory: what breakdowns of a training
// run are made of. By the kind and category of the row, or by the names that HTA goes by. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/trace/report.h"

namespace lockstep {

enum class KernelClass : uint8_t { computation, communication, memory, other, count };

// HTA's word: "COMPUTATION".
std::string_view kernelClassName(KernelClass of);

// By what the file says it is: kernels compute unless their category is communication.
KernelClass kernelClassOf(const Report& report, SliceId slice);
// By HTA's patterns of names (HTA 0.6, utils.get_kernel_type), its mistakes included: whatever is called
// hip... communicates.
KernelClass htaClassOf(std::string_view name);

} // namespace lockstep
