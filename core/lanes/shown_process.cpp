// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/shown_process.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/lanes/lane_label.h"
#include "core/trace/identity.h"
#include "core/trace/process_groups.h"

namespace lockstep {

namespace {

constexpr size_t kNoGroup = static_cast<size_t>(-1);

std::shared_ptr<const Identity> identityOfAll(const Workspace& workspace,
                                              const std::vector<ShownMember>& members)
{
    if (members.size() == 1) {
        const ShownMember& only = members.front();
        return {workspace.sharedIdentity(only.report), &workspace.identity(only.report, only.process)};
    }
    Identity out;
    std::set<int> steps;
    for (const ShownMember& member : members) {
        const Identity& identity = workspace.identity(member.report, member.process);
        learnParts(out, identity);
        if (identity.step.isKnown()) steps.insert(*identity.step.value);
    }
    if (steps.size() > 1) out.step = {};
    return std::make_shared<const Identity>(std::move(out));
}

class Finder {
  public:
    Finder(const Workspace& workspace, const ReportLods& lods) : m_workspace(workspace), m_lods(lods)
    {
        const std::vector<ProcessGroup> groups = findProcessGroups(workspace);
        m_groupOf = ByReport<std::map<ProcessId, size_t>>(workspace.slotCount());
        for (size_t g = 0; g < groups.size(); ++g) {
            for (const ProcessMember& member : groups[g].members)
                m_groupOf[member.report].emplace(member.process, g);
        }
    }

    std::vector<ShownProcess> run()
    {
        for (const ReportKey key : m_workspace.keys()) {
            const size_t only = onlyGroup(key);
            for (const ProcessRows& rows : m_lods[key]->processRows())
                place({key, rows.process}, only);
        }
        for (ShownProcess& shown : m_shown)
            shown.known = identityOfAll(m_workspace, shown.members);
        return std::move(m_shown);
    }

  private:
    // Returns the only group that contains real processes with rows in a report.
    size_t onlyGroup(ReportKey report) const
    {
        size_t only = kNoGroup;
        for (const auto& [process, group] : m_groupOf[report]) {
            if (m_lods[report]->rowsOf(process) == nullptr) continue;
            if (only != kNoGroup) return kNoGroup;
            only = group;
        }
        return only;
    }

    void place(const ShownMember& member, size_t only)
    {
        const auto& groups = m_groupOf[member.report];
        const auto own = groups.find(member.process);
        const bool isSystem = !member.process.isValid();
        const size_t group = own != groups.end() ? own->second : only;
        size_t index = m_shown.size();
        if (group != kNoGroup) index = m_indexOf.try_emplace({isSystem, group}, index).first->second;
        if (index == m_shown.size()) m_shown.push_back({{}, nullptr, !isSystem});
        m_shown[index].members.push_back(member);
    }

