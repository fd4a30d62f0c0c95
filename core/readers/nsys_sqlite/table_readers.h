// SPDX-License-Identifier: Apache-2.0
// The tables of an export that are read row by row, and how. A new table is one line in table_readers.cpp
// and, where its rows are no plain calls, one read function.
#pragma once

#include <span>

#include "core/readers/nsys_sqlite/table_scan.h"

namespace lockstep {

// A reader for a table that is none of the known ones but whose rows are calls by their columns: start, end,
// globalTid, and nameId or textId. `lane` tells its tracks from those of other such tables. nullopt for other
// tables. The name must outlive the reader.
std::optional<TableReader> callTableReader(std::string_view table, const SchemaProbe& schema, int64_t lane);

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
void readOsRuntime(TableScan& scan);
void readMpiRanks(TableScan& scan);
// nvtx_rows.cpp
void readNvtx(TableScan& scan);
// cpu_rows.cpp
void readScheduling(TableScan& scan);
void readSampleSymbols(TableScan& scan);
void readSamples(TableScan& scan);
void readFileAccess(TableScan& scan);
void readContextSwitches(TableScan& scan);
// counter_rows.cpp
void readGpuMetrics(TableScan& scan);
void readMemoryUsage(TableScan& scan);
// generic_events.cpp
void readGenericValues(TableScan& scan);
void readGenericEvents(TableScan& scan);
// network_rows.cpp
void readNetworkMetrics(TableScan& scan);
// memory_rows.cpp
void readCpuPageFaults(TableScan& scan);
void readGpuPageFaults(TableScan& scan);
void readMemoryPools(TableScan& scan);
// diagnostic_rows.cpp
void readDiagnostics(TableScan& scan);

} // namespace lockstep
