// SPDX-License-Identifier: Apache-2.0
// Lockstep's own captures (.lsc, capture/format/FORMAT.md), also of a process that was killed or still runs.
#pragma once

#include <memory>
#include <string_view>

#include "core/readers/reader.h"

namespace lockstep {

Reader captureSpoolReader();

// The same from bytes in memory, for files that were fetched in part and for tests.
Result<std::unique_ptr<Report>> readCaptureSpool(std::string_view bytes, Provenance provenance,
                                                 const Progress& progress);

} // namespace lockstep
