// SPDX-License-Identifier: Apache-2.0
// Report: one opened profile file, on its own clock. A reader creates it through ReportBuilder; once frozen
// it is shared between threads as shared_ptr<const Report> without locks. Timestamps are exactly those of the
// file, in ns.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/column.h"
#include "core/base/column_place.h"
#include "core/base/ids.h"
#include "core/base/packed_index.h"
#include "core/base/result.h"
#include "core/base/string_pool.h"
#include "core/trace/collective_op.h"
#include "core/trace/entity_tables.h"
#include "core/trace/identity.h"
#include "core/trace/import_notes.h"
#include "core/trace/link_table.h"
#include "core/trace/memory_op.h"
#include "core/trace/memory_snapshot_table.h"
#include "core/trace/row_facts.h"
#include "core/trace/sample_tables.h"
#include "core/trace/slice_table.h"

namespace lockstep {

// ClockRound: one comparison of a host's clocks with those of another host, made during a run (see
// capture/agent/clock_exchange.h) and stored with the host's event log. Written by the reader of run events
// and used by clock alignment. Times are in ns on CLOCK_MONOTONIC_RAW unless noted. 80 bytes.
struct ClockRound {
    // name of the other host; invalid for a reading of this host's own wall clock at sent_ns
    StringId peer;
    StringId boot;     // boot ID from this host's Linux kernel; a different boot means a different clock
    StringId peerBoot; // invalid for a reading of the wall clock
    uint32_t uncertainty_ns = 0;     // uncertainty of wall_ns, plus or minus
    uint32_t peerUncertainty_ns = 0; // uncertainty of peerWall_ns
    uint32_t isOverLink = 0;         // 1 if the launcher measured the round over its connection
    int64_t sent_ns = 0;             // on this host's clock
    int64_t peerReceived_ns = 0;     // on the peer's clock
    int64_t peerSent_ns = 0;         // on the peer's clock
    int64_t received_ns = 0;         // on this host's clock
    // CLOCK_REALTIME minus CLOCK_MONOTONIC_RAW of this host at the time of the round
    int64_t wall_ns = 0;
    int64_t peerWall_ns = 0; // the same for the peer

    bool isReading() const { return !peer.isValid(); }
    // Returns the lower bound on how far the peer's clock is ahead.
    int64_t least_ns() const { return peerSent_ns - received_ns; }
    // Returns the upper bound on how far the peer's clock is ahead.
    int64_t greatest_ns() const { return peerReceived_ns - sent_ns; }

    friend bool operator==(const ClockRound&, const ClockRound&) = default;
};

// Returns true if timestamps are in a plausible range, nothing is received before it was sent, and boot IDs
// are present where required. All other data is corrupt.
bool isPlausibleRound(const ClockRound& round);

// CounterTable: samples of all counter tracks as columns, sorted by (counter track, time). 16 bytes per
// sample.
class CounterTable {
  public:
    size_t size() const { return time_ns.size(); }

