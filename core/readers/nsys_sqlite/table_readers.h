// SPDX-License-Identifier: Apache-2.0
// The tables of an export that are read row by row, with their readers. A new table is one line in
// table_readers.cpp and, if its rows are not plain calls, one read function.
#pragma once

#include <span>

#include "core/readers/nsys_sqlite/table_scan.h"

namespace lockstep {

// Returns a reader for an unknown table whose columns show that its rows are calls: start, end, globalTid,
// and nameId or textId. `lane` separates the tracks of this table from those of other such tables. Returns
// nullopt for tables with other columns. The name must outlive the reader.
std::optional<TableReader> callTableReader(std::string_view table, const SchemaProbe& schema, int64_t lane);

// Returns the readers in a fixed order, which determines the indices in Report::sourceTables and the order of
// notes.
std::span<const TableReader> tableReaders();

// in gpu_rows.cpp
void readKernels(TableScan& scan);
void readCopies(TableScan& scan);
void readMemsets(TableScan& scan);
void readGraphLaunches(TableScan& scan);
// in wait_rows.cpp
void readCudaEvents(TableScan& scan);
void readSynchronizations(TableScan& scan);
// in api_rows.cpp
void readCudaApi(TableScan& scan);
void readCalls(TableScan& scan);
void readOsRuntime(TableScan& scan);
void readMpiRanks(TableScan& scan);
// in nvtx_rows.cpp
void readNvtx(TableScan& scan);
// in cpu_rows.cpp
void readScheduling(TableScan& scan);
void readSampleSymbols(TableScan& scan);
void readSamples(TableScan& scan);
void readFileAccess(TableScan& scan);
void readContextSwitches(TableScan& scan);
// in counter_rows.cpp
void readGpuMetrics(TableScan& scan);
void readMemoryUsage(TableScan& scan);
// in generic_events.cpp
void readGenericValues(TableScan& scan);
void readGenericEvents(TableScan& scan);
// in network_rows.cpp
void readNetworkMetrics(TableScan& scan);
// in memory_rows.cpp
void readCpuPageFaults(TableScan& scan);
void readGpuPageFaults(TableScan& scan);
void readMemoryPools(TableScan& scan);
// in diagnostic_rows.cpp
void readDiagnostics(TableScan& scan);

} // namespace lockstep
