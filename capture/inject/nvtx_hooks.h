// SPDX-License-Identifier: Apache-2.0
// Replacement functions for the program's NVTX calls, and their installation. They run on threads of the
// program.
#pragma once

#include "capture/inject/nvtx_abi.h"

namespace lockstep::capture {

// Fills the tables of one NVTX instance. Returns 1, or 0 if the instance has no tables.
int attachNvtx(nvtx::ExportTable exportTable) noexcept;
// Fills the tables of the payload extension. Returns 1, or 0 if this is a different extension.
int attachNvtxExtension(nvtx::ModuleInfo* module) noexcept;

} // namespace lockstep::capture
