// SPDX-License-Identifier: Apache-2.0
// writeChromeTrace() writes a scene's visible reports as a single JSON trace for chrome://tracing, Perfetto
// and PyTorch tools. Timestamps are converted with the clock maps, so that other tools show the same aligned
// axis. Thread: any.
#pragma once

#include "core/base/progress.h"
#include "core/export/table_writer.h"
#include "core/scene/scene.h"

namespace lockstep {

// Writes slices with PyTorch's categories and arguments (device, stream, correlation, bytes, collectives),
// flows and counters. Calls and their GPU work are linked by correlation ID. Each process of each report
// becomes a separate process in the trace, named after its identity. Timestamps are microseconds with three
// decimals. They count from 1970 if the axis has wall-clock time. The only possible error is `canceled`.
Status writeChromeTrace(const Scene& scene, const TextSink& sink, const Progress& progress);

} // namespace lockstep
