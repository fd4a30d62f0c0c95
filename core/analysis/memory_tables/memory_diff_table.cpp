// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/memory_tables/memory_diff_table.h"

#include "core/analysis/memory_tables/memory_selection.h"
#include "core/memory/snapshot_difference.h"

namespace lockstep {

namespace {

constexpr std::string_view kMemoryDiffTitle = "Growth of GPU memory by stack";

MemoryView viewOf(const MemoryPart& part, MemoryMoment moment)
{
    return {*part.device, *part.report->memory, part.report->strings, moment};
}

class MemoryDiffRows {
  public:
    MemoryDiffRows(MemorySelection& selection, Table& table) : m_selection(selection), m_table(table)
    {
        const auto bytes = [&](const char* name, const char* doc) {
            return table.addColumn({name, "B", ColumnType::bytes, 0, doc});
        };
        const auto count = [&](const char* name, const char* doc) {
            return table.addColumn({name, "", ColumnType::integer, 0, doc});
        };
        m_change = bytes("change", "after minus before");
        m_before = bytes("before", "active bytes before");
        m_after = bytes("after", "active bytes after");
        m_blocksBefore = count("blocks_before", "active blocks before");
        m_blocksAfter = count("blocks_after", "active blocks after");
        m_stack = table.addColumn({"stack", "", ColumnType::text, 0, kStackDoc});
    }

    // Compares the ends of both parts within the scope. If there is only one part, compares its start with
    // its end.
    void add(const MemoryPart& first, const MemoryPart& last)
    {
        const bool isOne = first.device == last.device;
        const MemoryView before = viewOf(first, isOne ? first.first : first.last);
        const MemoryView after = viewOf(last, last.last);
        for (const StackChange& change : snapshotDifference(before, after).stacks) {
            const bool isOfLast = change.afterBlocks > 0;
            const MemoryPart& part = isOfLast ? last : first;
            const MemoryStackId stack = isOfLast ? change.after : change.before;
            if (!m_selection.isInScope(part, stack)) continue;
            m_selection.addRow(part);
            m_table.setNumber(m_change, change.change_bytes());
            m_table.setNumber(m_before, change.before_bytes);
            m_table.setNumber(m_after, change.after_bytes);
            m_table.setNumber(m_blocksBefore, static_cast<int64_t>(change.beforeBlocks));
            m_table.setNumber(m_blocksAfter, static_cast<int64_t>(change.afterBlocks));
            m_table.setText(m_stack, MemorySelection::stackName(part, stack));
        }
        const auto nameOf = [](const MemoryPart& part, MemoryMoment moment) {
            return part.report->provenance.path.string() + ", device " + std::to_string(part.device->device) +
                   ", after entry " + std::to_string(moment);
        };
        m_table.source.rules.push_back("before: " + nameOf(first, before.moment));
        m_table.source.rules.push_back("after: " + nameOf(last, after.moment));
    }

  private:
    MemorySelection& m_selection;
    Table& m_table;
    size_t m_change, m_before, m_after, m_blocksBefore, m_blocksAfter, m_stack;
};

Result<Table> memoryDiffTable(const AnalysisRequest& request, const Progress& progress)
{
    Table table{std::string(request.what), std::string(kMemoryDiffTitle)};
    MemorySelection selection(request, table, true);
    MemoryDiffRows rows(selection, table);
    std::optional<MemoryPart> first, last;
    size_t parts = 0;
    LOCKSTEP_TRY(selection.forEach(progress, [&](const MemoryPart& part) -> Status {
        if (!first) first = part;
        last = part;
        ++parts;
        return progress.check();
    }));
    if (first) rows.add(*first, *last);
    selection.describe("stacks with active memory in the first or the last device in scope");
    if (parts > 2) {
        table.source.rules.push_back(std::to_string(parts) +
                                     " devices are in scope; the first and the last of them are compared");
    }
    table.source.rules.push_back("stacks of two files match if file, function and line of every frame match");
    return table;
}

} // namespace

Analysis memoryDiffAnalysis()
{
    return {"memory_diff", kMemoryDiffTitle, "memory snapshots", {}, memoryDiffTable};
}

} // namespace lockstep
