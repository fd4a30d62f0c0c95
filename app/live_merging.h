// SPDX-License-Identifier: Apache-2.0
// LiveMerging: keeps the pieces of a watched run few and small: beside the rounds of LiveWatch, whose part it
// is, it reads neighbouring pieces as one, and where the memory limit is passed pieces onto disk. What is
// done waits to be taken by the next round. UI thread; nothing here blocks it.
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
    struct Made { // a report with what drawing needs
        LiveRecording::ReportPtr report;
        std::shared_ptr<const ReportLod> lod;

        uint64_t memory_bytes() const { return report->residentBytes() + lod->residentBytes(); }
    };
    struct Wanted {
        size_t spool = 0;
        LiveRecording::Merge merge;
        std::filesystem::path path;
        uint64_t bytes = 0; // about what it takes in memory
    };
    struct Merged {
        size_t spool = 0;
        LiveRecording::Merge merge;
        Made made;
    };

    // tell: for people.
    LiveMerging(const Workers& workers, MemoryBudget& memory, std::function<void(const std::string&)> tell);

    // One at a time of each spool; another one is passed over.
    void want(Wanted wanted);
    // Of this spool, what is done.
    std::vector<Merged> take(size_t spool);
    // What all pieces take now, of which one may have to move.
    std::optional<LivePlacement::Piece> toMove(std::span<const LivePlacement::Piece> pieces,
                                               uint64_t held_bytes);
    void cancel();

  private:
    struct Outcome {
        Merged merged;
        std::string told;
    };
    void next();
    void takeOutcome(Result<Outcome> outcome);

    std::function<void(const std::string&)> m_tell;
    std::shared_ptr<LivePlacement> m_placement;
    std::deque<Wanted> m_wanted; // the first is under way
    bool m_isStuck = false;      // no piece can be moved: there is no room on disk
    std::vector<Merged> m_done;
    LatestJob<Outcome> m_job;
};

} // namespace lockstep
