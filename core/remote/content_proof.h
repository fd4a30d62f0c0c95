// SPDX-License-Identifier: Apache-2.0
// Verification of a fetched report by its content: the report can be opened, has its tables and contains
// rows. Any thread; takes as long as opening the report.
#pragma once

#include <filesystem>

#include "core/base/progress.h"
#include "core/remote/ledger.h"

namespace lockstep {

// Never fails, because problems are stored in the proof. If canceled, the problem is "canceled".
ContentProof proveContent(const std::filesystem::path& path, const Progress& progress);

} // namespace lockstep
