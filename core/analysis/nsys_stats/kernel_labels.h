// SPDX-License-Identifier: Apache-2.0
// KernelLabels: the names under which kernels are listed as arguments ask: full, base or mangled, with the
// NVTX range they were launched in before them. KernelGroups: kernels of one label and, where asked for, one
// grid and block, for tables of sums. Made for one table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/analysis/fact_pages.h"
#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/nvtx_ranges.h"

namespace lockstep {

inline constexpr AnalysisArgument kMangledArgument{
    "mangled", "name kernels as the compiler did; by their full name where the file does not say"};
inline constexpr AnalysisArgument kNvtxNameArgument{
    "nvtx-name", "put the innermost NVTX range in which a kernel was launched before its name"};

class KernelLabels {
  public:
    // Asks for the NVTX ranges where the request says nvtx-name: 4 bytes a slice then. The request's scene
    // must outlive it. invalid: base and mangled at once. canceled.
    static Result<KernelLabels> of(const AnalysisRequest& request, const Progress& progress);

    // What facts a label needs.
    RowFactSet facts() const { return m_isMangled ? rowFacts({RowFact::mangledName}) : 0; }
    // mangled: from the facts of the row.
    std::string label(SliceRef kernel, std::string_view mangled) const;
    // Kernels of one report with equal keys and mangled names have the same label.
    std::pair<uint64_t, uint32_t> key(SliceRef kernel) const;
    // What stands in the column, for its doc.
    std::string meaning() const;
    std::vector<std::string> rules() const;

  private:
    explicit KernelLabels(const Workspace& workspace) : m_workspace(&workspace) {}
    Status findRanges(const AnalysisRequest& request, const Progress& progress);

    const Workspace* m_workspace;
    KernelNames m_names;
    bool m_isMangled = false, m_hasRanges = false;
    std::vector<std::string> m_ranges;                    // labels of ranges
    std::map<ReportKey, std::vector<uint32_t>> m_rangeOf; // by slice: of m_ranges, or kNoRange
};

// "   4    1    1": three numbers, each at least four wide; empty where one is not known.
std::string tripleText(std::optional<int64_t> x, std::optional<int64_t> y, std::optional<int64_t> z);

// Which kernels are one group; a SummaryRule's key and labels. 4 bytes a slice.
class KernelGroups {
  public:
    // Labels are {grid, block, name} with shapes, else {name}. corrupt, notFound: a file is not the one that
    // was read; canceled.
    static Result<KernelGroups> of(const AnalysisRequest& request, bool hasShapes, const Progress& progress);

    // Must not outlive this.
    SummaryRule rule() const;
    std::string meaning() const { return m_meaning; }
    const std::vector<std::string>& rules() const { return m_rules; }

  private:
    struct Reading;

    uint32_t numberOf(std::vector<std::string>&& labels);

    std::map<const Report*, std::vector<uint32_t>> m_groupOf; // by slice
    std::map<std::vector<std::string>, uint32_t> m_numbers;   // by labels
    std::vector<std::vector<std::string>> m_labels;           // by group
    std::string m_meaning;
    std::vector<std::string> m_rules;
};

} // namespace lockstep
