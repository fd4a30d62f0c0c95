// SPDX-License-Identifier: Apache-2.0
// The functions that stand in for NVTX's in the program, and how they get there. Called on the program's
// threads.
#pragma once

#include "capture/inject/nvtx_abi.h"

namespace lockstep::capture {

// Fills one NVTX instance's tables. 1, or 0 where it has none.
int attachNvtx(nvtx::ExportTable exportTable) noexcept;
// The payload extension's. 1, or 0 for another extension.
int attachNvtxExtension(nvtx::ModuleInfo* module) noexcept;

} // namespace lockstep::capture
