// SPDX-License-Identifier: Apache-2.0
// writePerfettoTrace(): a scene's shown reports as one Perfetto protobuf trace of track events, on the
// aligned axis: clock maps are applied. Field numbers are those of Perfetto's trace_packet.proto,
// track_event.proto and debug_annotation.proto. Any thread.
#pragma once

#include "core/base/progress.h"
#include "core/export/table_writer.h"
#include "core/scene/scene.h"

namespace lockstep {

// What writeChromeTrace() writes, in a form that is smaller, has stamps in ns and arrows at their slices.
// Slices of a lane that overlap without lying in each other go to further tracks of the same name, as a track
// of Perfetto must nest. Stamps are of the trace clock BOOTTIME, 0 at the first of all reports; a clock
// snapshot ties it to UTC where the axis has wall time. canceled.
Status writePerfettoTrace(const Scene& scene, const TextSink& sink, const Progress& progress);

} // namespace lockstep
