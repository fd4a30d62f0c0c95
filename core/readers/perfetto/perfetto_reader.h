// SPDX-License-Identifier: Apache-2.0
// Reader of Perfetto protobuf traces: track events with their tracks, counters, flows and clocks;
// uncompressed, gzip or zstd, and with compressed packets. Packets of other data sources (ftrace, heap
// profiles, ...) are counted, not shown.
#pragma once

#include <string_view>

#include "core/readers/reader.h"

namespace lockstep {

// Reads the uncompressed bytes of a trace.
Result<std::unique_ptr<Report>> readPerfetto(std::string_view trace, const Provenance& provenance,
                                             const Progress& progress, bool isComplete = true);

} // namespace lockstep