    // See core/trace/report_columns.h for the meaning of each column.
    Column<int64_t> time_ns;
    Column<double> value;
};

// The clock of a report's timestamps, and its relation to other clocks, as far as recorded in the file.
struct ClockDomain {
    std::string name; // "nsys session", "Unix epoch (Kineto base)", "unknown"
    // Unix time in ns at timestamp 0; absent if the report cannot be aligned by wall clock.
    std::optional<int64_t> utcAtZero_ns;
    // Resolution of utcAtZero_ns: 1, or 1'000'000'000 if recorded in whole seconds.
    int64_t utcResolution_ns = 0;
    std::optional<int64_t> systemAtZero_ns; // system (boot) clock of the host at timestamp 0, if recorded
    std::string utcSource; // "TARGET_INFO_SESSION_START_TIME.utcEpochNs", "baseTimeNanoseconds"
};

// Origin of the report: the file and the program that wrote it.
struct Provenance {
    std::filesystem::path path; // path that the user opened
    std::filesystem::path
        readFrom; // file that was read instead, such as an export made from `path`; empty for `path` itself
    uint64_t size_bytes = 0; // of all files, if `path` stands for a recording in several files
    std::string kind;        // name of the reader: "nsys sqlite", "kineto json", "chrome json"
    std::string producer;    // "NVIDIA Nsight Systems 2025.3.1.90", "PyTorch (Kineto)"
    std::string schema;      // "3.20.2", "1"; may be empty
    std::string tool = {};   // recording tool, "nsys" or "PyTorch"; set by the reader registry on opening
};

// A fact from the file that is shown unchanged: {"GPU driver", "550.54.15"}. Facts are shown in the order of
// the list.
using Fact = std::pair<std::string, std::string>;

struct Report {
    Provenance provenance;
    Identity identity;
    ClockDomain clock;
    TimeRange session; // time range covered by the capture, on the report clock; empty if unknown
    // From the first timestamp to the last end of all slices and samples, except diagnostics. Empty if there
    // are none.
    TimeRange extent;
    std::vector<Fact> facts;
    // Index of this part if provenance.path is still written: it is read in several parts, or again and again
    // as part 0. Slices of all parts share the same rows and never overlap. Absent if the report is complete.
    std::optional<uint64_t> chunk;
    // Time ranges for which data exists, but not in this part. Report clock, in chronological order.
    std::vector<TimeRange> gaps;

    ColumnPlace place; // storage of the columns and derived data: memory, or files
    StringPool strings;
    std::vector<Process> processes;
    std::vector<Thread> threads;
    std::vector<Device> devices;
    std::vector<Track> tracks; // the slices of each track are contiguous in `slices`
    SliceTable slices;
    std::vector<CounterTrack> counterTracks;
    CounterTable counters;
    LinkTable links;
    Column<MemoryOp> memoryOps;                            // sorted by slice
    Column<CollectiveOp> collectives;                      // sorted by slice
    RowFactTable rowFacts;                                 // launch configurations and other details
    std::vector<std::pair<StringId, StringId>> shortNames; // full kernel name -> base name, sorted by first
    std::vector<std::pair<SliceId, uint32_t>> colors;      // NVTX colors 0xRRGGBB, sorted by slice
    // table names, indexed by SourceRow::table; [0] is "" for JSON
    std::vector<std::string> sourceTables;

    SampleTables samples;           // samples of reinforcement learning; empty for most files
    Column<ClockRound> clockRounds; // only for the event log of a host, in file order

    std::shared_ptr<const MemorySnapshot> memory; // allocator snapshot; null for other files
    std::shared_ptr<const PackedIndex>
        packedIndex; // index of a compressed file, for fast access to row details; null if there is none

    // Number of rows in the file by kind, with the reader's names ("kernel", "sample", ...), in a fixed
    // order. The inventory compares these counts with a plain count of the file's rows. Includes rows that
    // are counted but not stored as slices (samples).
    std::vector<std::pair<std::string, uint64_t>> rowCounts;
    ImportNotes notes;

    std::string_view nameOf(SliceId id) const { return strings.at(slices.name[id.value]); }
    // Returns the base name of a GPU kernel if the file has one, otherwise nameOf().
    std::string_view shortNameOf(SliceId id) const;
    // Returns the track of a slice. O(log tracks).
    TrackId trackOf(SliceId id) const;
    const Track& track(TrackId id) const { return tracks[id.value]; }
    // Returns the copy or memset details of a slice, or nullptr. O(log n).
    const MemoryOp* memoryOpOf(SliceId id) const;
    // Returns the details of a slice beyond the columns; none if the file records none. O(log n).
    RowFacts factsOf(SliceId id) const { return rowFacts.of(id, strings); }
    // Returns the memory used by this report, measured by capacity, not by size.
    size_t residentBytes() const;
    // Returns the size of the columns in mapped files.
    size_t mappedBytes() const;
};

// Returns the identity of a process from this report alone, part by part: the process's own value if known,
// otherwise the report's. `process` may be invalid. Unlike this function, Workspace::identity() also
// considers user edits and other reports.
Identity identityOf(const Report& report, ProcessId process);

} // namespace lockstep
