// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/memory_tables/memory_peak_table.h"

#include <map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/memory_tables/memory_selection.h"
#include "core/memory/allocations.h"

namespace lockstep {

namespace {

constexpr std::string_view kMemoryPeakTitle = "Peak GPU memory by stack";
constexpr size_t kMaxWhatIfs = 10; // maximum number per device, because each costs a pass over the history

class MemoryPeakRows {
  public:
    MemoryPeakRows(const AnalysisRequest& request, MemorySelection& selection, Table& table)
        : m_request(request), m_selection(selection), m_table(table)
    {
        const auto bytes = [&](const char* name, const char* doc) {
            return table.addColumn({name, "B", ColumnType::bytes, 0, doc});
        };
        const auto text = [&](const char* name, const char* doc) {
            return table.addColumn({name, "", ColumnType::text, 0, doc});
        };
        m_time = table.addColumn(
            {"peak_time", "ns", ColumnType::time, 0,
             "time of the highest active memory, aligned axis; empty if the snapshot has no timestamps"});
        m_share = table.addColumn(
            {"peak_share", "%", ColumnType::percent, 1, "share of all active memory at the peak"});
        m_bytes = bytes("peak_bytes", "memory active at the peak");
        m_blocks = table.addColumn({"peak_blocks", "", ColumnType::integer, 0, "blocks active at the peak"});
        m_most = bytes("own_peak", "the stack's own highest active memory");
        m_all =
            table.addColumn({"allocations", "", ColumnType::integer, 0, "allocations in the whole history"});
        m_requested = bytes("requested", "sum of the requested sizes of all allocations in the history");
        m_without = bytes("peak_without", "peak without the stack's blocks, all else unchanged; for the ten "
                                          "largest stacks of a device");
        m_category = text("category", "category guessed from the stack");
        m_stack = text("stack", kStackDoc);
    }

    void add(const MemoryPart& part)
    {
        const DeviceReplay& device = *part.device;
        const MemoryPeak peak = device.activePeakIn(part.first, part.last);
        std::map<MemoryStackId, StackUse> uses;
        for (const StackUse& use : stackUses(device))
            uses[use.stack] = use;
        const auto categories = stackCategories(*part.report->memory, part.report->strings);
        size_t whatIfs = 0;
        for (const StackLevel& level : stackLevels(device, peak.moment)) {
            if (!m_selection.isInScope(part, level.stack)) continue;
            m_selection.addRow(part);
            if (const auto time_ns = part.alignedTime(m_request.alignment, peak.moment))
                m_table.setNumber(m_time, *time_ns);
            m_table.setNumber(m_share,
                              roundedQuotient(__int128(level.size_bytes) * 1000, peak.levels.active));
            m_table.setNumber(m_bytes, level.size_bytes);
            if (part.recording().hasBlocks) {
                m_table.setNumber(m_blocks, static_cast<int64_t>(level.blocks));
                m_table.setNumber(m_all, static_cast<int64_t>(uses[level.stack].blocks));
            }
            m_table.setNumber(m_most, uses[level.stack].most_bytes);
            if (part.recording().hasRequested)
                m_table.setNumber(m_requested, static_cast<int64_t>(uses[level.stack].requested_bytes));
            if (level.stack.isValid() && whatIfs++ < kMaxWhatIfs) {
                std::vector<bool> without(part.report->memory->stackCount());
                without[level.stack.value] = true;
                m_table.setNumber(m_without, peakWithout(device, without).levels.active);
            }
            m_table.setText(m_category, memoryCategoryName(categoryOf(categories, level.stack)));
            m_table.setText(m_stack, MemorySelection::stackName(part, level.stack));
        }
    }

  private:
    const AnalysisRequest& m_request;
    MemorySelection& m_selection;
    Table& m_table;
    size_t m_time, m_share, m_bytes, m_blocks, m_most, m_all, m_requested, m_without, m_category, m_stack;
};

Result<Table> memoryPeakTable(const AnalysisRequest& request, const Progress& progress)
{
    Table table{std::string(request.what), std::string(kMemoryPeakTitle)};
    MemorySelection selection(request, table, true);
    MemoryPeakRows rows(request, selection, table);
    LOCKSTEP_TRY(selection.forEach(progress, [&](const MemoryPart& part) -> Status {
        rows.add(part);
        return progress.check();
    }));
    selection.describe("stacks with active memory at the peak of their device");
    return table;
}

} // namespace

Analysis memoryPeakAnalysis()
{
    return {"memory_peak", kMemoryPeakTitle, "memory snapshots", {}, memoryPeakTable};
}

} // namespace lockstep
