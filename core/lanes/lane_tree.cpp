// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/lane_tree.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/text.h"
#include "core/lanes/lane_groups.h"
#include "core/lanes/lane_label.h"
#include "core/lanes/shown_process.h"

namespace lockstep {

// LaneTreeBuilder: builds a LaneTree: its processes, their order, groups and labels. Used only by
// buildLaneTree().
class LaneTreeBuilder {
  public:
    LaneTreeBuilder(const Workspace& workspace, const Alignment& alignment, const ReportLods& lods,
                    const LaneOptions& options, const LaneTree* last);
    LaneTree build();

  private:
    void chooseGroups(const std::vector<ShownProcess>& processes);
    std::vector<ShownProcess> inOrder(std::vector<ShownProcess> processes) const;
    bool comesBefore(const ShownProcess& a, const ShownProcess& b) const;
    void shortenLabel(const ShownProcess& shown, std::string& label) const;
    void placeQueries();
    uint32_t groupFor(const ShownProcess& shown);
    uint32_t addGroup(uint32_t parent, std::string key, std::string label);
    uint32_t enterGroup(uint32_t parent, const std::string& word, const std::string& name,
                        const std::string& nameless);
    std::string uniqueKey(const ShownProcess& shown) const;
    ProcessLaneSource sourceOf(const ShownProcess& shown, std::string label, size_t processes);
    // Reuses the lanes of the last tree if they were built from an equal source.
    std::shared_ptr<const ProcessLanes> lanesOf(ProcessLaneSource source) const;
    void place(uint32_t group, std::shared_ptr<const ProcessLanes> lanes);
    void finishGroups();
    void describeMap(LaneTree::Group& group) const;

    LaneTree::Group& groupAt(uint32_t index) { return m_tree.m_groups[m_groupAt.at(index)]; }

