// SPDX-License-Identifier: Apache-2.0
// RankMap: the ranks of a folded group in the order and on the lines in which a map shows them: which ranks
// share a line, who stands out, who has no report. Made by placeLanes() when lanes, clocks or the choice
// change; independent of time and zoom. Immutable, any thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/lanes/lane_state.h"
#include "core/scene/scene.h"
#include "core/timeline/frame_metrics.h"

namespace lockstep {

class RankMap {
  public:
    struct Rank {
        uint32_t lane = kNoLane; // of its process; kNoLane: no report of it is open
        std::optional<int> number;
        std::string host; // of a rank without a report: of those around it, where they agree
        std::string role;
        double busy = 0; // of 1
        uint64_t collectives = 0;
        uint64_t timesLast = 0;
        int64_t waited_ns = 0; // see RankLate
        int64_t caused_ns = 0;
        bool isOutlier = false;
    };
    // One line of the map: ranks that share it, in order.
    struct Line {
        int top = 0; // pixels from the map's top
        int bottom = 0;
        uint32_t first = 0; // into ranks()
        uint32_t count = 0;
        bool isOutlier = false; // one rank alone, taller than the others
    };

    // isShown: by lane of a process; ranks without a report are looked for only where all are shown.
    static std::shared_ptr<const RankMap> make(const Scene& scene, uint32_t group, RankMapChoice choice,
                                               const FrameMetrics& metrics,
                                               const std::function<bool(uint32_t)>& isShown);

    const std::vector<Rank>& ranks() const { return m_ranks; }
    const std::vector<Line>& lines() const { return m_lines; }
    RankMapChoice choice() const { return m_choice; }
    int height() const { return m_lines.empty() ? 0 : m_lines.back().bottom; }
    int64_t mostCaused_ns() const { return m_mostCaused_ns; }
    uint32_t hosts() const { return m_hosts; }
    size_t missing() const { return m_missing; }
    bool isWhole() const { return m_isWhole; } // no rank of it was left out
    // The line at a pixel from the map's top; nullptr outside.
    const Line* lineAt(int y) const;
    // The line of a rank.
    uint32_t lineOf(uint32_t rank) const;
    // The rank that a line shows first of all: its outlier, the one that kept others longest, else the first.
    const Rank& speakerOf(const Line& line) const;

  private:
    void collect(const Scene& scene, uint32_t group, const std::function<bool(uint32_t)>& isShown);
    void addMissing();
    void sort(const Scene& scene);
    std::vector<double> unlikeness(const Scene& scene) const;
    void findOutliers(const Scene& scene);
    void cutLines(const FrameMetrics& metrics);

    std::vector<Rank> m_ranks;
    std::vector<Line> m_lines;
    RankMapChoice m_choice;
    int64_t m_mostCaused_ns = 0;
    uint32_t m_hosts = 0;
    size_t m_missing = 0;
    bool m_isWhole = false;
};

} // namespace lockstep
