// SPDX-License-Identifier: Apache-2.0
// SnapshotDecoder converts the plain data of an allocator snapshot to columns, instants, annotation ranges
// and counter tracks of a report. Used once per file, one thread. In its role as PickleRows, it receives the
// history entries while the pickle is read.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/pickle/pickle.h"
#include "core/readers/pickle/value_tree.h"
#include "core/trace/memory_snapshot_table.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// FramePool interns frames and stacks while a snapshot is decoded. A stack shared in the file is decoded
// once. Belongs to one decoder, one thread.
class FramePool {
  public:
    FramePool(const ValueTree& values, ReportBuilder& builder, MemorySnapshot& out);

    // Returns the stack for a list of frame dictionaries; invalid if the list is empty or absent.
    MemoryStackId stack(ValueId frames);

  private:
    struct FrameHash {
        size_t operator()(const MemoryFrame& frame) const noexcept;
    };

    MemoryFrameId frame(ValueId dict);
    MemoryStackId intern(const std::vector<MemoryFrameId>& frames);

    const ValueTree& m_values;
    ReportBuilder& m_builder;
    MemorySnapshot& m_out;
    std::unordered_map<ValueId, MemoryStackId> m_byList;
    std::unordered_map<ValueId, MemoryFrameId> m_byDict;
    std::unordered_map<MemoryFrame, MemoryFrameId, FrameHash> m_byContent;
    std::unordered_multimap<uint64_t, MemoryStackId> m_byHash;
};

// SourceRow tables of a snapshot's slices.
inline constexpr uint8_t kMemoryEntrySource = 0;      // row of MemorySnapshot::entries
inline constexpr uint8_t kMemoryAnnotationSource = 1; // index of the START event in external_annotations

class SnapshotDecoder : public PickleRows {
  public:
    // `process` is the report's only process; `values` must outlive the decoder.
    SnapshotDecoder(const ValueTree& values, ReportBuilder& builder, ProcessId process,
                    const Progress& progress);

    // Returns true for a snapshot: a dictionary with segments or device_traces, or a list of segments.
    static bool isSnapshot(const ValueTree& values, ValueId root);

    bool takes(std::string_view key) override;
    void take(ValueId root, std::span<const ValueId> before, size_t place, ValueId row) override;

    // Decodes the snapshot except the entries already received; returns corrupt if those entries came from a
    // different root. Fills the builder with facts, row counts, notes, tracks, slices, counters and
    // Report::memory.
    Status decode(ValueId root);

  private:
    struct OpenAnnotation {
        std::string name;
        int64_t start_ns;
        uint64_t row;
    };

    void readPart(std::string_view key, ValueId value);
    void readSegments(ValueId list, bool isHost);
    void readSegment(ValueId dict, bool isHost);
    void readBlocks(ValueId list, uint64_t segmentAddress);
    void readBlock(ValueId dict, uint64_t& nextAddress);
    void readTraces(ValueId list, bool isHost);
    bool readEntry(ValueId dict, int32_t device);
    void readAnnotations(ValueId list);
    void readAnnotation(ValueId dict, uint64_t row, std::map<int32_t, std::vector<OpenAnnotation>>& open);
    void addAnnotation(int32_t device, const OpenAnnotation& opened, int64_t end_ns, uint8_t flags);
    void readSettings(ValueId dict, const std::string& prefix, int depth);

    bool isFirstVisit(ValueId dict, const char* what);
    void skip(const char* what, const char* lacks);
    StringId intern(ValueId value);
    StringId compileContext(ValueId value);
    void noteUnknownKey(std::string_view key);
    MemoryAction action(ValueId value);
    std::array<uint64_t, 2> pool(ValueId value) const;
    int64_t timestamp(ValueId value);
    uint64_t size(ValueId value);
    DeviceId deviceOf(int32_t device);

    void padColumns();
    void findDevices();
    void addInstants();
    Status finish();

    const ValueTree& m_values;
    ReportBuilder& m_builder;
    ProcessId m_process;
    const Progress& m_progress;
    std::shared_ptr<MemorySnapshot> m_out;
    FramePool m_frames;
    SliceBatch m_batch{m_progress.place().temporary()};
    std::vector<bool> m_visited;
    // Strings that entries share, by value IDs, which are never reused.
    std::array<std::pair<ValueId, StringId>, 64> m_interned{};
    ValueId m_root;           // root of the received rows
    size_t m_partsRead = 0;   // number of entries of the root that were already read
    bool m_isHostKey = false; // whether the last key passed to takes() was the host's
    uint64_t m_untimed = 0;
    uint64_t m_annotations = 0;
    int64_t m_lastTime_ns = 0;
};

} // namespace lockstep
