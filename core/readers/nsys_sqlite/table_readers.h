// The tables of an export that are read row by row, and how. A new table is one line in table_readers.cpp and, where
// its rows are no plain calls, one read function.
#pragma once

#include <span>

#include "core/readers/nsys_sqlite/table_scan.h"

namespace lockstep {

// In a fixed order: it numbers Report::sourceTables and decides what stands first in notes.
std::span<const TableReader> tableReaders();

// gpu_rows.cpp
void readKernels(TableScan& scan);
void readCopies(TableScan& scan);
void readMemsets(TableScan& scan);
void readGraphLaunches(TableScan& scan);
// wait_rows.cpp
void readCudaEvents(TableScan& scan);
void readSynchronizations(TableScan& scan);
// api_rows.cpp
void readCudaApi(TableScan& scan);
void readCalls(TableScan& scan);
void readMpiRanks(TableScan& scan);
// nvtx_rows.cpp
void readNvtx(TableScan& scan);
// cpu_rows.cpp
void readScheduling(TableScan& scan);
void countRows(TableScan& scan);
// counter_rows.cpp
void readGpuMetrics(TableScan& scan);
void readMemoryUsage(TableScan& scan);
void readGenericEvents(TableScan& scan);
// diagnostic_rows.cpp
void readDiagnostics(TableScan& scan);

} // namespace lockstep
