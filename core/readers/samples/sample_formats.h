// SPDX-License-Identifier: Apache-2.0
// The list of all formats of sample records. Each line names the function that returns a format, which is
// declared below and defined in a file of this folder.
#pragma once

#include "core/readers/samples/sample_format.h"

#define LOCKSTEP_SAMPLE_FORMATS(X)                                                                           \
    X(otlpFormat)                                                                                            \
    X(arealSessionsFormat)                                                                                   \
    X(sglangRequestsFormat)                                                                                  \
    X(verlMetricsFormat)                                                                                     \
    X(slimeTimelineFormat)                                                                                   \
    X(torchtitanLogFormat)                                                                                   \
    X(milesTrajectoriesFormat)                                                                               \
    X(milesPhasesFormat)                                                                                     \
    X(milesTopologyFormat)                                                                                   \
    X(milesBufferFormat)                                                                                     \
    X(milesGpusFormat)                                                                                       \
    X(milesGpuProcessesFormat)                                                                               \
    X(milesEnginesFormat)                                                                                    \
    X(milesMetricsFormat)

namespace lockstep {

#define LOCKSTEP_DECLARATION(function) SampleFormat function();
LOCKSTEP_SAMPLE_FORMATS(LOCKSTEP_DECLARATION)
#undef LOCKSTEP_DECLARATION

} // namespace lockstep
