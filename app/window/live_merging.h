// SPDX-License-Identifier: Apache-2.0
// LiveMerging limits the number and memory of a watched run's chunks. It merges adjacent chunks by reading
// them again as one, and moves chunks to disk when memory use exceeds the limit. It runs concurrently with
// the rounds of LiveWatch, which owns it; the next round takes the results. UI thread; never blocks.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/lanes/report_lod.h"
#include "core/readers/capture_spool/live_placement.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class LiveMerging {
  public:
    struct BuiltReport { // a report with its level-of-detail data
        LiveRecording::ReportPtr report;
        std::shared_ptr<const ReportLod> lod;

        uint64_t memory_bytes() const { return report->residentBytes() + lod->residentBytes(); }
    };
    struct MergeRequest {
        size_t spool = 0;
        LiveRecording::Merge merge;
        std::filesystem::path path;
        uint64_t bytes = 0; // estimated memory
    };
    struct Merged {
        size_t spool = 0;
        LiveRecording::Merge merge;
        BuiltReport built;
    };

    // `report` receives messages for the user.
    LiveMerging(const Workers& workers, MemoryBudget& memory,
                std::function<void(const MessageWithHelp&)> report);

    // Requests a merge. Ignored while another merge of the same spool is pending.
    void requestMerge(MergeRequest request);
    // Returns and removes the finished merges of this spool.
    std::vector<Merged> take(size_t spool);
    // Returns a chunk to move to disk if inUse_bytes exceeds the limit, otherwise nullopt.
    std::optional<LivePlacement::Chunk> toMove(std::span<const LivePlacement::Chunk> chunks,
                                               uint64_t inUse_bytes);
    void cancel();

  private:
    struct Outcome {
        Merged merged;
        MessageWithHelp message;
    };
    void next();
    void handleOutcome(Result<Outcome> outcome);

    std::function<void(const MessageWithHelp&)> m_report;
    std::shared_ptr<LivePlacement> m_placement;
    std::deque<MergeRequest> m_queue; // the first merge in the queue is running
    bool m_isStuck = false;           // true if no chunk can be moved because the disk is full
    std::vector<Merged> m_done;
    LatestJob<Outcome> m_job;
};

} // namespace lockstep
