// SPDX-License-Identifier: Apache-2.0
// LivePlacement decides where the chunks of a live run are stored: in memory while the limit allows it,
// otherwise in memory-mapped files. A live view over several days thus stays within the memory limit without
// losing data. Used by LiveMerging; workers call read(), one call at a time per capture.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/base/memory_budget.h"
#include "core/readers/capture_spool/live_recording.h"

namespace lockstep {

class LivePlacement {
  public:
    // Smaller chunks are not moved to disk, because their files would take more space than the move frees.
    static constexpr uint64_t kMinMoved_bytes = 64 * 1024;

    struct Chunk {
        size_t spool = 0;
        uint64_t number = 0;       // number of the LiveRecording::Chunk
        uint64_t memory_bytes = 0; // memory of the chunk's report and drawing data
    };
    struct Placed {
        LiveRecording::ReportPtr report;
        MessageWithHelp message; // message for the user; empty if there is none
    };

    // `memory` must outlive this object.
    explicit LivePlacement(MemoryBudget& memory) : m_memory(memory), m_used(memory.force(0)) {}

    // Sets the memory that all chunks use now.
    void setUsedMemory(uint64_t bytes) { m_used.resize(bytes); }
    // Returns the chunk to move to disk: the largest one, if the memory exceeds the limit; otherwise nullopt.
    std::optional<Chunk> toMove(std::span<const Chunk> chunks) const;
    // Reads the blocks of a merge, which need about `bytes`, into memory or onto disk, wherever there is
    // room. If no disk can store a single chunk, the chunk is not read again and the result has no report. If
    // the disk is full, memory is used even if the limit is exceeded. Errors: canceled, io, corrupt.
    Result<Placed> read(const std::filesystem::path& path, const LiveRecording::Merge& merge, uint64_t bytes,
                        const Progress& progress);

  private:
    MemoryBudget& m_memory;
    MemoryBudget::Lease m_used;
};

} // namespace lockstep
