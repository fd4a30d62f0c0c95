// SPDX-License-Identifier: Apache-2.0
#include "core/export/step_chart_data.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/lanes/rl_phase.h"

namespace lockstep {

namespace {

constexpr int64_t kNoStep = std::numeric_limits<int64_t>::max(); // sorts last

bool hasSomeTime(const Table& table, size_t column)
{
    for (size_t row = 0; row < table.rowCount(); ++row)
        if (table.hasNumber(column, row) && table.number(column, row) > 0) return true;
    return false;
}

std::vector<size_t> partColumns(const Table& table)
{
    std::vector<size_t> columns;
    for (size_t i = 0; i <= kRlPhases; ++i) {
        const size_t column =
            table.columnNamed(i < kRlPhases ? rlPhaseName(static_cast<RlPhase>(i)) : "outside");
        if (column < table.columnCount() && hasSomeTime(table, column)) columns.push_back(column);
    }
    return columns;
}

// Returns the group name from the first column, or an empty string if the table is not grouped.
std::string groupNameOf(const Table& table, size_t row)
{
    const TableColumn& column = table.column(0);
    if (column.name == "step") return {};
    const std::string cell = table.cell(0, row);
    const std::string word = lowerAscii(column.name);
    if (cell.empty()) return word + " unknown";
    return column.type == ColumnType::text ? cell : word + " " + cell;
}

// If a step number occurs twice in a group because steps were found by different rules, each occurrence gets
// its own slot.
struct SlotKey {
    int64_t number;
    size_t nth;
    friend auto operator<=>(const SlotKey&, const SlotKey&) = default;
};

std::vector<SlotKey> slotKeys(const Table& table, size_t step, size_t wall)
{
    std::map<std::pair<std::string, int64_t>, size_t> seen;
    std::vector<SlotKey> keys(table.rowCount(), {kNoStep, 0});
    for (size_t row = 0; row < table.rowCount(); ++row) {
        if (!table.hasNumber(wall, row)) continue;
        if (step < table.columnCount() && table.hasNumber(step, row))
            keys[row].number = table.number(step, row);
        keys[row].nth = seen[{groupNameOf(table, row), keys[row].number}]++;
    }
    return keys;
}

void addTextsOf(const Table& table, const char* name, const std::string& before, std::vector<std::string>& to)
{
    const size_t column = table.columnNamed(name);
    if (column == table.columnCount()) return;
    std::vector<std::string> texts;
    for (size_t row = 0; row < table.rowCount(); ++row) {
        const std::string text = table.cell(column, row);
        if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
    }
    std::string all;
    for (const std::string& text : texts)
        all += (all.empty() ? "" : "; ") + text;
    if (!all.empty()) to.push_back(before + all);
}

// Adds a rule such as "rollout: a, b; update: c" that covers all rows. Each phase occurs once, with all of
// its range names.
void addPhaseRule(const Table& table, StepChartData& data)
{
    const size_t column = table.columnNamed("phases_from");
    if (column == table.columnCount()) return;
    std::vector<std::string> order;
    std::set<std::string> known;
    for (size_t row = 0; row < table.rowCount(); ++row) {
        const std::string text = table.cell(column, row);
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

size_t rowsAbove0(const Table& table, const char* name)
{
    const size_t column = table.columnNamed(name);
    size_t count = 0;
    for (size_t row = 0; column < table.columnCount() && row < table.rowCount(); ++row)
        count += table.hasNumber(column, row) && table.number(column, row) > 0;
    return count;
}

void addDefects(const Table& table, StepChartData& data)
{
    const auto bars = [](size_t count) { return std::to_string(count) + (count == 1 ? " bar" : " bars"); };
    if (const size_t count = rowsAbove0(table, "missing"))
        data.defects.push_back(bars(count) + " for steps that some processes lack: mean over the others");
    if (const size_t count = rowsAbove0(table, "open"))
        data.defects.push_back(bars(count) + " with phases that were never closed");
    if (std::ranges::find(data.slots, "?") != data.slots.end())
        data.defects.push_back("?: step number unknown");
}

} // namespace

StepChartData stepChartData(const Table& steps)
{
    StepChartData data;
    const size_t wall = steps.columnNamed("wall"), parts = steps.columnNamed("parts");
    if (wall == steps.columnCount()) return data;
    const std::vector<size_t> columns = partColumns(steps);
    for (const size_t column : columns)
        data.parts.push_back(steps.column(column).name);
    const std::vector<SlotKey> keys = slotKeys(steps, steps.columnNamed("step"), wall);
    std::map<SlotKey, size_t> slots;
    for (size_t row = 0; row < steps.rowCount(); ++row)
        if (steps.hasNumber(wall, row)) slots[keys[row]] = 0;
    for (auto& [key, slot] : slots) {
        slot = data.slots.size();
        data.slots.push_back(key.number == kNoStep ? "?" : std::to_string(key.number));
    }
    std::map<std::string, size_t> groups;
    for (size_t row = 0; row < steps.rowCount(); ++row) {
        if (!steps.hasNumber(wall, row)) continue;
        const auto [at, isNew] = groups.try_emplace(groupNameOf(steps, row), data.groups.size());
        if (isNew) data.groups.push_back({at->first, {}});
        const bool isCounted = parts < steps.columnCount() && steps.hasNumber(parts, row);
        const double over = isCounted ? std::max(1.0, steps.value(parts, row)) : 1;
        StepBar bar{slots[keys[row]], steps.value(wall, row) / over, {}};
        for (const size_t column : columns)
            bar.parts_ns.push_back(steps.hasNumber(column, row) ? steps.value(column, row) / over : 0);
        data.longest_ns = std::max(data.longest_ns, bar.wall_ns);
        data.groups[at->second].bars.push_back(std::move(bar));
    }
    for (StepChartGroup& group : data.groups)
        std::ranges::stable_sort(group.bars, {}, &StepBar::slot);
    addTextsOf(steps, "step_from", "Steps: ", data.rules);
    addPhaseRule(steps, data);
    addDefects(steps, data);
    return data;
}

} // namespace lockstep
