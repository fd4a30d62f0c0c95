// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/collective_selection.h"

#include <algorithm>

#include "core/align/alignment_report.h"
#include "core/align/collective_fit.h"
#include "core/align/collective_source.h"
#include "core/analysis/empty_table.h"

namespace lockstep {

static std::string_view untimedKind(Dependency dependency)
{
    switch (dependency) {
    case Dependency::fromRoot:
        return "broadcast or scatter";
    case Dependency::toRoot:
        return "reduce or gather";
    case Dependency::send:
    case Dependency::receive:
    case Dependency::exchange:
        return "send and receive with different ends";
    case Dependency::all:
    case Dependency::none:
        break;
    }
    return "uneven all-to-all, sends among several ranks, or unknown";
}

CollectiveSelection::CollectiveSelection(const AnalysisRequest& request, const Progress& progress)
    : m_request(request), m_workers(progress.workers()), m_tracks(request.scope)
{
    const auto isHere = [&](const CollectiveRank& rank) { return request.workspace.has(rank.report); };
    if (request.alignment.collectives &&
        std::ranges::all_of(request.alignment.collectives->matches.ranks, isHere)) {
        m_matches = &request.alignment.collectives->matches;
    } else {
        m_own = matchCollectives(request.workspace, partitionClocks(request.workspace), {}, progress);
        m_matches = &m_own;
    }
    m_tracks.time.reset();
    m_tracks.name.reset();
    m_tracks.steps.clear();
    std::map<int, std::set<std::string>> rolesOfRank;
    for (uint32_t rank = 0; rank < m_matches->ranks.size(); ++rank) {
        const Identity identity = identityOfRank(rank);
        if (identity.rank.isKnown())
            rolesOfRank[*identity.rank.value].insert(identity.role.value.value_or(""));
    }
    for (const auto& [rank, roles] : rolesOfRank) {
        if (roles.size() > 1) m_sharedRanks.insert(rank);
    }
    for (uint32_t i = 0; i < m_matches->collectives.size(); ++i) {
        if (passesFilter(i)) m_collectives.push_back(i);
    }
}

StragglerMetrics CollectiveSelection::stragglers(std::span<const uint32_t> collectives) const
{
    return measureStragglers(m_request.workspace, m_request.alignment, *m_matches, collectives, m_workers);
}

std::map<std::optional<int64_t>, std::vector<uint32_t>> CollectiveSelection::bySteps() const
{
    std::map<std::optional<int64_t>, std::vector<uint32_t>> steps;
    for (const uint32_t collective : m_collectives)
        steps[stepOf(collective)].push_back(collective);
    return steps;
}

std::map<std::string, std::vector<uint32_t>> CollectiveSelection::byCommunicators() const
{
    std::map<std::string, std::set<std::string>> worlds;                             // by name
    std::map<std::pair<std::string, std::string>, std::set<std::vector<int>>> ranks; // by world and name
    for (const MatchedGroup& group : m_matches->groups) {
        worlds[group.name].insert(group.world);
        ranks[{group.world, group.name}].insert(group.communicatorRanks);
    }
    std::map<std::string, std::vector<uint32_t>> communicators;
    for (const uint32_t collective : m_collectives) {
        const MatchedGroup& group = m_matches->groups[m_matches->collectives[collective].group];
        std::string label = worlds[group.name].size() > 1 ? group.world + ": " + group.name : group.name;
        if (ranks[{group.world, group.name}].size() > 1)
            label += group.communicatorRanks.empty() ? ", ranks not recorded"
                                                     : ", ranks " + ranksText(group.communicatorRanks);
        communicators[label].push_back(collective);
    }
    return communicators;
}

std::span<const MatchedPart> CollectiveSelection::partsOf(uint32_t collective) const
{
    const MatchedCollective& c = m_matches->collectives[collective];
    return std::span(m_matches->parts).subspan(c.firstPart, c.partCount);
}

const Report& CollectiveSelection::reportOf(uint32_t rank) const
{
    return m_request.workspace.report(m_matches->ranks[rank].report);
}

Identity CollectiveSelection::identityOfRank(uint32_t rank) const
{
    const CollectiveRank& own = m_matches->ranks[rank];
    Identity identity = m_request.workspace.identity(own.report, own.process);
    if (!identity.rank.isKnown() && m_matches->ranks[rank].rank >= 0)
        identity.rank.learn(m_matches->ranks[rank].rank, "collectives", Confidence::guessed);
    return identity;
}

std::string CollectiveSelection::rankText(uint32_t rank) const
{
    const Identity identity = identityOfRank(rank);
    if (identity.rank.isKnown()) {
        const std::string text = "rank " + std::to_string(*identity.rank.value);
        const bool needsRole = m_sharedRanks.contains(*identity.rank.value) && identity.role.isKnown();
        return needsRole ? *identity.role.value + " " + text : text;
    }
    return reportOf(rank).provenance.path.filename().string();
}

TimeRange CollectiveSelection::alignedRange(MatchedPart part) const
{
    const Collective& c = at(part);
    return m_request.alignment.map(m_matches->ranks[part.rank].report)
        .alignedFromTrace(TimeRange{c.start, c.end});
}

const CollectiveOp* CollectiveSelection::opOf(uint32_t collective) const
{
    for (const MatchedPart& part : partsOf(collective)) {
        const Collective& c = at(part);
        if (c.op != CollectiveOp::kAbsent) return &reportOf(part.rank).collectives[c.op];
    }
    return nullptr;
}

std::string CollectiveSelection::nameOf(uint32_t collective) const
{
    for (const MatchedPart& part : partsOf(collective)) {
        const Collective& c = at(part);
        if (c.op == CollectiveOp::kAbsent) continue;
        const Report& report = reportOf(part.rank);
        const std::string_view recordedName = report.strings.at(report.collectives[c.op].collective);
        if (!recordedName.empty()) return std::string(recordedName);
    }
    const MatchedPart first = partsOf(collective).front();
    if (const SliceId range = at(first).range; range.isValid()) {
        const Report& report = reportOf(first.rank);
        return std::string(groupOperationOf(report.strings.at(report.slices.name[range.value])));
    }
    const std::string_view kernel = reportOf(first.rank).shortNameOf(at(first).slice);
    return std::string(kernel.substr(0, kernel.find_first_of("(<")));
}

std::string_view CollectiveSelection::dataTypeOf(uint32_t collective) const
{
    for (const MatchedPart& part : partsOf(collective)) {
        const Collective& c = at(part);
        if (c.op == CollectiveOp::kAbsent) continue;
        const Report& report = reportOf(part.rank);
        const std::string_view recordedName = report.strings.at(report.collectives[c.op].dataType);
        if (!recordedName.empty()) return recordedName;
    }
    return {};
}

std::optional<int64_t> CollectiveSelection::stepOf(uint32_t collective) const
{
    for (const MatchedPart& part : partsOf(collective)) {
        if (at(part).fence > 0) return int64_t(at(part).fence) - 1;
    }
    for (const MatchedPart& part : partsOf(collective)) {
        const Identity identity = identityOfRank(part.rank);
        if (identity.step.isKnown()) return *identity.step.value;
    }
    return std::nullopt;
}

bool CollectiveSelection::isRankInScope(uint32_t rank) const
{
    return isInScope(m_tracks, identityOfRank(rank));
}

bool CollectiveSelection::passesStepFilter(uint32_t collective) const
{
    const auto& steps = m_request.scope.steps;
    if (steps.empty()) return true;
    for (const MatchedPart& part : partsOf(collective)) {
        if (hasOtherStepInScope(m_request.scope, m_request.workspace, m_matches->ranks[part.rank].report))
            return true;
    }
    const auto step = stepOf(collective);
    return step && std::ranges::any_of(steps, [&](const NumberRange& range) {
               return range.first <= *step && *step <= range.last;
           });
}

bool CollectiveSelection::passesFilter(uint32_t collective) const
{
    const Scope& scope = m_request.scope;
    if (!passesStepFilter(collective)) return false;
    if (scope.name && !scope.name->matches(nameOf(collective))) return false;
    bool isOnTrack = false, isInTime = !scope.time, isCut = false;
    for (const MatchedPart& part : partsOf(collective)) {
        const Report& report = reportOf(part.rank);
        const Track& track = report.track(report.trackOf(at(part).slice));
        isOnTrack |= isRankInScope(part.rank) &&
                     isInScope(m_tracks, m_request.workspace, m_matches->ranks[part.rank].report, track);
        if (!scope.time) continue;
        const bool isPartInTime = isInWindow(scope, scope.time, alignedRange(part));
        isInTime |= isPartInTime;
        isCut |= !isPartInTime;
    }
    // With Clip::exclude, the time range must contain the parts on all ranks.
    return isOnTrack && isInTime && !(isCut && scope.clip == Clip::exclude);
}

std::map<uint32_t, std::string> CollectiveSelection::unmatchedRanks() const
{
    std::vector<bool> isMatched(m_matches->ranks.size(), false);
    for (const MatchedPart& part : m_matches->parts)
        isMatched[part.rank] = true;
    std::map<uint32_t, std::string> reasons;
    for (const MatchedGroup& group : m_matches->groups) {
        if (group.refusal.empty()) continue;
        for (const uint32_t rank : group.members) {
            std::string& reason = reasons[rank];
            reason += (reason.empty() ? "group " : "; group ") + group.name + ": " + group.refusal;
        }
    }
    std::map<uint32_t, std::string> out;
    for (uint32_t rank = 0; rank < m_matches->ranks.size(); ++rank) {
        if (isMatched[rank] || m_matches->ranks[rank].collectives.empty()) continue;
        const std::string count = std::to_string(m_matches->ranks[rank].collectives.size());
        out[rank] = "none of its " + count + " collectives was matched with another rank";
        if (const auto reason = reasons.find(rank); reason != reasons.end())
            out[rank] += ": " + reason->second;
    }
    return out;
}

// Describes the matched collectives that have no wait times; "" if all have them.
std::string CollectiveSelection::untimedText() const
{
    std::map<std::string_view, uint64_t> kinds;
    uint64_t count = 0;
    for (const uint32_t i : m_collectives) {
        const MatchedCollective& collective = m_matches->collectives[i];
        if (isTimed(collective)) continue;
        ++count;
        ++kinds[untimedKind(collective.dependency)];
    }
    std::string text;
    for (const auto& [kind, times] : kinds)
        text += (text.empty() ? "" : ", ") + std::string(kind) + " (" + std::to_string(times) + ")";
    if (count == 0) return text;
    return std::to_string(count) +
           " matched collectives have no wait times because not all their ranks wait for each other: " + text;
}

// Returns why no collective is listed. Returns "" if the only reason is that no collective is in scope.
std::string CollectiveSelection::emptyReason() const
{
    if (const std::string untimed = untimedText(); !untimed.empty()) return untimed + ".";
    size_t collectives = 0, ranks = 0;
    for (const CollectiveRank& rank : m_matches->ranks) {
        collectives += rank.collectives.size();
        ranks += rank.collectives.empty() ? 0 : 1;
    }
    if (collectives == 0 || !m_matches->collectives.empty()) return {};
    const std::string count = std::to_string(collectives);
    if (ranks == 1) return "Only one rank has collectives (" + count + "). Open the reports of other ranks.";
    std::string text =
        "No collectives (" + count + " on " + std::to_string(ranks) + " ranks) match across ranks";
    for (const MatchedGroup& group : m_matches->groups) {
        if (group.refusal.empty()) continue;
        return text + ": " + (group.name.empty() ? "" : "group " + group.name + ": ") + group.refusal + ".";
    }
    return text + ".";
}

void CollectiveSelection::describe(TableSource& source) const
{
    uint64_t matched = 0, unmatched = 0, unusable = 0, repeated = 0, mismatched = 0;
    for (const MatchedGroup& group : m_matches->groups) {
        matched += group.matched;
        unmatched += group.unmatched;
        unusable += group.unusable;
        repeated += group.repeated;
        mismatched += group.mismatched;
    }
    uint64_t missingKernels = 0;
    for (const CollectiveRank& rank : m_matches->ranks)
        missingKernels += rank.missingKernels;
    source.rows = "collectives that involve at least two open ranks";
    source.whenEmpty = emptyReason();
    if (missingKernels > 0) {
        source.rules.push_back(std::to_string(missingKernels) +
                               " operations recorded on the host have no kernel in the capture");
    }
    source.rules.push_back(
        std::to_string(matched) + " communication rows were matched across ranks; without a match: " +
        std::to_string(unmatched) + "; dropped as a different operation: " + std::to_string(mismatched));
    if (unusable > 0) {
        source.rules.push_back(
            std::to_string(unusable) +
            " communication rows were not used: they are clipped (or possibly clipped) by the "
            "capture's edge, or shorter than 2 us");
    }
    if (repeated > 0) {
        source.rules.push_back(std::to_string(repeated) +
                               " communication rows were excluded: a restarted process reused a "
                               "sequence number after the other ranks had passed it");
    }
    if (const std::string untimed = untimedText(); !untimed.empty()) source.rules.push_back(untimed);
    for (const MatchedGroup& group : m_matches->groups) {
        if (!group.refusal.empty()) source.rules.push_back("group " + group.name + ": " + group.refusal);
        for (const std::string& remark : group.remarks)
            source.rules.push_back("group " + group.name + ": " + remark);
    }
    if (m_request.scope.time) source.rules.push_back(windowRule(m_request.scope, "collectives", ", in full"));
}

} // namespace lockstep