    const Workspace& m_workspace;
    const Alignment& m_alignment;
    const ReportLods& m_lods;
    LaneOptions m_options;
    const LaneTree* m_last;
    bool m_groupsRuns = false;
    bool m_groupsHosts = false;
    bool m_groupsRoles = false;
    bool m_hasKnownRoles = false;
    LaneTree m_tree;
    std::map<uint32_t, size_t> m_groupAt; // by lane: index in the groups of the tree
    std::set<ReportKey> m_shownLoss;
};

namespace {

constexpr size_t kManyProcesses = 16;    // with at least this many processes, hosts have their own lanes
constexpr size_t kExpandedProcesses = 4; // up to this many processes start expanded
// up to this number, GPUs start expanded and threads collapsed; with more, everything starts collapsed
constexpr size_t kGpusOnlyProcesses = 16;

int roleOrder(std::string_view role)
{
    static constexpr std::array<std::string_view, 6> kRoles{"controller", "actor",  "rollout",
                                                            "ref",        "critic", "reward"};
    return static_cast<int>(std::ranges::find(kRoles, role) - kRoles.begin());
}

std::string_view textOf(const Sourced<std::string>& part)
{
    return part.value ? std::string_view(*part.value) : std::string_view();
}

// Returns a key that identifies a process independently of other open reports. Uses the file of the process
// only as a last resort.
std::string processKey(const Workspace& workspace, const ShownProcess& shown)
{
    const Identity& identity = shown.identity();
    std::string key = shown.isProcess ? "process" : "system";
    const auto add = [&](const char* word, const auto& part, const auto& text) {
        if (part.isKnown()) key += " " + std::string(word) + "=" + text(*part.value);
    };
    const auto asIs = [](const std::string& word) { return word; };
    const auto number = [](auto value) { return std::to_string(value); };
    add("run", identity.run, asIs);
    add("host", identity.host, asIs);
    add("role", identity.role, asIs);
    add("replica", identity.replica, number);
    add("replica_rank", identity.replicaRank, number);
    add("rank", identity.rank, number);
    if (shown.isProcess) add("pid", identity.pid, number);
    const bool isIdentified = identity.rank.isKnown() || identity.replica.isKnown() || identity.pid.isKnown();
    key += shown.part;
    if (!isIdentified)
        key += " file=" + workspace.report(shown.members.front().report).provenance.path.string();
    return key;
}

bool hasLoss(const Report& report)
{
    return !report.gaps.empty() || std::ranges::any_of(report.notes.all(), [](const ImportNote& note) {
        return note.severity == NoteSeverity::dataLoss;
    });
}

} // namespace

LaneTreeBuilder::LaneTreeBuilder(const Workspace& workspace, const Alignment& alignment,
                                 const ReportLods& lods, const LaneOptions& options, const LaneTree* last)
    : m_workspace(workspace), m_alignment(alignment), m_lods(lods), m_options(options), m_last(last)
{
}

LaneTree LaneTreeBuilder::build()
{
    std::vector<ShownProcess> processes = findShownProcesses(m_workspace, m_lods);
    processes = assignGroups(m_workspace, std::move(processes), m_options.grouping);
    chooseGroups(processes);
    processes = inOrder(std::move(processes));
    std::vector<std::string> labels = shownLabels(m_workspace, processes);
    // Event logs of a run's hosts are not counted toward the limits.
    const auto count =
        static_cast<size_t>(std::ranges::count_if(processes, [this](const ShownProcess& shown) {
            return shown.isProcess && !isHostLog(m_workspace, shown);
        }));
    placeQueries();
    for (size_t i = 0; i < processes.size(); ++i) {
        shortenLabel(processes[i], labels[i]);
        const uint32_t group = groupFor(processes[i]);
        place(group, lanesOf(sourceOf(processes[i], std::move(labels[i]), count)));
    }
    std::ranges::sort(m_tree.m_processesOf);
    finishGroups();
    return std::move(m_tree);
}

std::vector<ShownProcess> LaneTreeBuilder::inOrder(std::vector<ShownProcess> processes) const
{
    std::vector<size_t> order(processes.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::ranges::stable_sort(order,
                             [&](size_t a, size_t b) { return comesBefore(processes[a], processes[b]); });
    std::vector<ShownProcess> sorted;
    sorted.reserve(order.size());
    for (const size_t i : order)
        sorted.push_back(std::move(processes[i]));
    return sorted;
}

// The label of a process below the lane of its host or role does not repeat the name of that host or role.
void LaneTreeBuilder::shortenLabel(const ShownProcess& shown, std::string& label) const
{
    constexpr std::string_view kDot = " \u00B7 ";
    const std::string_view host = textOf(shown.identity().host), role = textOf(shown.identity().role);
    if (m_groupsHosts && label.starts_with(host) &&
        std::string_view(label).substr(host.size()).starts_with(kDot))
        label.erase(0, host.size() + kDot.size());
    if (!m_groupsRoles || !shown.isProcess || role.empty() || !label.ends_with(role)) return;
    const std::string_view before(label.data(), label.size() - role.size());
    if (before.ends_with(kDot)) label.resize(before.size() - kDot.size());
}

void LaneTreeBuilder::chooseGroups(const std::vector<ShownProcess>& processes)
{
    std::set<std::string_view> runs, hosts;
    for (const ShownProcess& shown : processes) {
        runs.insert(textOf(shown.identity().run));
        hosts.insert(textOf(shown.identity().host));
        m_hasKnownRoles |= shown.identity().role.isKnown();
    }
    const bool isAutomatic = m_options.grouping == LaneGrouping::automatic;
    const auto ranks = std::ranges::count_if(processes, &ShownProcess::isProcess);
    m_groupsRoles = m_options.grouping == LaneGrouping::role || (isAutomatic && ranks >= kMinMapRanks);
    m_groupsRuns = m_options.grouping == LaneGrouping::run || (isAutomatic && runs.size() > 1);
    // If a single host has several processes, its name is shown only once, above them.
    const bool isOneHost = hosts.size() == 1 && !hosts.contains("") && processes.size() > 1;
    m_groupsHosts = m_options.grouping == LaneGrouping::host ||
                    (isAutomatic && (isOneHost || (hosts.size() > 1 && processes.size() > kManyProcesses)));
}

// Sorts the members of a group next to each other, then by rank. Rows that do not belong to any process come
// last.
bool LaneTreeBuilder::comesBefore(const ShownProcess& a, const ShownProcess& b) const
{
    const std::string_view hostA = textOf(a.identity().host), hostB = textOf(b.identity().host);
    const auto key = [&](const ShownProcess& p) {
        constexpr int kLast = std::numeric_limits<int>::max();
        const int rank = p.isProcess ? p.identity().rank.value.value_or(kLast) : kLast;
        return std::tuple(rank, roleOrder(textOf(p.identity().role)), p.identity().replica.value.value_or(-1),
                          p.identity().replicaRank.value.value_or(-1));
    };
    const std::string_view roleA = textOf(a.identity().role), roleB = textOf(b.identity().role);
    const auto isOfEarlierRole = [&] {
        return std::tuple(!a.isProcess, roleOrder(roleA), roleA) <
               std::tuple(!b.isProcess, roleOrder(roleB), roleB);
    };
    if (a.group != b.group) {
        if (a.group.empty() || b.group.empty()) return b.group.empty();
        return naturalLess(a.group, b.group) || (!naturalLess(b.group, a.group) && a.group < b.group);
    }
    const bool differsInRole = roleA != roleB || a.isProcess != b.isProcess;
    // With grouping by role, the roles are the outermost groups; otherwise, roles are inside their run.
    if (m_options.grouping == LaneGrouping::role && differsInRole) return isOfEarlierRole();
    if (m_options.grouping == LaneGrouping::host && hostA != hostB) return naturalLess(hostA, hostB);
    const std::string_view runA = textOf(a.identity().run), runB = textOf(b.identity().run);
    if (runA != runB) return naturalLess(runA, runB);
    if (m_groupsRoles && differsInRole) return isOfEarlierRole();
    if (m_groupsHosts && hostA != hostB) return naturalLess(hostA, hostB);
    if (key(a) != key(b)) return key(a) < key(b);
    return naturalLess(hostA, hostB);
}

// Returns the group for a process. A group is created when its first member is added.
uint32_t LaneTreeBuilder::groupFor(const ShownProcess& shown)
{
    const auto word = [](const Sourced<std::string>& part) { return std::string(textOf(part)); };
    uint32_t parent = kNoLane;
    if (m_groupsRuns) parent = enterGroup(parent, "run", word(shown.identity().run), "unknown run");
    if (m_groupsRoles && (shown.isProcess || m_options.grouping == LaneGrouping::role)) {
        parent = enterGroup(parent, "role", word(shown.identity().role),
                            m_hasKnownRoles ? "unknown role" : "ranks");
    }
    if (m_groupsHosts) parent = enterGroup(parent, "host", word(shown.identity().host), "unknown host");
    if (groupsByName(m_options.grouping)) {
        parent = enterGroup(parent, std::string(groupKeyPrefix(m_options.grouping)), shown.group,
                            namelessGroup(m_options.grouping));
    }
    return parent;
}

uint32_t LaneTreeBuilder::enterGroup(uint32_t parent, const std::string& word, const std::string& name,
                                     const std::string& nameless)
{
    const Lane* const above = parent == kNoLane ? nullptr : m_tree.m_places[parent].lane;
    const std::string key = (above == nullptr ? "" : above->key + "/") + word + " " + name;
    const auto found = m_tree.m_groupOf.find(key);
    if (found != m_tree.m_groupOf.end()) return found->second;
    const uint32_t index = addGroup(parent, key, name.empty() ? nameless : name);
    groupAt(index).lane.role = word == "role" ? name : above != nullptr ? above->role : "";
    return index;
}

uint32_t LaneTreeBuilder::addGroup(uint32_t parent, std::string key, std::string label)
{
    const auto index = static_cast<uint32_t>(m_tree.m_places.size());
    LaneTree::Group& group = m_tree.m_groups.emplace_back();
    m_groupAt.emplace(index, m_tree.m_groups.size() - 1);
    group.lane.key = std::move(key);
    group.lane.label = std::move(label);
    m_tree.m_groupOf.emplace(group.lane.key, index);
    uint16_t level = 0;
    if (parent != kNoLane) {
        groupAt(parent).children.push_back(index);
        level = static_cast<uint16_t>(m_tree.levelOf(parent) + 1);
    }
    m_tree.m_places.push_back({&group.lane, &group.children, 0, parent, level});
    return index;
}

// Places the lanes of SQL query results, which belong to no process.
void LaneTreeBuilder::placeQueries()
{
    constexpr size_t kExpandedTracks = 16; // up to this many lanes start expanded
    for (const auto& query : m_options.queryLanes) {
        const uint32_t above = addGroup(kNoLane, queryLaneKey(query->number), query->title);
        Lane& lane = groupAt(above).lane;
        lane.value = query->value;
        lane.note = "SQL query: " + query->title + (query->note.empty() ? "" : "\n" + query->note);
        lane.startsCollapsed = query->tracks.size() > kExpandedTracks;
        for (const auto& track : query->tracks) {
            const std::string key = lane.key + "/track " + track->label;
            std::string unique = key;
            for (int n = 2; m_tree.m_groupOf.contains(unique); ++n)
                unique = key + "#" + std::to_string(n);
            Lane& shown = groupAt(addGroup(above, std::move(unique), track->label)).lane;
            shown.subject = LaneSubject::other;
            shown.data.set(QueryLaneData{track});
        }
    }
}

std::string LaneTreeBuilder::uniqueKey(const ShownProcess& shown) const
{
    const std::string key = processKey(m_workspace, shown);
    std::string unique = key;
    for (int n = 2; m_tree.m_processOf.contains(unique); ++n)
        unique = key + "#" + std::to_string(n);
    return unique;
}

ProcessLaneSource LaneTreeBuilder::sourceOf(const ShownProcess& shown, std::string label, size_t processes)
{
    ProcessLaneSource source;
    source.key = uniqueKey(shown);
    source.label = std::move(label);
    source.role = textOf(shown.identity().role);
    source.host = textOf(shown.identity().host);
    source.rank = shown.identity().rank.value;
    source.isProcess = shown.isProcess;
    source.startsCollapsed = processes > kGpusOnlyProcesses;
    source.foldsThreads = processes > kExpandedProcesses;
    source.members.reserve(shown.members.size());
    for (const ShownMember& member : shown.members) {
        const std::shared_ptr<const Report>& report = m_workspace.shared(member.report);
        const bool showsLoss = hasLoss(*report) && m_shownLoss.insert(member.report).second;
        source.members.push_back({member.report, member.process, report, m_lods[member.report],
                                  m_alignment.map(member.report), showsLoss});
        if (!report->samples.samples.empty()) source.samples = m_options.samples;
    }
    const auto usesAxis = [](const ProcessLaneSource::Member& member) {
        const Report& report = *member.report;
        const bool hasNoTimes = report.memory != nullptr && report.memory->entries.time_ns.empty();
        const bool extendsValues = report.chunk.has_value() && !report.counterTracks.empty();
        return hasNoTimes || extendsValues;
    };
    if (std::ranges::any_of(source.members, usesAxis)) source.axis = axisOf(m_workspace, m_alignment);
    return source;
}

std::shared_ptr<const ProcessLanes> LaneTreeBuilder::lanesOf(ProcessLaneSource source) const
{
    if (m_last != nullptr) {
        const auto found = m_last->m_processOf.find(source.key);
        if (found != m_last->m_processOf.end()) {
            const auto& lanes = m_last->m_processes[found->second].lanes;
            if (lanes->source() == source) return lanes;
        }
    }
    return buildProcessLanes(std::move(source));
}

void LaneTreeBuilder::place(uint32_t group, std::shared_ptr<const ProcessLanes> lanes)
{
    const auto first = static_cast<uint32_t>(m_tree.m_places.size());
    const auto process = static_cast<uint32_t>(m_tree.m_processes.size());
    uint16_t level = 0;
    if (group != kNoLane) {
        groupAt(group).children.push_back(first);
        level = static_cast<uint16_t>(m_tree.levelOf(group) + 1);
    }
    for (uint32_t i = 0; i < lanes->lanes().size(); ++i) {
        const uint32_t parent = lanes->parentOf(i);
        m_tree.m_places.push_back({&lanes->lanes()[i], &lanes->childrenOf(i), first,
                                   parent == kNoLane ? group : first + parent,
                                   static_cast<uint16_t>(level + lanes->levelOf(i))});
    }
    m_tree.m_processOf.emplace(lanes->source().key, process);
    for (const ProcessLaneSource::Member& member : lanes->source().members) {
        const std::pair entry(member.key, process);
        if (m_tree.m_processesOf.empty() || m_tree.m_processesOf.back() != entry)
            m_tree.m_processesOf.push_back(entry);
    }
    m_tree.m_processes.push_back({std::move(lanes), first});
}

// Children come after their parents, so a group that contains groups adopts the lanes of these groups.
void LaneTreeBuilder::finishGroups()
{
    for (auto group = m_tree.m_groups.rbegin(); group != m_tree.m_groups.rend(); ++group) {
        Lane& lane = group->lane;
        lane.hasChildren = !group->children.empty();
        uint32_t row = 0;
        for (const uint32_t child : group->children) {
            const Lane& under = m_tree.lane(child);
            lane.rankCount += under.rankCount;
            const uint32_t first = row;
            for (RowSource source : under.summary) {
                source.row += first;
                row = std::max(row, source.row + 1);
                lane.summary.push_back(source);
            }
        }
        if (lane.isRankMap()) describeMap(*group);
    }
}

void LaneTreeBuilder::describeMap(LaneTree::Group& group) const
{
    Lane& lane = group.lane;
    lane.startsCollapsed = true;
    lane.value = groupedText(lane.rankCount) + " ranks";
    const auto isHost = [&](uint32_t child) { return m_tree.lane(child).subject == LaneSubject::group; };
    const auto hosts = std::ranges::count_if(group.children, isHost);
    if (m_groupsHosts && hosts > 1) lane.value += " \u00B7 " + groupedText(hosts) + " hosts";
}

uint32_t LaneTree::processOf(uint32_t lane) const
{
    while (lane != kNoLane && this->lane(lane).subject != LaneSubject::process)
        lane = parentOf(lane);
    return lane;
}

uint32_t LaneTree::find(std::string_view key) const
{
    const auto group = m_groupOf.find(key);
    if (group != m_groupOf.end()) return group->second;
    // The key of a lane begins with the key of its process; keys may contain slashes.
    for (size_t slash = key.find('/');; slash = key.find('/', slash + 1)) {
        const auto found = m_processOf.find(key.substr(0, slash));
        if (found != m_processOf.end()) {
            const Process& process = m_processes[found->second];
            const uint32_t lane = process.lanes->find(key);
            if (lane != kNoLane) return process.first + lane;
        }
        if (slash == std::string_view::npos) return kNoLane;
    }
}

uint32_t LaneTree::laneOf(TrackRef track) const
{
    const auto processes =
        std::ranges::equal_range(m_processesOf, track.report, {}, &std::pair<ReportKey, uint32_t>::first);
    for (const auto& [report, index] : processes) {
        const Process& process = m_processes[index];
        const uint32_t lane = process.lanes->laneOf(track);
        if (lane != kNoLane) return process.first + lane;
    }
    return kNoLane;
}

std::string LaneTree::pathOf(uint32_t lane) const
{
    std::string path = this->lane(lane).label;
    for (uint32_t up = parentOf(lane); up != kNoLane; up = parentOf(up))
        path = this->lane(up).label + " \u203A " + path;
    return path;
}

LaneTree buildLaneTree(const Workspace& workspace, const Alignment& alignment, const ReportLods& lods,
                       const LaneOptions& options, const LaneTree* last)
{
    return LaneTreeBuilder(workspace, alignment, lods, options, last).build();
}

} // namespace lockstep
