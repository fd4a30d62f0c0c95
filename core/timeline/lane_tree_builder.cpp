#include "core/timeline/lane_tree_builder.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/timeline/lane_label.h"

namespace lockstep {

namespace {

constexpr size_t kManyMembers = 16; // from here on hosts get lanes of their own

int roleOrder(std::string_view role)
{
    static constexpr std::array<std::string_view, 6> kRoles{"controller", "actor",  "rollout",
                                                            "ref",        "critic", "reward"};
    return static_cast<int>(std::ranges::find(kRoles, role) - kRoles.begin());
}

} // namespace

LaneTreeBuilder::LaneTreeBuilder(const Workspace& workspace, const Alignment& alignment,
                                 const ReportLods& lods, const LaneOptions& options)
    : m_workspace(workspace), m_alignment(alignment), m_lods(lods), m_options(options)
{
}

LaneTree LaneTreeBuilder::build()
{
    for (const auto& report : m_workspace.reports()) {
        m_tree.m_laneOfTrack.emplace_back(report->tracks.size(), kNoLane);
    }
    std::vector<Member> members = findMembers();
    chooseGroups(members);
    std::ranges::stable_sort(members, [&](const Member& a, const Member& b) { return comesBefore(a, b); });
    const std::vector<std::string> labels = labelsOf(members);
    for (size_t i = 0; i < members.size(); ++i)
        addMember(members[i], labels[i]);
    chooseCollapsed(members.size());
    return std::move(m_tree);
}

// A process is told apart by host, rank and role; then by step; where that is not enough, or nothing is known, by file.
std::vector<std::string> LaneTreeBuilder::labelsOf(const std::vector<Member>& members) const
{
    constexpr std::string_view kDot = " \u00B7 ";
    std::vector<std::string> labels;
    std::map<std::string, int> counts;
    for (const Member& member : members) {
        labels.push_back(processLabel(report(member.report), member.process));
        ++counts[labels.back()];
    }
    const std::map<std::string, int> plainCounts = counts;
    for (size_t i = 0; i < members.size(); ++i) {
        const auto& step = members[i].identity.step.value;
        if (plainCounts.at(labels[i]) == 1 || !step) continue;
        labels[i] += (labels[i].empty() ? "step " : std::string(kDot) + "step ") + std::to_string(*step);
        ++counts[labels[i]];
    }
    for (size_t i = 0; i < members.size(); ++i) {
        const Member& member = members[i];
        const bool isClear = counts[labels[i]] == 1 && (member.identity.rank.isKnown() || m_workspace.size() == 1);
        const std::string stem = report(member.report).provenance.path.stem().string();
        if (!isClear && !stem.empty()) labels[i] += (labels[i].empty() ? "" : std::string(kDot)) + stem;
        const std::string host = member.identity.host.value.value_or("") + std::string(kDot);
        if (m_groupsHosts && labels[i].starts_with(host)) labels[i].erase(0, host.size());
        if (labels[i].empty()) labels[i] = "report " + std::to_string(member.report.value + 1);
    }
    return labels;
}

std::vector<LaneTreeBuilder::Member> LaneTreeBuilder::findMembers() const
{
    std::vector<Member> members;
    for (size_t r = 0; r < m_workspace.size(); ++r) {
        const Report& report = m_workspace.report(ReportId(r));
        std::map<ProcessId, Member> byProcess; // the invalid process is the largest: it comes last
        for (size_t i = 0; i < report.tracks.size(); ++i) {
            if (report.tracks[i].sliceCount > 0)
                byProcess[report.tracks[i].key.process].tracks.push_back(TrackId(i));
        }
        for (size_t i = 0; i < report.counterTracks.size(); ++i) {
            const CounterTrack& counter = report.counterTracks[i];
            if (counter.sampleCount > 0) byProcess[counter.process].counters.push_back(CounterTrackId(i));
        }
        for (auto& [process, member] : byProcess) {
            member.report = ReportId(r);
            member.process = process;
            member.identity = identityOf(report, process);
            members.push_back(std::move(member));
        }
    }
    return members;
}

uint32_t LaneTreeBuilder::add(LaneKind kind, uint32_t parent, std::string_view keyPart, std::string label)
{
    Lane lane;
    lane.kind = kind;
    lane.parent = parent;
    lane.label = std::move(label);
    lane.key =
        parent == kNoLane ? std::string(keyPart) : m_tree.m_lanes[parent].key + "/" + std::string(keyPart);
    const std::string key = lane.key;
    for (int n = 2; !m_keys.insert(lane.key).second; ++n)
        lane.key = key + "#" + std::to_string(n);
    const auto index = static_cast<uint32_t>(m_tree.m_lanes.size());
    if (parent != kNoLane) {
        lane.level = static_cast<uint16_t>(m_tree.m_lanes[parent].level + 1);
        lane.role = m_tree.m_lanes[parent].role;
        lane.report = m_tree.m_lanes[parent].report;
        m_tree.m_lanes[parent].children.push_back(index);
    }
    m_tree.m_lanes.push_back(std::move(lane));
    return index;
}

void LaneTreeBuilder::chooseGroups(const std::vector<Member>& members)
{
    std::set<std::string> runs, hosts;
    for (const Member& member : members) {
        runs.insert(member.identity.run.value.value_or(""));
        hosts.insert(member.identity.host.value.value_or(""));
    }
    const bool isAutomatic = m_options.grouping == LaneGrouping::automatic;
    m_groupsRuns = m_options.grouping == LaneGrouping::run || (isAutomatic && runs.size() > 1);
    m_groupsHosts = m_options.grouping == LaneGrouping::host ||
                    (isAutomatic && hosts.size() > 1 && members.size() > kManyMembers);
}

// What is grouped stands together; then by rank, what belongs to no process last.
bool LaneTreeBuilder::comesBefore(const Member& a, const Member& b) const
{
    const auto word = [](const Sourced<std::string>& s) { return s.value.value_or(""); };
    const std::string hostA = word(a.identity.host), hostB = word(b.identity.host);
    const auto key = [&](const Member& m) {
        constexpr int kLast = std::numeric_limits<int>::max();
        const int rank = m.process.isValid() ? m.identity.rank.value.value_or(kLast) : kLast;
        return std::tuple(rank, roleOrder(word(m.identity.role)));
    };
    if (m_options.grouping == LaneGrouping::role) {
        const std::string roleA = word(a.identity.role), roleB = word(b.identity.role);
        if (roleA != roleB) return std::pair(roleOrder(roleA), roleA) < std::pair(roleOrder(roleB), roleB);
    }
    if (word(a.identity.run) != word(b.identity.run))
        return naturalLess(word(a.identity.run), word(b.identity.run));
    if (m_groupsHosts && hostA != hostB) return naturalLess(hostA, hostB);
    if (key(a) != key(b)) return key(a) < key(b);
    return naturalLess(hostA, hostB);
}

// Groups are made when their first member comes.
uint32_t LaneTreeBuilder::groupFor(const Member& member)
{
    uint32_t parent = kNoLane;
    const auto enter = [&](const std::string& word, const std::string& name) {
        const std::string key =
            (parent == kNoLane ? "" : m_tree.m_lanes[parent].key + "/") + word + " " + name;
        const auto [entry, isNew] = m_groups.try_emplace(key, 0);
        if (isNew)
            entry->second =
                add(LaneKind::group, parent, word + " " + name, name.empty() ? "unknown " + word : name);
        parent = entry->second;
    };
    if (m_groupsRuns) enter("run", member.identity.run.value.value_or(""));
    if (m_groupsHosts) enter("host", member.identity.host.value.value_or(""));
    if (m_options.grouping == LaneGrouping::role) {
        enter("role", member.identity.role.value.value_or(""));
        m_tree.m_lanes[parent].role = member.identity.role.value.value_or("");
    }
    return parent;
}

} // namespace lockstep
