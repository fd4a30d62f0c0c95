// SPDX-License-Identifier: Apache-2.0
// CollectiveSelection: the matched collectives within the scope of a request, with the recorded properties of
// each. Used by the collective and straggler tables; it lives as long as the request. Thread: one.
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
    // Uses the alignment's matches if there are any and they cover only reports in the workspace; otherwise
    // matches the collectives again, which takes seconds for many ranks. A collective is in scope if its name
    // and step match, one of its parts is on a track in scope, and one part overlaps the scope's time range.
    CollectiveSelection(const AnalysisRequest& request, const Progress& progress);

    const CollectiveMatches& matches() const { return *m_matches; }
    // Returns lateness metrics for these collectives, given by index in matches().collectives.
    StragglerMetrics stragglers(std::span<const uint32_t> collectives) const;
    // Returns indices in matches().collectives, ascending.
    const std::vector<uint32_t>& collectives() const { return m_collectives; }
    // Groups the indices by training step; collectives without a step get no key.
    std::map<std::optional<int64_t>, std::vector<uint32_t>> bySteps() const;
    // Groups the indices by communicator: the name of the process group, with its job if several groups have
    // that name.
    std::map<std::string, std::vector<uint32_t>> byCommunicators() const;

    // Returns "allreduce", or the kernel's base name if no file records the collective's name.
    std::string nameOf(uint32_t collective) const;
    // Returns the operation as recorded in the first file that records the operation, or nullptr.
    const CollectiveOp* opOf(uint32_t collective) const;
    std::string_view dataTypeOf(uint32_t collective) const; // "": not recorded
    // Returns the training step that the files mark. Without such a mark, returns the step of the reports
    // that contain the collective.
    std::optional<int64_t> stepOf(uint32_t collective) const;
    const Collective& at(MatchedPart part) const { return m_matches->at(part); }
    std::span<const MatchedPart> partsOf(uint32_t collective) const;
    TimeRange alignedRange(MatchedPart part) const;

    const Report& reportOf(uint32_t rank) const;
    Identity identityOfRank(uint32_t rank) const;
    bool isRankInScope(uint32_t rank) const;
    // Returns "rank 3", "actor rank 3" if several roles have a rank with that number, or the report's file
    // name if its rank is unknown.
    std::string rankText(uint32_t rank) const;

    // Adds the rules and counts that apply to all tables of collectives.
    void describe(TableSource& source) const;

    // Returns the ranks that have collectives of which none is matched, with the reason for each rank.
    std::map<uint32_t, std::string> unmatchedRanks() const;

  private:
    std::string untimedText() const;
    std::string emptyReason() const;
    bool passesFilter(uint32_t collective) const;
    bool passesStepFilter(uint32_t collective) const;

    const AnalysisRequest& m_request;
    const Workers& m_workers;
    CollectiveMatches m_own;
    const CollectiveMatches* m_matches;
    Scope m_tracks;              // the request's scope without time range, name and steps, which this class
                                 // checks itself
    std::set<int> m_sharedRanks; // rank numbers that occur in several roles
    std::vector<uint32_t> m_collectives;
};

} // namespace lockstep
