// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/memory_bandwidth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "core/analysis/empty_table.h"
#include "core/analysis/fact_pages.h"
#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/training/describe_columns.h"
#include "core/analysis/training/rank_work.h"

namespace lockstep {

namespace {

constexpr std::string_view kBandwidthTitle = "Memory bandwidth of copies and memsets";
constexpr std::array kBandwidthArguments{kAllStepsArgument, kHtaArgument};

struct Moved {
    std::vector<double> rates; // GB/s
    int64_t bytes = 0;
    double time_ns = 0;
    SliceId slowest;
    double least = 0;
};

// Rates of copies and memsets. Kineto computes them from nanoseconds, but its traces have whole microseconds;
// dividing the bytes by the rounded duration would give errors of up to 40% for small copies. The rate
// recorded in the file is therefore used if there is one.
class StatedRates {
  public:
    StatedRates(const AnalysisRequest& request, const std::vector<RankWork>& works)
        : m_facts(request.workspace, rowFacts({RowFact::bandwidth}))
    {
        std::vector<ReportKey> reports;
        for (const RankWork& work : works) {
            const bool mayState = request.workspace.report(work.report).provenance.tool == "PyTorch";
            if (mayState && (reports.empty() || reports.back() != work.report))
                reports.push_back(work.report);
        }
        m_facts.open(reports);
    }

    // Returns the rate of each row in GB/s, in the order of the rows; 0 if the file does not record a rate.
    Result<std::vector<double>> of(std::span<const SliceRef> rows, const Progress& progress)
    {
        std::vector<double> rates;
        for (size_t begin = 0; begin < rows.size(); begin += FactPages::kPage_rows) {
            const auto page = rows.subspan(begin, std::min(FactPages::kPage_rows, rows.size() - begin));
            const Status loaded = m_facts.load(page, progress);
            LOCKSTEP_TRY(progress.check());
            if (!loaded) m_failure = loaded.error().message;
            for (size_t i = 0; i < page.size(); ++i) {
                const auto stated = loaded ? m_facts.number(i, RowFact::bandwidth) : std::nullopt;
                rates.push_back(stated ? static_cast<double>(*stated) / 1e9 : 0);
                ++(stated ? m_stated : m_computed);
            }
        }
        return rates;
    }

    void describe(Table& table) const
    {
        if (m_stated > 0) {
            table.source.rules.push_back(
                std::to_string(m_stated) + " of " + std::to_string(m_stated + m_computed) +
                " rates are the file's own \"memory bandwidth (GB/s)\"; the others are bytes / duration");
        }
        if (!m_failure.empty())
            table.source.rules.push_back("cannot read the rates from the file: " + m_failure);
    }

  private:
    FactPages m_facts;
    size_t m_stated = 0, m_computed = 0;
    std::string m_failure;
};

Result<Table> bandwidthRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto works = LOCKSTEP_TRY(rankWorkInScope(request, progress));
    Table table{std::string(request.what), std::string(kBandwidthTitle)};
    RankColumns columns(request, table);
    const size_t first =
        table.addColumn({"operation", "", ColumnType::text, 0, "direction of the copy, or memset"});
    DescribeColumns describe(table, "GB/s", ColumnType::real, 6,
                             "rates in 10^9 bytes per second: from the file, else bytes / duration");
    const size_t rest = table.addColumn({"bytes", "B", ColumnType::bytes, 0, "sum of the sizes"});
    table.markSums({"bytes"});
    table.addColumn(
        {"overall", "GB/s", ColumnType::real, 6, "bytes / sum of the durations that the rates imply"});
    columns.addReport();
    size_t without = 0;
    StatedRates stated(request, works);
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        const Report& report = request.workspace.report(work.report);
        std::vector<SliceRef> copies;
        for (const WorkRow& row : work.rows) {
            const RowKind kind = report.slices.kind[row.slice.value];
            if (kind != RowKind::memcpy && kind != RowKind::memset) continue;
            const MemoryOp* const op = report.memoryOpOf(row.slice);
            const bool isUsable = op != nullptr && report.slices.duration(row.slice).ns > 0 &&
                                  op->size_bytes > 0 && op->size_bytes <= uint64_t(kAllTime.end.ns);
            if (isUsable) copies.push_back({work.report, row.slice});
            without += isUsable ? 0 : 1;
        }
        const std::vector<double> rates = LOCKSTEP_TRY(stated.of(copies, progress));
        std::map<CopyKind, Moved> moved;
        for (size_t i = 0; i < copies.size(); ++i) {
            const SliceId slice = copies[i].slice;
            const auto bytes = static_cast<int64_t>(report.memoryOpOf(slice)->size_bytes);
            const auto ns = static_cast<double>(report.slices.duration(slice).ns);
            const double rate = rates[i] > 0 ? rates[i] : static_cast<double>(bytes) / ns;
            Moved& of = moved[copyKindOf(report, slice)];
            if (of.rates.empty() || rate < of.least) std::tie(of.least, of.slowest) = std::tuple(rate, slice);
            of.rates.push_back(rate);
            of.bytes += bytes;
            of.time_ns += static_cast<double>(bytes) / rate;
        }
        for (auto& [kind, of] : moved) {
            columns.addRow(work, of.slowest);
            table.setText(first, copyKindName(kind));
            describe.set(of.rates);
            table.setNumber(rest, of.bytes);
            table.setNumber(rest + 1, std::llround(static_cast<double>(of.bytes) / of.time_ns * 1e6));
        }
    }
    describeWork(request, works, table.source);
    stated.describe(table);
    if (without > 0) {
        table.source.rules.push_back(std::to_string(without) +
                                     " operations without a size or a duration are left out");
        table.source.whenEmpty =
            noneInScopeText("copies and memsets", without) + " has both a size and a duration.";
    }
    return table;
}

} // namespace

Analysis memoryBandwidthAnalysis()
{
    return {"memory_bandwidth", kBandwidthTitle, "copies or memsets", kBandwidthArguments, bandwidthRows};
}

} // namespace lockstep
