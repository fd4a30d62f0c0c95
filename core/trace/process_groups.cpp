// SPDX-License-Identifier: Apache-2.0
#include "core/trace/process_groups.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

namespace lockstep {

namespace {

// Visits the parts that identify a process, or that are the same for all of its captures.
template<class Visit, class... Identities>
void visitProcessParts(const Visit& visit, Identities&&... of)
{
    visit(of.run...);
    visit(of.host...);
    visit(of.role...);
    visit(of.rank...);
    visit(of.localRank...);
    visit(of.worldSize...);
    visit(of.replica...);
    visit(of.replicaRank...);
    visit(of.pid...);
}

template<class T>
bool contradicts(const Sourced<T>& a, const Sourced<T>& b)
{
    return a.confidence >= Confidence::stated && b.confidence >= Confidence::stated && a.value != b.value;
}

struct Candidate {
    ProcessMember member;
    const Identity* identity;
    std::optional<TimeRange> wall; // Unix time in ns

    bool hasHostAndPid() const { return identity->host.isKnown() && identity->pid.isKnown(); }
};

std::optional<TimeRange> wallRange(const Report& report)
{
    if (!report.clock.utcAtZero_ns || report.extent.isEmpty()) return std::nullopt;
    const Duration zero{*report.clock.utcAtZero_ns};
    const Duration slack{report.clock.utcResolution_ns};
    return TimeRange{report.extent.begin + zero - slack, report.extent.end + zero + slack};
}

// Returns the position in the job: a rank, or a position inside a replica. Returns an empty string if it is
// unknown.
std::string placeOf(const Identity& identity)
{
    if (identity.rank.isKnown()) return std::to_string(*identity.rank.value);
    if (!identity.replica.isKnown() || !identity.replicaRank.isKnown()) return {};
    return "replica " + std::to_string(*identity.replica.value) + "." +
           std::to_string(*identity.replicaRank.value);
}

// Groups candidates greedily in order of their starts, so that overlapping captures are adjacent and the time
// range of a group only grows. A candidate with host and pid joins a group with the same host and pid,
// preferably one whose captures overlap it. Any other candidate joins the only group with the same rank or
// replica that does not contradict it. Invariant: no two members of a group contradict each other in run,
// rank or replica, and no group contains two processes of one report. Groups are indexed by host and pid and
// by rank or replica, so the cost is O(n log n) if few groups share a key.
class Grouping {
  public:
    explicit Grouping(std::vector<Candidate> candidates) : m_candidates(std::move(candidates)) {}

    std::vector<ProcessGroup> run()
    {
        // Sorted by time, so that overlapping captures form a chain; candidates without a time come last and
        // join existing groups.
        std::ranges::stable_sort(m_candidates, {},
                                 [](const Candidate& c) { return c.wall ? c.wall->begin.ns : INT64_MAX; });
        for (const Candidate& candidate : m_candidates) {
            if (candidate.hasHostAndPid()) joinByHostAndPid(candidate);
        }
        for (size_t i = 0; i < m_drafts.size(); ++i)
            index(i);
        for (const Candidate& candidate : m_candidates) {
            if (!candidate.hasHostAndPid() && candidate.identity->pid.isKnown()) joinByPlace(candidate);
        }
        for (const Candidate& candidate : m_candidates) {
            if (!candidate.identity->pid.isKnown()) joinByPlace(candidate);
        }
        std::vector<ProcessGroup> groups;
        for (Draft& draft : m_drafts) {
            std::ranges::sort(draft.group.members);
            groups.push_back(std::move(draft.group));
        }
        std::ranges::sort(groups, {}, [](const ProcessGroup& group) { return group.members.front(); });
        return groups;
    }

  private:
    struct Draft {
        ProcessGroup group;
        const Identity* first = nullptr;
        // for groups with several members: the most reliable values of all members
        std::optional<Identity> united;
        std::optional<TimeRange> wall; // range that covers all members

        const Identity& known() const { return united ? *united : *first; }
    };

    static bool mayBe(const Draft& draft, const Candidate& candidate, bool isRoleLoose)
    {
        const Identity& known = draft.known();
        const Identity& identity = *candidate.identity;
        // Two processes of one report are always different.
        if (draft.group.members.back().report == candidate.member.report) return false;
        return !contradicts(known.run, identity.run) && !contradicts(known.rank, identity.rank) &&
               !contradicts(known.replica, identity.replica) &&
               !contradicts(known.replicaRank, identity.replicaRank) &&
               (isRoleLoose || !contradicts(known.role, identity.role));
    }

    void joinByHostAndPid(const Candidate& candidate)
    {
        std::vector<size_t>& drafts =
            m_byPid[{*candidate.identity->host.value, *candidate.identity->pid.value}];
        const auto overlaps = [&](const Draft& draft) {
            return candidate.wall && draft.wall && candidate.wall->begin < draft.wall->end;
        };
        // Tools use different names for the same role. Simultaneous captures belong to one process regardless
        // of these names.
        for (const size_t i : drafts) {
            if (overlaps(m_drafts[i]) && mayBe(m_drafts[i], candidate, true)) return join(i, candidate);
        }
        for (const size_t i : drafts) {
            if (mayBe(m_drafts[i], candidate, false)) return join(i, candidate);
        }
        drafts.push_back(startGroup(candidate));
    }

