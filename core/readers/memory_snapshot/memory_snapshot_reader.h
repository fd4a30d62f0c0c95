// SPDX-License-Identifier: Apache-2.0
// PyTorch allocator snapshots (torch.cuda.memory._dump_snapshot and its NPU sibling, as pickle or JSON) and
// the JSON files of export_memory_timeline, plain, gzip or zstd.
#pragma once

#include <string_view>

#include "core/readers/reader.h"

namespace lockstep {

Reader memorySnapshotReader();

// The report of a file's uncompressed bytes. What the file is comes from the bytes alone; name is for the
// process id that verl puts into file names, and for messages.
Result<std::unique_ptr<Report>> readMemorySnapshot(std::string_view bytes, const Provenance& provenance,
                                                   const Progress& progress);

} // namespace lockstep
