// SPDX-License-Identifier: Apache-2.0
// LivePlacement: where the pieces of a run that is watched lie: in memory while the limit allows it, else in
// files that the kernel brings in as they are looked at. So a watch of days takes no more memory than the
// limit says, and nothing of it is lost. Asked by LiveMerging; read() by its workers, one call at a time for
// each spool.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/base/memory_budget.h"
#include "core/readers/capture_spool/live_recording.h"

namespace lockstep {

class LivePlacement {
  public:
    // A piece with less is left where it is: files of their own would take more than they give.
    static constexpr uint64_t kLeastMoved_bytes = 64 * 1024;

    struct Piece {
        size_t spool = 0;
        uint64_t number = 0;       // LiveRecording::Piece
        uint64_t memory_bytes = 0; // of its report and what draws it
    };
    struct Placed {
        LiveRecording::ReportPtr report;
        std::string told; // for people; empty: as it should be
    };

    // memory outlives this.
    explicit LivePlacement(MemoryBudget& memory) : m_memory(memory), m_held(memory.force(0)) {}

    // What all pieces take now.
    void setHeld(uint64_t bytes) { m_held.resize(bytes); }
    // The one that is to be read again onto disk: the largest, while more is taken than the limit allows.
    std::optional<Piece> toMove(std::span<const Piece> pieces) const;
    // The blocks of a merge, which take about so many bytes, where there is room. A single piece is not read
    // again where no disk has it: no report then. Where the disk is full memory has to do, whatever the
    // limit. canceled, io, corrupt.
    Result<Placed> read(const std::filesystem::path& path, const LiveRecording::Merge& merge, uint64_t bytes,
                        const Progress& progress);

  private:
    MemoryBudget& m_memory;
    MemoryBudget::Lease m_held;
};

} // namespace lockstep
