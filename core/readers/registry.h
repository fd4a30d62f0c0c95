// SPDX-License-Identifier: Apache-2.0
// The list of all readers, in the order in which a file is tried. Each line names the function that returns a
// reader, which is declared below and defined in the folder of the format. Workspaces and Ascend databases
// precede nsys exports, because all three are SQLite databases. Memory snapshots and run event logs precede
// Chrome JSON, because a snapshot may also be a JSON file, and the lines of a log also start with a brace;
// so do sample records.
#pragma once

#include "core/readers/reader.h"

#define LOCKSTEP_READERS(X)                                                                                  \
    X(workspaceFileReader)                                                                                   \
    X(ascendDbReader)                                                                                        \
    X(nsysSqliteReader)                                                                                      \
    X(nsysReportReader)                                                                                      \
    X(rolloutDumpReader)                                                                                     \
    X(memorySnapshotReader)                                                                                  \
    X(runEventsReader)                                                                                       \
    X(sampleRecordsReader)                                                                                   \
    X(chromeJsonReader)                                                                                      \
    X(perfettoReader)                                                                                        \
    X(captureSpoolReader)                                                                                    \
    X(ascendMemoryReader)

namespace lockstep {

#define LOCKSTEP_DECLARATION(function) Reader function();
LOCKSTEP_READERS(LOCKSTEP_DECLARATION)
#undef LOCKSTEP_DECLARATION

} // namespace lockstep
