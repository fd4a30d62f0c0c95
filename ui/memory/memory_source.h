// SPDX-License-Identifier: Apache-2.0
// MemorySource: one device of one memory snapshot, or of another file with memory, of a scene, as the memory
// panel offers it to look at: the replay, whose it is, and where its clock lies on the aligned axis. Made by
// memorySources() of a scene; a value that keeps alive what it points to, for any thread.
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
    size_t deviceRow = 0; // of AllocatorReplay::devices
    ClockMap map;
    QString name; // "rank 0 · node0 · GPU 0", else the file's name

    const DeviceReplay& device() const { return memory->replay.devices[deviceRow]; }
    const MemorySnapshot& snapshot() const { return *memory->replay.snapshot; }
    const MemoryRecording& recording() const { return snapshot().recording(device().device); }
    bool hasTimes() const { return !snapshot().entries.time_ns.empty() && !device().rows.empty(); }
    MemoryCategory categoryOfLife(BlockLifeId life) const
    {
        return categoryOf(memory->categories, device().blocks.stack[life.value]);
    }
    // For core's comparisons; good while this source lives.
    MemoryView at(MemoryMoment moment) const { return {device(), snapshot(), report->strings, moment}; }
    // From the first to the last entry, report clock. Only with times.
    TimeRange extent() const;
    // On the aligned axis; empty where the file has no times.
    std::optional<TraceTime> alignedTime(MemoryMoment moment) const;
    // "entry 412 of 9 031" and, with times, how long after the first: "+12.3 ms, entry 412 of 9 031".
    QString momentText(MemoryMoment moment) const;

    friend bool operator==(const MemorySource& a, const MemorySource& b)
    {
        return a.key == b.key && a.memory == b.memory && a.deviceRow == b.deviceRow && a.name == b.name;
    }
};

// Of the shown reports, as they are listed, a device after the other; those with neither entries nor segments
// too. A report whose replay is not made yet is left out.
std::vector<MemorySource> memorySources(const Scene& scene);

// A text of a file as one line on screen: no control characters, at most `most` characters.
QString shownText(std::string_view text, int most = 400);
// "file.py:12 function", the file without its folders but the last; "no stack" for an invalid frame.
QString frameText(const MemorySource& source, MemoryFrameId frame);
// As stackText() of core, for the screen.
QString stackShown(const MemorySource& source, MemoryStackId stack, size_t most = 1);
QString categoryText(MemoryCategory category);

} // namespace lockstep
