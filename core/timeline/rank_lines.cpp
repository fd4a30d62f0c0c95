// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/rank_lines.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lockstep {

namespace {

constexpr double kMaxDeviation = 0.25; // of the mean number of ranks per line

// A boundary between two lines: the number of lines and of ranks above it.
struct Boundary {
    uint32_t lines = 0, ranks = 0;
};

class HostBoundaries {
  public:
    HostBoundaries(uint32_t ranks, uint32_t lines)
        : m_end{lines, ranks}, m_mean(double(ranks) / lines), m_slack(std::max(1.0, m_mean * kMaxDeviation))
    {
    }

    // Adds the boundary above a host if the lines remain nearly equal. `ranks` must ascend.
    void add(uint32_t ranks)
    {
        const Boundary next{static_cast<uint32_t>(std::lround(ranks / m_mean)), ranks};
        if (next.lines >= m_end.lines) return;
        const bool isNearer = next.lines == m_kept.back().lines && distance(next) < distance(m_kept.back());
        if (isNearer && m_kept.size() > 1 && isNearlyEqual(m_kept[m_kept.size() - 2], next)) {
            m_kept.back() = next;
        } else if (isNearlyEqual(m_kept.back(), next)) {
            m_kept.push_back(next);
        }
    }

    // Returns the boundaries, including the first and the last.
    std::vector<Boundary> finish()
    {
        while (m_kept.size() > 1 && !isNearlyEqual(m_kept.back(), m_end))
            m_kept.pop_back();
        m_kept.push_back(m_end);
        return std::move(m_kept);
    }

  private:
    double distance(Boundary of) const { return std::abs(of.ranks - of.lines * m_mean); }
    bool isNearlyEqual(Boundary from, Boundary to) const
    {
        if (to.lines <= from.lines || to.ranks - from.ranks < to.lines - from.lines) return false;
        const uint32_t lines = to.lines - from.lines, ranks = to.ranks - from.ranks;
        return ranks / lines > m_mean - m_slack && (ranks + lines - 1) / lines < m_mean + m_slack;
    }

    const Boundary m_end;
    const double m_mean, m_slack;
    std::vector<Boundary> m_kept{{}};
};

} // namespace

std::vector<uint32_t> ranksPerLine(std::span<const uint32_t> hosts, uint32_t lines)
{
    const uint32_t all = std::accumulate(hosts.begin(), hosts.end(), 0u);
    lines = std::min(lines, all);
    std::vector<uint32_t> out;
    if (lines == 0) return out;
    HostBoundaries boundaries(all, lines);
    uint32_t above = 0;
    for (const uint32_t host : hosts) {
        boundaries.add(above);
        above += host;
    }
    const std::vector<Boundary> fixed = boundaries.finish();
    for (size_t i = 1; i < fixed.size(); ++i) {
        const uint64_t some = fixed[i].lines - fixed[i - 1].lines,
                       ranks = fixed[i].ranks - fixed[i - 1].ranks;
        for (uint64_t line = 0; line < some; ++line)
            out.push_back(static_cast<uint32_t>((line + 1) * ranks / some - line * ranks / some));
    }
    return out;
}

} // namespace lockstep