    const Workspace& m_workspace;
    const ReportLods& m_lods;
    ByReport<std::map<ProcessId, size_t>> m_groupOf;
    std::map<std::pair<bool, size_t>, size_t> m_indexOf;
    std::vector<ShownProcess> m_shown;
};

std::string fileLabel(const Workspace& workspace, const ShownProcess& shown)
{
    return workspace.report(shown.members.front().report).provenance.path.stem().string();
}

// Returns the name of the first member that has one. "python" is skipped, because Kineto gives this name to
// every process.
std::string_view nameOf(const Workspace& workspace, const ShownProcess& shown)
{
    for (const ShownMember& member : shown.members) {
        if (!member.process.isValid()) continue;
        const Report& report = workspace.report(member.report);
        const std::string_view name = report.strings.at(report.processes[member.process.value].name);
        if (!name.empty()) return name;
    }
    return {};
}

std::string plainLabel(const Workspace& workspace, const ShownProcess& shown)
{
    if (isHostLog(workspace, shown)) {
        std::string label = shown.identity().host.value.value_or("");
        appendLabelPart(label, "host");
        return label;
    }
    if (!shown.isProcess) return processLabel(shown.identity(), "", 0, true);
    const std::string_view name = nameOf(workspace, shown);
    int64_t pid = 0;
    for (const ShownMember& member : shown.members) {
        const Report& report = workspace.report(member.report);
        if (pid <= 0) pid = report.processes[member.process.value].pid;
    }
    std::string label = processLabel(shown.identity(), name, pid, false);
    const bool isNumbered = shown.identity().rank.isKnown() || shown.identity().replica.isKnown();
    if (!isNumbered && name.empty() && pid <= 0) appendLabelPart(label, fileLabel(workspace, shown));
    return label;
}

constexpr size_t kDistinguishingLabels = 6;

// Returns strings that can be added to equal process names to distinguish them, the most distinctive one
// first.
std::array<std::string, kDistinguishingLabels> distinguishingLabels(const Workspace& workspace,
                                                                    const ShownProcess& shown)
{
    const Identity& identity = shown.identity();
    const auto numbered = [](const char* word, const auto& part) {
        return part.isKnown() ? word + std::to_string(*part.value) : std::string();
    };
    return {numbered("replica ", identity.replica),
            numbered("step ", identity.step),
            std::string(nameOf(workspace, shown)),
            numbered("pid ", identity.pid),
            fileLabel(workspace, shown),
            workspace.report(shown.members.front().report).provenance.path.string()};
}

// Shortens paths to the part starting at the first folder that differs.
void shortenPaths(std::vector<std::string>& paths)
{
    const auto sameBegin = [&](size_t size) {
        return std::ranges::all_of(paths, [&](const std::string& path) {
            return path.size() > size && path.compare(0, size, paths.front(), 0, size) == 0;
        });
    };
    size_t common = 0;
    for (size_t slash = paths.front().find('/'); slash != std::string::npos && sameBegin(slash + 1);
         slash = paths.front().find('/', slash + 1))
        common = slash + 1;
    for (std::string& path : paths)
        path.erase(0, common);
}

void disambiguate(const Workspace& workspace, const std::vector<ShownProcess>& processes,
                  const std::vector<size_t>& sameLabel, std::vector<std::string>& labels)
{
    std::vector<std::array<std::string, kDistinguishingLabels>> words;
    for (const size_t i : sameLabel)
        words.push_back(distinguishingLabels(workspace, processes[i]));
    for (size_t word = 0; word < kDistinguishingLabels; ++word) {
        std::vector<std::string> choices;
        for (const auto& ofOne : words)
            choices.push_back(ofOne[word]);
        const std::set<std::string> distinct(choices.begin(), choices.end());
        if (distinct.size() != sameLabel.size() || distinct.contains("")) continue;
        if (word == kDistinguishingLabels - 1) shortenPaths(choices);
        for (size_t n = 0; n < sameLabel.size(); ++n)
            appendLabelPart(labels[sameLabel[n]], choices[n]);
        return;
    }
    // Handles two processes in one file that have no other difference.
    for (size_t n = 0; n < sameLabel.size(); ++n)
        appendLabelPart(labels[sameLabel[n]], "#" + std::to_string(n + 1));
}

} // namespace

bool isHostLog(const Workspace& workspace, const ShownProcess& shown)
{
    return workspace.report(shown.members.front().report).provenance.kind == "run events";
}

std::vector<ShownProcess> findShownProcesses(const Workspace& workspace, const ReportLods& lods)
{
    return Finder(workspace, lods).run();
}

std::vector<std::string> shownLabels(const Workspace& workspace, const std::vector<ShownProcess>& processes)
{
    std::vector<std::string> labels;
    std::map<std::string, std::vector<size_t>> byLabel;
    for (size_t i = 0; i < processes.size(); ++i) {
        labels.push_back(plainLabel(workspace, processes[i]));
        byLabel[labels.back()].push_back(i);
    }
    for (const auto& [label, sameLabel] : byLabel) {
        const Identity& identity = processes[sameLabel.front()].identity();
        const bool isNumbered = identity.rank.isKnown() || identity.replica.isKnown();
        if (sameLabel.size() > 1) {
            disambiguate(workspace, processes, sameLabel, labels);
        } else if (!isNumbered && workspace.size() > 1 &&
                   !isHostLog(workspace, processes[sameLabel.front()])) {
            // A name and a process ID are not informative to users.
            appendLabelPart(labels[sameLabel.front()], fileLabel(workspace, processes[sameLabel.front()]));
        }
    }
    for (size_t i = 0; i < labels.size(); ++i) {
        if (labels[i].empty())
            labels[i] = "report " + std::to_string(processes[i].members.front().report.value + 1);
    }
    return labels;
}

} // namespace lockstep
