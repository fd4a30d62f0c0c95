// SPDX-License-Identifier: Apache-2.0
// Reader of Lockstep captures (.lsc, capture/format/FORMAT.md), including those of killed or running
// processes.
#pragma once

#include <memory>
#include <string_view>

#include "core/readers/reader.h"

namespace lockstep {

// Reads bytes in memory, for partially fetched files and for tests.
Result<std::unique_ptr<Report>> readCaptureSpool(std::string_view bytes, Provenance provenance,
                                                 const Progress& progress);

} // namespace lockstep
