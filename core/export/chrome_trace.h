// SPDX-License-Identifier: Apache-2.0
// writeChromeTrace(): a scene's shown reports as one trace in the JSON that chrome://tracing, Perfetto and
// PyTorch use, on the aligned axis: clock maps are applied, so that other tools see what this one shows. Any
// thread.
#pragma once

#include "core/base/progress.h"
#include "core/export/table_writer.h"
#include "core/scene/scene.h"

namespace lockstep {

// Slices with PyTorch's categories and arguments (device, stream, correlation, bytes, collectives), calls and
// GPU work joined by correlation, flows, counters. Each process of each report is a process of its own, named
// after whose it is. Stamps are microseconds with three decimals, since 1970 where the axis has wall time.
// canceled.
Status writeChromeTrace(const Scene& scene, const TextSink& sink, const Progress& progress);

} // namespace lockstep
