// SPDX-License-Identifier: Apache-2.0
#include "core/export/step_chart_data.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr int64_t kNoStep = std::numeric_limits<int64_t>::max(); // sorts last

// Part kRlPhases is the time outside all phases.
std::string_view partName(size_t part)
{
    return part < kRlPhases ? rlPhaseName(static_cast<RlPhase>(part)) : "outside";
}

int64_t partTime_ns(const StepTimes& times, size_t part)
{
    return part < kRlPhases ? times.phase_ns[part].value_or(0) : times.outside_ns;
}

// Returns the parts that have a time in any step.
std::vector<size_t> usedParts(std::span<const StepRow> steps)
{
    std::vector<size_t> parts;
    for (size_t part = 0; part <= kRlPhases; ++part) {
        const auto hasTime = [&](const StepRow& row) { return partTime_ns(row.times, part) > 0; };
        if (std::ranges::any_of(steps, hasTime)) parts.push_back(part);
    }
    return parts;
}

// Returns "rank 3", or an empty string if the steps are not grouped.
std::string groupNameOf(GroupBy by, const GroupKey& group)
{
    if (by == GroupBy::total) return {};
    const TableColumn column = groupColumn(by);
    const std::string word = lowerAscii(column.name);
    const bool isText = column.type == ColumnType::text;
    if (group.isUnknown || (isText && group.text.empty())) return word + " unknown";
    return isText ? group.text : word + " " + std::to_string(group.number);
}

// If a step number occurs twice in a group because steps were found by different rules, each occurrence gets
// its own slot.
struct SlotKey {
    int64_t number;
    size_t nth;
    friend auto operator<=>(const SlotKey&, const SlotKey&) = default;
};

std::vector<SlotKey> slotKeys(std::span<const StepRow> steps, GroupBy by)
{
    std::map<std::pair<std::string, int64_t>, size_t> seen;
    std::vector<SlotKey> keys;
    for (const StepRow& row : steps) {
        const int64_t number = row.step.value_or(kNoStep);
        keys.push_back({number, seen[{groupNameOf(by, row.group), number}]++});
    }
    return keys;
}

// Adds the rules by which the steps were found.
void addStepRule(std::span<const StepRow> steps, StepChartData& data)
{
    std::vector<std::string> texts;
    for (const StepRow& row : steps)
        if (!row.from.empty() && std::ranges::find(texts, row.from) == texts.end()) texts.push_back(row.from);
    std::string all;
    for (const std::string& text : texts)
        all += (all.empty() ? "" : "; ") + text;
    if (!all.empty()) data.rules.push_back("Steps: " + all);
}

// Adds a rule such as "rollout: a, b; update: c" that covers all rows. Each phase occurs once, with all of
// its range names.
void addPhaseRule(std::span<const StepRow> steps, StepChartData& data)
{
    std::vector<std::string> order;
    std::set<std::string> known;
    for (const StepRow& row : steps) {
        const std::string& text = row.phaseNames;
        for (size_t begin = 0; begin < text.size();) {
            const size_t end = std::min(text.find("; ", begin), text.size());
            if (known.insert(text.substr(begin, end - begin)).second)
                order.push_back(text.substr(begin, end - begin));
            begin = end + 2;
        }
    }
    if (order.empty()) {
        data.defects.push_back("no range has the name of a phase: all time is outside phases");
        return;
    }
    std::string all;
    for (const std::string& rule : order)
        all += (all.empty() ? "" : "; ") + rule;
    data.rules.push_back("Phases by range name: " + all);
}

void addDefects(std::span<const StepRow> steps, StepChartData& data)
{
    const auto bars = [](auto count) { return std::to_string(count) + (count == 1 ? " bar" : " bars"); };
    const auto missing = std::ranges::count_if(steps, [](const StepRow& row) { return row.missing > 0; });
    const auto open =
        std::ranges::count_if(steps, [](const StepRow& row) { return row.times.openRanges > 0; });
    if (missing > 0)
        data.defects.push_back(bars(missing) + " for steps that some processes lack: mean over the others");
    if (open > 0) data.defects.push_back(bars(open) + " with phases that were never closed");
    if (std::ranges::find(data.slots, "?") != data.slots.end())
        data.defects.push_back("?: step number unknown");
}

} // namespace

StepChartData stepChartData(std::span<const StepRow> steps, GroupBy by)
{
    StepChartData data;
    if (steps.empty()) return data;
    const std::vector<size_t> parts = usedParts(steps);
    for (const size_t part : parts)
        data.parts.emplace_back(partName(part));
    const std::vector<SlotKey> keys = slotKeys(steps, by);
    std::map<SlotKey, size_t> slots;
    for (const SlotKey& key : keys)
        slots[key] = 0;
    for (auto& [key, slot] : slots) {
        slot = data.slots.size();
        data.slots.push_back(key.number == kNoStep ? "?" : std::to_string(key.number));
    }
    std::map<std::string, size_t> groups;
    for (size_t i = 0; i < steps.size(); ++i) {
        const StepRow& row = steps[i];
        const auto [at, isNew] = groups.try_emplace(groupNameOf(by, row.group), data.groups.size());
        if (isNew) data.groups.push_back({at->first, {}});
        const double over = std::max(1.0, static_cast<double>(row.parts));
        StepBar bar{slots[keys[i]], static_cast<double>(row.times.wall_ns) / over, {}};
        for (const size_t part : parts)
            bar.parts_ns.push_back(static_cast<double>(partTime_ns(row.times, part)) / over);
        data.longest_ns = std::max(data.longest_ns, bar.wall_ns);
        data.groups[at->second].bars.push_back(std::move(bar));
    }
    for (StepChartGroup& group : data.groups)
        std::ranges::stable_sort(group.bars, {}, &StepBar::slot);
    addStepRule(steps, data);
    addPhaseRule(steps, data);
    addDefects(steps, data);
    return data;
}

} // namespace lockstep