    // Joins a candidate without host or pid to the only group of the same rank that does not contradict it,
    // or to a new group.
    void joinByPlace(const Candidate& candidate)
    {
        const Identity& identity = *candidate.identity;
        const std::string place = placeOf(identity);
        std::vector<size_t> fitting;
        if (!place.empty()) {
            std::ranges::copy_if(m_byPlace[place], std::back_inserter(fitting), [&](size_t i) {
                const Identity& known = m_drafts[i].known();
                if (!mayBe(m_drafts[i], candidate, false)) return false;
                if (identity.pid.isKnown() && known.pid.isKnown())
                    return identity.pid.value == known.pid.value;
                const bool isHostOpen = !identity.host.isKnown() || !known.host.isKnown();
                return identity.role.value == known.role.value && identity.run.value == known.run.value &&
                       (isHostOpen || identity.host.value == known.host.value);
            });
        }
        if (fitting.size() == 1) return join(fitting.front(), candidate);
        index(startGroup(candidate));
    }

    size_t startGroup(const Candidate& candidate)
    {
        m_drafts.emplace_back();
        join(m_drafts.size() - 1, candidate);
        return m_drafts.size() - 1;
    }

    void join(size_t index, const Candidate& candidate)
    {
        Draft& draft = m_drafts[index];
        draft.group.members.push_back(candidate.member);
        draft.group.isTimeKnown &= candidate.wall.has_value() || draft.group.members.size() == 1;
        learnFrom(draft, *candidate.identity);
        if (!candidate.wall) return;
        if (!draft.wall) draft.wall = candidate.wall;
        draft.wall->begin = std::min(draft.wall->begin, candidate.wall->begin);
        draft.wall->end = std::max(draft.wall->end, candidate.wall->end);
    }

    // Groups with one member, which is most of them, need no merged identity.
    static void learnFrom(Draft& draft, const Identity& identity)
    {
        if (draft.first == nullptr) {
            draft.first = &identity;
            return;
        }
        if (!draft.united) draft.united = *draft.first;
        visitProcessParts(
            [](auto& field, const auto& other) {
                if (other.isKnown()) field.learn(*other.value, other.source, other.confidence);
            },
            *draft.united, identity);
    }

    void index(size_t draft)
    {
        const std::string place = placeOf(m_drafts[draft].known());
        if (!place.empty()) m_byPlace[place].push_back(draft);
    }

    std::vector<Candidate> m_candidates;
    std::vector<Draft> m_drafts;
    std::map<std::pair<std::string_view, int64_t>, std::vector<size_t>> m_byPid;
    std::map<std::string, std::vector<size_t>> m_byPlace;
};

// Returns the combined identity of a group's members, using the most reliable value of each part; the sources
// contain the file name.
Identity combinedIdentity(const Workspace& workspace, const ProcessGroup& group)
{
    Identity out;
    for (const ProcessMember& member : group.members) {
        const std::string file = workspace.report(member.report).provenance.path.filename().string();
        visitProcessParts(
            [&](auto& field, const auto& other) {
                if (!other.isKnown()) return;
                field.learn(*other.value, "same process in " + file + ": " + other.source, other.confidence);
            },
            out, workspace.identity(member.report, member.process));
    }
    return out;
}

// Learns values whose confidence is limited to the confidence of the join: the confidence of the pid, or of
// the rank if there is no pid. A host learned through a guess is itself a guess, because the host determines
// which clocks are shared.
void learn(Identity& identity, Identity from)
{
    const Confidence limit = identity.pid.isKnown() ? identity.pid.confidence : identity.rank.confidence;
    from.host.confidence = std::min(from.host.confidence, limit);
    visitProcessParts(
        [](auto& field, const auto& other) {
            if (other.isKnown()) field.learn(*other.value, other.source, other.confidence);
        },
        identity, from);
}

// Returns true for processes that the Ascend exporter invented for some rows. Their pids may be equal in all
// files, so they do not show which files belong together.
bool isProfilerProcess(const Report& report, const Process& process)
{
    constexpr std::array<std::string_view, 3> kNames{"Overlap Analysis", "AI Core Freq", "Acc PMU"};
    return std::ranges::find(kNames, report.strings.at(process.name)) != kNames.end();
}

} // namespace

std::vector<ProcessGroup> findProcessGroups(const Workspace& workspace)
{
    std::vector<Candidate> candidates;
    for (const ReportKey key : workspace.keys()) {
        const Report& report = workspace.report(key);
        for (size_t p = 0; p < report.processes.size(); ++p) {
            if (report.processes[p].pid < 0 || isProfilerProcess(report, report.processes[p])) continue;
            const ProcessMember member{key, ProcessId(p)};
            candidates.push_back({member, &workspace.identity(key, member.process), wallRange(report)});
        }
    }
    return Grouping(std::move(candidates)).run();
}

void completeIdentities(Workspace& workspace)
{
    for (const ProcessGroup& group : findProcessGroups(workspace)) {
        if (group.members.size() < 2) continue;
        const Identity known = combinedIdentity(workspace, group);
        for (const ProcessMember& member : group.members) {
            ReportIdentity identity = workspace.reportIdentity(member.report);
            learn(identity.processes[member.process.value], known);
            if (std::ranges::count_if(workspace.report(member.report).processes,
                                      [](const Process& p) { return p.pid >= 0; }) == 1)
                learn(identity.whole, known);
            workspace.setIdentity(member.report, std::move(identity));
        }
    }
}

} // namespace lockstep
