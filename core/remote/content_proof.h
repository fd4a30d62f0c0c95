// SPDX-License-Identifier: Apache-2.0
// Proof by content that a fetched report is what it should be: it opens, its tables are there, its rows are
// not empty. Any thread; takes as long as opening the report.
#pragma once

#include <filesystem>

#include "core/base/progress.h"
#include "core/remote/ledger.h"

namespace lockstep {

// Never fails: what is wrong stands in the proof's problem. canceled leaves "canceled" there.
ContentProof proveContent(const std::filesystem::path& path, const Progress& progress);

} // namespace lockstep
