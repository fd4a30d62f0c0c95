#include "core/lanes/lane_tree_builder.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "core/lanes/lane_label.h"

namespace lockstep {

namespace {

constexpr size_t kManyProcesses = 16; // from here on hosts get lanes of their own

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
    m_tree.m_laneOfTrack = ByReport<std::vector<uint32_t>>(m_workspace.slotCount());
    for (const ReportKey key : m_workspace.keys())
        m_tree.m_laneOfTrack[key].assign(m_workspace.report(key).tracks.size(), kNoLane);
    std::vector<ShownProcess> processes = findShownProcesses(m_workspace);
    chooseGroups(processes);
    std::ranges::stable_sort(processes,
                             [&](const ShownProcess& a, const ShownProcess& b) { return comesBefore(a, b); });
    std::vector<std::string> labels = shownLabels(m_workspace, processes);
    for (size_t i = 0; i < processes.size(); ++i) {
        shortenLabel(processes[i], labels[i]);
        addProcess(processes[i], labels[i]);
    }
    chooseCollapsed(processes.size());
    return std::move(m_tree);
}

// Under the lane of its host or role a process does not repeat their names.
void LaneTreeBuilder::shortenLabel(const ShownProcess& shown, std::string& label) const
{
    const std::string host = shown.identity.host.value.value_or("") + " \u00B7 ";
    if (m_groupsHosts && label.starts_with(host)) label.erase(0, host.size());
    const std::string role = " \u00B7 " + shown.identity.role.value.value_or("");
    if (m_groupsRoles && shown.isProcess && role.size() > 4 && label.ends_with(role))
        label.erase(label.size() - role.size());
}

uint32_t LaneTreeBuilder::add(LaneSubject subject, uint32_t parent, std::string_view keyPart,
                              std::string label)
{
    Lane lane;
    lane.subject = subject;
    lane.parent = parent;
    lane.label = std::move(label);
    const bool isWhole = parent == kNoLane || subject == LaneSubject::process;
    const std::string key =
        isWhole ? std::string(keyPart) : m_tree.m_lanes[parent].key + "/" + std::string(keyPart);
    const auto index = static_cast<uint32_t>(m_tree.m_lanes.size());
    lane.key = key;
    for (int n = 2; !m_tree.m_byKey.emplace(lane.key, index).second; ++n)
        lane.key = key + "#" + std::to_string(n);
    if (parent != kNoLane) {
        lane.level = static_cast<uint16_t>(m_tree.m_lanes[parent].level + 1);
        lane.role = m_tree.m_lanes[parent].role;
        lane.report = m_tree.m_lanes[parent].report;
        m_tree.m_lanes[parent].children.push_back(index);
    }
    m_tree.m_lanes.push_back(std::move(lane));
    return index;
}

void LaneTreeBuilder::chooseGroups(const std::vector<ShownProcess>& processes)
{
    std::set<std::string> runs, hosts;
    for (const ShownProcess& shown : processes) {
        runs.insert(shown.identity.run.value.value_or(""));
        hosts.insert(shown.identity.host.value.value_or(""));
        m_knowsRoles |= shown.identity.role.isKnown();
    }
    const bool isAutomatic = m_options.grouping == LaneGrouping::automatic;
    const auto ranks = std::ranges::count_if(processes, &ShownProcess::isProcess);
    m_groupsRoles = m_options.grouping == LaneGrouping::role || (isAutomatic && ranks >= kLeastMapRanks);
    m_groupsRuns = m_options.grouping == LaneGrouping::run || (isAutomatic && runs.size() > 1);
    // One host of several processes is said once, above them.
    const bool isOneHost = hosts.size() == 1 && !hosts.contains("") && processes.size() > 1;
    m_groupsHosts = m_options.grouping == LaneGrouping::host ||
                    (isAutomatic && (isOneHost || (hosts.size() > 1 && processes.size() > kManyProcesses)));
}

// What is grouped stands together; then by rank, what belongs to no process last.
bool LaneTreeBuilder::comesBefore(const ShownProcess& a, const ShownProcess& b) const
{
    const auto word = [](const Sourced<std::string>& s) { return s.value.value_or(""); };
    const std::string hostA = word(a.identity.host), hostB = word(b.identity.host);
    const auto key = [&](const ShownProcess& p) {
        constexpr int kLast = std::numeric_limits<int>::max();
        const int rank = p.isProcess ? p.identity.rank.value.value_or(kLast) : kLast;
        return std::tuple(rank, roleOrder(word(p.identity.role)), p.identity.replica.value.value_or(-1),
                          p.identity.replicaRank.value.value_or(-1));
    };
    const std::string roleA = word(a.identity.role), roleB = word(b.identity.role);
    const auto isOfEarlierRole = [&] {
        return std::tuple(!a.isProcess, roleOrder(roleA), roleA) <
               std::tuple(!b.isProcess, roleOrder(roleB), roleB);
    };
    const bool differsInRole = roleA != roleB || a.isProcess != b.isProcess;
    // Asked for, roles stand above everything; else within their run.
    if (m_options.grouping == LaneGrouping::role && differsInRole) return isOfEarlierRole();
    if (word(a.identity.run) != word(b.identity.run))
        return naturalLess(word(a.identity.run), word(b.identity.run));
    if (m_groupsRoles && differsInRole) return isOfEarlierRole();
    if (m_groupsHosts && hostA != hostB) return naturalLess(hostA, hostB);
    if (key(a) != key(b)) return key(a) < key(b);
    return naturalLess(hostA, hostB);
}

// Groups are made when their first member comes.
uint32_t LaneTreeBuilder::groupFor(const ShownProcess& shown)
{
    uint32_t parent = kNoLane;
    const auto enter = [&](const std::string& word, const std::string& name, const std::string& nameless) {
        const std::string key =
            (parent == kNoLane ? "" : m_tree.m_lanes[parent].key + "/") + word + " " + name;
        const auto [entry, isNew] = m_groups.try_emplace(key, 0);
        if (isNew)
            entry->second =
                add(LaneSubject::group, parent, word + " " + name, name.empty() ? nameless : name);
        parent = entry->second;
    };
    const bool isRoleAsked = m_options.grouping == LaneGrouping::role;
    if (m_groupsRuns) enter("run", shown.identity.run.value.value_or(""), "unknown run");
    if (m_groupsRoles && (shown.isProcess || isRoleAsked)) {
        enter("role", shown.identity.role.value.value_or(""), m_knowsRoles ? "unknown role" : "ranks");
        m_tree.m_lanes[parent].role = shown.identity.role.value.value_or("");
    }
    if (m_groupsHosts) enter("host", shown.identity.host.value.value_or(""), "unknown host");
    return parent;
}

} // namespace lockstep
