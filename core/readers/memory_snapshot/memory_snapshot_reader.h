// SPDX-License-Identifier: Apache-2.0
// Reader of PyTorch allocator snapshots (torch.cuda.memory._dump_snapshot and its NPU equivalent, as pickle
// or JSON) and of the JSON files of export_memory_timeline; uncompressed, gzip or zstd.
#pragma once

#include <string_view>

#include "core/readers/reader.h"

namespace lockstep {

// Reads the uncompressed bytes of a file. Only the bytes determine the kind of file. The name provides the
// process ID, if it contains one, and is used in messages.
Result<std::unique_ptr<Report>> readMemorySnapshot(std::string_view bytes, const Provenance& provenance,
                                                   const Progress& progress);

} // namespace lockstep
