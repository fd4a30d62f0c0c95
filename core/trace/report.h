// SPDX-License-Identifier: Apache-2.0
// Report: one profile file opened, on its own clock. Made by a reader through ReportBuilder, then frozen:
// shared as shared_ptr<const Report> between threads without locks. Stamps are exactly the file's, in ns.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/column_place.h"
#include "core/base/packed_index.h"
#include "core/base/result.h"
#include "core/base/string_pool.h"
#include "core/trace/clock_round.h"
#include "core/trace/collective_op.h"
#include "core/trace/counter_table.h"
#include "core/trace/entity_tables.h"
#include "core/trace/identity.h"
#include "core/trace/import_notes.h"
#include "core/trace/link_table.h"
#include "core/trace/memory_op.h"
#include "core/trace/memory_snapshot_table.h"
#include "core/trace/slice_table.h"

namespace lockstep {

// The clock that a report's stamps are on, and how it is tied to others, as far as the file says.
struct ClockDomain {
    std::string name;                    // "nsys session", "Unix epoch (Kineto base)", "unknown"
    std::optional<int64_t> utcAtZero_ns; // Unix-epoch ns of stamp 0; absent: cannot be placed by wall clock
    int64_t utcResolution_ns = 0;        // granularity of utcAtZero_ns: 1, or 1'000'000'000 for second texts
    std::optional<int64_t> systemAtZero_ns; // the host's system (boot) clock at stamp 0, where stated
    std::string utcSource; // "TARGET_INFO_SESSION_START_TIME.utcEpochNs", "baseTimeNanoseconds"
};

// What the report is a file of, and what wrote it.
struct Provenance {
    std::filesystem::path path; // as opened
    std::filesystem::path
        readFrom; // the file that was read instead: an export made from `path`; empty = path itself
    uint64_t size_bytes = 0;
    std::string kind;      // "nsys sqlite", "kineto json", "chrome json": the reader's word
    std::string producer;  // "NVIDIA Nsight Systems 2025.3.1.90", "PyTorch (Kineto)"
    std::string schema;    // "3.20.2", "1"; may be empty
    std::string tool = {}; // what recorded it, in a word: "nsys", "PyTorch"; said by the registry on opening
};

// A fact of the file worth showing as it is: {"GPU driver", "550.54.15"}. Shown in order.
using Fact = std::pair<std::string, std::string>;

class RowFactReader;
struct Report;
// Goes back to the file for what its rows say beyond a report's columns. See core/trace/row_facts.h.
using OpenRowFacts = Result<std::unique_ptr<RowFactReader>> (*)(const Report& report);

struct Report {
    Provenance provenance;
    Identity identity;
    ClockDomain clock;
    TimeRange session; // what the capture covered, report clock; empty when the file does not say
    TimeRange extent; // from the first stamp to the last end of all slices and samples but diagnostics; empty
                      // when there are none
    std::vector<Fact> facts;
    // One of several parts of what provenance.path holds: its place among them. Their slices lie on the same
    // rows, and never over each other. Absent: the report is the whole.
    std::optional<uint64_t> piece;
    std::vector<TimeRange>
        gaps; // report clock, in order: what is known to exist there and is not in this part

    ColumnPlace place; // of the columns, and of what is derived from them: memory, or files
    StringPool strings;
    std::vector<Process> processes;
    std::vector<Thread> threads;
    std::vector<Device> devices;
    std::vector<Track> tracks; // each has its slices in one run of `slices`
    SliceTable slices;
    std::vector<CounterTrack> counterTracks;
    CounterTable counters;
    LinkTable links;
    Column<MemoryOp> memoryOps;                            // sorted by slice
    Column<CollectiveOp> collectives;                      // sorted by slice
    std::vector<std::pair<StringId, StringId>> shortNames; // full kernel name -> base name, sorted by first
    std::vector<std::pair<SliceId, uint32_t>> colors;      // NVTX colours 0xRRGGBB, sorted by slice
    std::vector<std::string> sourceTables; // what SourceRow::table numbers mean; [0] for JSON is ""

    Column<ClockRound> clockRounds; // of a host's event log, as they were written; else empty

    std::shared_ptr<const MemorySnapshot> memory; // allocator snapshot; null for other files
    std::shared_ptr<const PackedIndex>
        packedIndex; // of a packed file that was read: how details of a row are found fast; null where none

    OpenRowFacts openFacts = nullptr; // said by the registry on opening; null where there is no more to say

    // Rows the file holds by the reader's own word ("kernel", "sample" ...), in a fixed order: what an
    // inventory compares with a plain count. Includes rows that are counted but not kept as slices (samples).
    std::vector<std::pair<std::string, uint64_t>> rowCounts;
    ImportNotes notes;

    std::string_view nameOf(SliceId id) const { return strings.at(slices.name[id.value]); }
    // The kernel's base name where the file has one, else nameOf().
    std::string_view shortNameOf(SliceId id) const;
    // The track that holds a slice. O(log tracks).
    TrackId trackOf(SliceId id) const;
    const Track& track(TrackId id) const { return tracks[id.value]; }
    // The copy or memset details of a slice, or nullptr. O(log n).
    const MemoryOp* memoryOpOf(SliceId id) const;
    // Bytes of everything above that this report keeps in memory, capacity not size.
    size_t residentBytes() const;
    // Of the columns that somebody else keeps: files that are mapped.
    size_t mappedBytes() const;
};

// What the report alone says of a process, part by part: the process' own word where known, else its
// report's. process may be invalid. With the user's word and the other reports: Workspace::identity().
Identity identityOf(const Report& report, ProcessId process);

} // namespace lockstep
