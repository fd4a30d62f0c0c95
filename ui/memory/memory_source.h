// SPDX-License-Identifier: Apache-2.0
// MemorySource is one device of a memory snapshot, or of another file with memory data: the source contains
// its replay, its owner, and its clock mapping to the aligned axis. memorySources() creates the sources of a
// scene. Value type; a source keeps the objects that it points to alive. Any thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QString>

#include "core/memory/snapshot_difference.h"
#include "core/scene/scene.h"

namespace lockstep {

struct MemorySource {
    ReportKey key;
    std::shared_ptr<const Report> report;
    std::shared_ptr<const ReportMemory> memory;
    size_t deviceRow = 0; // row of AllocatorReplay::devices
    ClockMap map;
    QString name; // "rank 0 · node0 · GPU 0", or the file name

    const DeviceReplay& device() const { return memory->replay.devices[deviceRow]; }
    const MemorySnapshot& snapshot() const { return *memory->replay.snapshot; }
    const MemoryRecording& recording() const { return snapshot().recording(device().device); }
    bool hasTimes() const { return !snapshot().entries.time_ns.empty() && !device().rows.empty(); }
    MemoryCategory categoryOfLife(BlockLifeId life) const
    {
        return categoryOf(memory->categories, device().blocks.stack[life.value]);
    }
    // Returns a MemoryView for the comparison functions of core. The MemoryView is valid during the lifetime
    // of this source.
    MemoryView at(MemoryMoment moment) const { return {device(), snapshot(), report->strings, moment}; }
    // Returns the range from the first to the last entry, on the report's clock. Call only for sources with
    // times.
    TimeRange extent() const;
    // Returns the time of `moment` on the aligned axis, or nullopt if the file has no times.
    std::optional<TraceTime> alignedTime(MemoryMoment moment) const;
    // Returns "entry 412 of 9 031" or, if the file has times, "+12.3 ms, entry 412 of 9 031" (time since the
    // first entry).
    QString momentText(MemoryMoment moment) const;

    friend bool operator==(const MemorySource& a, const MemorySource& b)
    {
        return a.key == b.key && a.memory == b.memory && a.deviceRow == b.deviceRow && a.name == b.name;
    }
};

// Returns the sources of the visible reports in list order, one per device. Devices without entries and
// segments are included. Reports whose replay is not ready are skipped.
std::vector<MemorySource> memorySources(const Scene& scene);

// Makes text from a file safe to display: returns one line of at most maxLength characters, without control
// characters.
QString shownText(std::string_view text, int maxLength = 400);
// Returns "dir/file.py:12 function" (with the parent folder of the file), or "no stack" for an invalid frame.
QString frameText(const MemorySource& source, MemoryFrameId frame);
// Returns all frames of a stack, a line each, innermost first, with full paths.
QString wholeStackText(const MemorySource& source, MemoryStackId stack);
// Returns core's stackText(), made safe to display.
QString stackShown(const MemorySource& source, MemoryStackId stack, size_t maxFrames = 1);
QString categoryText(MemoryCategory category);

} // namespace lockstep
