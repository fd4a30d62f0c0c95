// SPDX-License-Identifier: Apache-2.0
// CollectiveSelection: the matched collectives that a request's scope lets through, and what the files state
// of each. Made by the collective and straggler tables; lives as long as the request. One thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/align/collective_matching.h"
#include "core/align/straggler_metrics.h"
#include "core/analysis/analysis.h"

namespace lockstep {

class CollectiveSelection {
  public:
    // Takes the alignment's matches where it has them and they are of no report but the workspace's, else
    // matches anew (seconds for many ranks). A
    // collective is let through when name and step hold, one of its parts is on a track in scope and one
    // overlaps the scope's time range.
    CollectiveSelection(const AnalysisRequest& request, const Progress& progress);

    const CollectiveMatches& matches() const { return *m_matches; }
    // Who is late to some of them, by index in matches().collectives.
    StragglerMetrics stragglers(std::span<const uint32_t> collectives) const;
    // Indices in matches().collectives, ascending.
    const std::vector<uint32_t>& collectives() const { return m_collectives; }
    // The same by training step; the key is absent for those without.
    std::map<std::optional<int64_t>, std::vector<uint32_t>> bySteps() const;
    // The same by communicator: the process group's name, with its job's where several groups are called so.
    std::map<std::string, std::vector<uint32_t>> byCommunicators() const;

    // "allreduce", or the kernel's base name where no file states the collective's.
    std::string nameOf(uint32_t collective) const;
    // What the first of its files that states any says of it; nullptr = none does.
    const CollectiveOp* opOf(uint32_t collective) const;
    std::string_view dataTypeOf(uint32_t collective) const; // "" = not stated
    // The training step as the files mark it, else the step of the reports it is in.
    std::optional<int64_t> stepOf(uint32_t collective) const;
    const Collective& at(MatchedPart part) const { return m_matches->at(part); }
    std::span<const MatchedPart> partsOf(uint32_t collective) const;
    TimeRange alignedRange(MatchedPart part) const;

    const Report& reportOf(uint32_t rank) const;
    Identity identityOfRank(uint32_t rank) const;
    bool isRankInScope(uint32_t rank) const;
    // "rank 3", "actor rank 3" where several roles have a rank of that number, else the report's file name.
    std::string rankText(uint32_t rank) const;

    // Rules and counts that hold for any table of collectives.
    void describe(Table& table) const;

    // Ranks that have collectives of which none was matched, each with the reason.
    std::map<uint32_t, std::string> unmatchedRanks() const;

  private:
    std::string untimedText() const;
    std::string whyNone() const;
    bool isLetThrough(uint32_t collective) const;
    bool isStepLetThrough(uint32_t collective) const;

    const AnalysisRequest& m_request;
    const Workers& m_workers;
    CollectiveMatches m_own;
    const CollectiveMatches* m_matches;
    Scope m_tracks;              // the request's without what is checked here: time, name, steps
    std::set<int> m_sharedRanks; // numbers that ranks of several roles have
    std::vector<uint32_t> m_collectives;
};

} // namespace lockstep
