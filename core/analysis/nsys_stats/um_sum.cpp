// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/um_sum.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/fact_pages.h"
#include "core/analysis/rows_by_start.h"
#include "core/analysis/summary.h"

namespace lockstep {

namespace {

constexpr std::string_view kUmSumTitle = "Unified memory analysis summary";
constexpr AnalysisArgument kUmRows{
    "rows", "maximum number of rows; -1: all", ArgumentType::whole, "10", "rows", -1};
constexpr std::array kUmArguments{kUmRows};

// Transfers and faults at one address; each is nullopt if there are none of that kind.
struct Migrations {
    std::optional<int64_t> toDevice_bytes, toHost_bytes, cpuFaults, gpuFaults;
    int64_t moved_ns = 0;
    SliceRef longest;
    int64_t longest_ns = -1;

    // Returns a rate in thousandths of a MB/s; nullopt if there is no transfer, or if the duration is 0.
    std::optional<int64_t> throughput() const
    {
        if ((!toDevice_bytes && !toHost_bytes) || moved_ns == 0) return std::nullopt;
        const __int128 moved = __int128(toDevice_bytes.value_or(0)) + toHost_bytes.value_or(0);
        return roundedQuotient(moved * 1'000'000, moved_ns);
    }
};

// Addresses are sorted as unsigned integers.
using ByAddress = std::map<std::pair<GroupKey, uint64_t>, Migrations>;

struct Gathered {
    ByAddress pages;
    uint64_t withoutAddress = 0;
    std::string missing; // a rule for the table, or ""
};

enum class UmRow : uint8_t { other, toDevice, toHost, cpuFault, gpuFault };

UmRow umRowOf(const Report& report, SliceId slice)
{
    if (report.slices.kind[slice.value] == RowKind::memcpy) {
        const MemoryOp* const op = report.memoryOpOf(slice);
        if (op == nullptr) return UmRow::other;
        return op->kind == CopyKind::unifiedHostToDevice   ? UmRow::toDevice
               : op->kind == CopyKind::unifiedDeviceToHost ? UmRow::toHost
                                                           : UmRow::other;
    }
    const uint8_t table = report.slices.source[slice.value].table();
    const std::string_view name = table < report.sourceTables.size()
                                      ? std::string_view(report.sourceTables[table])
                                      : std::string_view();
    return name == "CUDA_UM_CPU_PAGE_FAULT_EVENTS"   ? UmRow::cpuFault
           : name == "CUDA_UM_GPU_PAGE_FAULT_EVENTS" ? UmRow::gpuFault
                                                     : UmRow::other;
}

void addUmRow(Migrations& at, const Report& report, SliceRef row, std::optional<int64_t> faults)
{
    const auto add = [](std::optional<int64_t>& sum, int64_t amount) { sum = sum.value_or(0) + amount; };
    const int64_t length_ns = report.slices.duration_ns[row.slice.value];
    const UmRow what = umRowOf(report, row.slice);
    if (what == UmRow::cpuFault) add(at.cpuFaults, 1);
    if (what == UmRow::gpuFault && faults) add(at.gpuFaults, *faults);
    if (what == UmRow::toDevice || what == UmRow::toHost) {
        const auto size = static_cast<int64_t>(report.memoryOpOf(row.slice)->size_bytes);
        add(what == UmRow::toDevice ? at.toDevice_bytes : at.toHost_bytes, size);
        at.moved_ns += length_ns;
    }
    if (length_ns <= at.longest_ns) return;
    at.longest_ns = length_ns;
    at.longest = row;
}

Result<Gathered> gatherMigrations(const AnalysisRequest& request, const Progress& progress)
{
    Gathered out;
    const Workspace& workspace = request.workspace;
    FactPages facts(workspace, rowFacts({RowFact::address, RowFact::faults}));
    RowsByStart rows(request.scene, request.scope, rowKinds({RowKind::memcpy, RowKind::memoryEvent}));
    bool isOpen = false;
    std::vector<SliceRef> page;
    std::vector<const GroupKey*> groups;
    for (bool isMore = true; isMore;) {
        page.clear();
        groups.clear();
        PlacedRow row;
        for (uint32_t looked = 0; page.size() < FactPages::kPage_rows && (isMore = rows.next(row));) {
            if (++looked % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
            if (umRowOf(workspace.report(row.report), row.slice) == UmRow::other) continue;
            page.push_back(row.ref());
            groups.push_back(row.group);
        }
        if (!page.empty() && !std::exchange(isOpen, true)) {
            facts.open(rows.reports());
            out.missing = facts.missing();
        }
        LOCKSTEP_TRY(facts.load(page, progress));
        for (size_t i = 0; i < page.size(); ++i) {
            const auto address = facts.number(i, RowFact::address);
            if (!address) {
                ++out.withoutAddress;
                continue;
            }
            addUmRow(out.pages[{*groups[i], static_cast<uint64_t>(*address)}],
                     workspace.report(page[i].report), page[i], facts.number(i, RowFact::faults));
        }
    }
    return out;
}

std::string addressText(uint64_t address)
{
    std::array<char, 24> text;
    const int size =
        std::snprintf(text.data(), text.size(), "0x%llX", static_cast<unsigned long long>(address));
    return std::string(text.data(), static_cast<size_t>(size));
}

void addUmColumns(Table& table)
{
    const auto amount = [&](const char* name, const char* unit, const char* doc) {
        table.addColumn({name, unit, ColumnType::bytes, 3, doc});
    };
    table.addColumn({"Virtual Address", "", ColumnType::text, 0, "start address of the pages"});
    amount("HtoD Migration Size", "MB", "bytes moved from host to device, in 10^6 bytes");
    amount("DtoH Migration Size", "MB", "bytes moved from device to host, in 10^6 bytes");
    table.addColumn({"CPU Page Faults", "", ColumnType::integer, 0, "number of CPU page faults"});
    table.addColumn({"GPU Page Faults", "", ColumnType::integer, 0, "number of GPU page faults"});
    table.markSums({"HtoD Migration Size", "DtoH Migration Size", "CPU Page Faults", "GPU Page Faults"});
    amount("Migration Throughput", "MB/s", "bytes moved / sum of the durations of the transfers");
}

Result<Table> umSumRows(const AnalysisRequest& request, const Progress& progress)
{
    const Gathered gathered = LOCKSTEP_TRY(gatherMigrations(request, progress));
    std::vector<const ByAddress::value_type*> order;
    for (const auto& page : gathered.pages)
        order.push_back(&page);
    std::ranges::stable_sort(order, {}, [](const ByAddress::value_type* page) {
        return std::pair(page->first.first, -page->second.throughput().value_or(-1));
    });
    Table table{std::string(request.what), std::string(kUmSumTitle)};
    addGroupColumn(table, request.scope.by);
    const size_t first = table.columnCount();
    addUmColumns(table);
    const int64_t most = request.arguments.whole(kUmRows.name);
    std::map<GroupKey, int64_t> listed;
    for (const auto* const page : order) {
        if (most >= 0 && listed[page->first.first]++ >= most) continue;
        const Migrations& at = page->second;
        table.addRow(at.longest);
        setGroup(table, request.scope.by, page->first.first);
        table.setText(first, addressText(page->first.second));
        const auto set = [&](size_t column, std::optional<int64_t> number, int64_t unit) {
            if (number) table.setNumber(first + column, roundedQuotient(*number, unit));
        };
        set(1, at.toDevice_bytes, 1000);
        set(2, at.toHost_bytes, 1000);
        set(3, at.cpuFaults, 1);
        set(4, at.gpuFaults, 1);
        set(5, at.throughput(), 1);
    }
    table.source.rows = "unified-memory copies between host and device, and page faults";
    const auto say = [&](const std::string& rule) { table.source.rules.push_back(rule); };
    if (order.size() > table.rowCount())
        say("the first " + std::to_string(most) + " addresses by throughput" +
            (request.scope.by == GroupBy::total ? "" : " of each group") + ", of " +
            std::to_string(order.size()) + "; rows=-1 lists all");
    if (gathered.withoutAddress > 0) {
        say(std::to_string(gathered.withoutAddress) + " rows without an address are left out");
        table.source.whenEmpty = noneInScopeText("transfers and page faults", gathered.withoutAddress) +
                                 " has an address" +
                                 (gathered.missing.empty() ? "." : ": " + gathered.missing + ".");
    }
    if (!order.empty()) table.source.whenEmpty = limitText(kUmRows, order.size());
    if (!gathered.missing.empty()) say(gathered.missing);
    if (request.scope.time) say("rows that overlap the time range are counted, in full");
    if (request.scope.name) say("the name filter does not apply: rows are addresses");
    return table;
}

} // namespace

Analysis umSum()
{
    return {"um_sum", kUmSumTitle, "unified-memory transfers or page faults", kUmArguments, umSumRows};
}

} // namespace lockstep
