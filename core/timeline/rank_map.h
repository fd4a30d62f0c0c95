// SPDX-License-Identifier: Apache-2.0
// RankMap: the ranks of a collapsed group in display order, with the lines that show them. The lines fill the
// map's height. If there are more ranks than rows of pixels, each line shows nearly the same number of ranks,
// see ranksPerLine(). Outliers have their own line, and ranks without a report are included. Computed by
// placeLanes() when lanes, clocks or display choices change; independent of time and zoom. Immutable. Thread:
// any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/lanes/lane_state.h"
#include "core/scene/scene.h"
#include "core/timeline/frame_metrics.h"

namespace lockstep {

// Divides consecutive ranks among `lines` lines and returns the number of ranks in each. Returns fewer lines
// only if there are fewer ranks. hosts: the number of consecutive ranks on each host, in the order of the
// map.
//
// Without hosts, the lines would differ by at most one rank. A line begins at a host's first rank wherever
// this changes its number of ranks by less than a quarter of the mean. Each host boundary is assigned to the
// nearest boundary of equal lines, so deviations do not accumulate, and the ranks between two such boundaries
// are divided equally. O(hosts + lines).
std::vector<uint32_t> ranksPerLine(std::span<const uint32_t> hosts, uint32_t lines);

class RankMap {
  public:
    struct Rank {
        uint32_t lane = kNoLane; // lane of the rank's process; kNoLane: there is no open report
        std::optional<int> number;
        std::string host; // for a rank without a report: the host of its neighbors, if both have the same
                          // host
        std::string role;
        double busy = 0; // utilization, 0..1
        uint64_t collectives = 0;
        uint64_t timesLast = 0;
        int64_t waited_ns = 0; // see RankLate
        int64_t caused_ns = 0;
        bool isOutlier = false;
    };
    // A line of the map, with the consecutive ranks that share this line.
    struct Line {
        int top = 0; // pixels from the map's top
        int bottom = 0;
        uint32_t first = 0; // index in ranks()
        uint32_t count = 0;
        bool isOutlier = false; // a single rank, which is drawn taller than other ranks
    };

    // isShown: for each lane of a process, whether it is visible. Ranks without a report are listed only if
    // all ranks are visible.
    static std::shared_ptr<const RankMap> make(const Scene& scene, uint32_t group, RankMapChoice choice,
                                               const FrameMetrics& metrics,
                                               const std::function<bool(uint32_t)>& isShown);

    const std::vector<Rank>& ranks() const { return m_ranks; }
    const std::vector<Line>& lines() const { return m_lines; }
    RankMapChoice choice() const { return m_choice; }
    int height() const { return m_lines.empty() ? 0 : m_lines.back().bottom; }
    int64_t maxCaused_ns() const { return m_maxCaused_ns; }
    uint32_t hosts() const { return m_hosts; }
    size_t missing() const { return m_missing; }
    bool isWhole() const { return m_isWhole; } // no rank was omitted
    // Returns the line at a pixel from the map's top, or nullptr.
    const Line* lineAt(int y) const;
    // Returns the line of a rank.
    uint32_t lineOf(uint32_t rank) const;
    // Returns the rank that represents a line: the outlier on the line. Without an outlier, returns the rank
    // that caused the most wait, otherwise the first rank.
    const Rank& representativeOf(const Line& line) const;

  private:
    void collect(const Scene& scene, uint32_t group, const std::function<bool(uint32_t)>& isShown);
    void addMissing();
    void sort(const Scene& scene);
    std::vector<double> dissimilarity(const Scene& scene) const;
    void findOutliers(const Scene& scene);
    void cutLines(const FrameMetrics& metrics);
    void divideRanks(uint32_t rows);
    std::vector<uint32_t> hostRuns(uint32_t first, uint32_t end) const;

    std::vector<Rank> m_ranks;
    std::vector<Line> m_lines;
    RankMapChoice m_choice;
    int64_t m_maxCaused_ns = 0;
    uint32_t m_hosts = 0;
    size_t m_missing = 0;
    bool m_isWhole = false;
};

} // namespace lockstep
