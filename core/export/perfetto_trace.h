// SPDX-License-Identifier: Apache-2.0
// writePerfettoTrace() writes a scene's visible reports as one Perfetto protobuf trace of track events, on
// the aligned axis. Field numbers are those of Perfetto's trace_packet.proto, track_event.proto and
// debug_annotation.proto. Thread: any.
#pragma once

#include "core/base/progress.h"
#include "core/export/table_writer.h"
#include "core/scene/scene.h"

namespace lockstep {

// Writes the same content as writeChromeTrace() in a more compact form, with timestamps in ns and arrows
// attached to slices. Slices on a Perfetto track must be nested, so slices in a lane that overlap without
// nesting are written to additional tracks with the same name. Timestamps use the trace clock BOOTTIME, with
// 0 at the start of the earliest report; a clock snapshot relates it to UTC if the axis has wall-clock time.
// The only possible error is `canceled`.
Status writePerfettoTrace(const Scene& scene, const TextSink& sink, const Progress& progress);

} // namespace lockstep
