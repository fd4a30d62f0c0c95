// SPDX-License-Identifier: Apache-2.0
// Perfetto protobuf traces: track events with their tracks, counters, flows and clocks; plain, gzip or zstd,
// and with compressed packets inside. Packets of other data sources (ftrace, heap profiles ...) are counted,
// not shown.
#pragma once

#include <string_view>

#include "core/readers/reader.h"

namespace lockstep {

Reader perfettoReader();

// The report of a trace's uncompressed bytes.
Result<std::unique_ptr<Report>> readPerfetto(std::string_view trace, const Provenance& provenance,
                                             const Progress& progress, bool isComplete = true);

} // namespace lockstep
