// SPDX-License-Identifier: Apache-2.0
// KernelLabels: the names under which kernels are listed. As requested, these are full, base or mangled
// names, optionally prefixed by the NVTX range in which the kernel was launched. KernelGroups: groups kernels
// by label and optionally by grid and block, for summary tables. Each table creates its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/nvtx_ranges.h"

namespace lockstep {

inline constexpr AnalysisArgument kMangledArgument{
    "mangled", "name kernels by their mangled name, or by their full name if the file has none"};
inline constexpr AnalysisArgument kNvtxNameArgument{
    "nvtx-name", "prefix kernel names with the innermost NVTX range around the launch"};

class KernelLabels {
  public:
    // Reads the NVTX ranges if the request has nvtx-name; the ranges take 4 bytes per slice. The request's
    // scene must outlive the labels. Errors: `invalid` for base together with mangled; `canceled`.
    static Result<KernelLabels> of(const AnalysisRequest& request, const Progress& progress);

    // Returns the mangled name of a kernel, or "" if the labels don't use it.
    std::string_view mangled(const RowFacts& facts) const
    {
        return m_isMangled ? facts.text(RowFact::mangledName) : std::string_view();
    }
    std::string label(SliceRef kernel, const RowFacts& facts) const;
    // Kernels of one report that have the same key and the same mangled name share a label.
    std::pair<uint64_t, uint32_t> key(SliceRef kernel) const;
    // Returns the description of the label column.
    std::string meaning() const;
    std::vector<std::string> rules() const;

  private:
    explicit KernelLabels(const Workspace& workspace) : m_workspace(&workspace) {}
    Status findRanges(const AnalysisRequest& request, const Progress& progress);

    const Workspace* m_workspace;
    KernelNames m_names;
    bool m_isMangled = false, m_hasRanges = false;
    std::vector<std::string> m_ranges;                    // NVTX range names to which labels refer
    std::map<ReportKey, std::vector<uint32_t>> m_rangeOf; // by slice: index in m_ranges, or kNoRange
};

// Returns three numbers as " 4 1 1", each at least four characters wide; "" if any of them is unknown.
std::string tripleText(std::optional<int64_t> x, std::optional<int64_t> y, std::optional<int64_t> z);

// Assigns kernels to groups and provides the keys and labels for a SummaryRule. Takes 4 bytes per slice.
class KernelGroups {
  public:
    // Labels are {grid, block, name} if launch shapes are requested, otherwise {name}. Errors: `invalid`,
    // `canceled`.
    static Result<KernelGroups> of(const AnalysisRequest& request, bool hasShapes, const Progress& progress);

    // The rule must not outlive this object.
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
