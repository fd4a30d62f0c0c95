// SPDX-License-Identifier: Apache-2.0
// AreaGroups: maps each slice in a selection to its group, and groups to their labels. Created for one
// aggregate before its rows are traversed; after that, all workers read it concurrently.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/analysis/area_aggregate.h"
#include "core/lanes/phase_timeline.h"

namespace lockstep {

class AreaGroups {
  public:
    // Cost: O(rows) on all workers for groups by name; O(ranges of the processes) for phases.
    AreaGroups(const Scene& scene, const AreaRows& rows, AreaGroup by, const Progress& progress);

    uint32_t count() const { return static_cast<uint32_t>(m_labels.size()); }
    const std::string& labelOf(uint32_t group) const { return m_labels[group]; }

    // Groups for the rows of one run.
    class OfRun {
      public:
        uint32_t at(uint32_t row) const
        {
            if (m_byName != nullptr) return m_byName[m_names[row].value];
            if (m_categories != nullptr) return m_byCategory[static_cast<size_t>(m_categories[row])];
            if (m_phases != nullptr) return m_byPhase[phaseAt(row)];
            return m_all;
        }

      private:
        friend class AreaGroups;
        size_t phaseAt(uint32_t row) const;

        uint32_t m_all = 0;
        const uint32_t* m_byName = nullptr;
        const StringId* m_names = nullptr;
        const SliceCategory* m_categories = nullptr;
        const uint32_t* m_byCategory = nullptr;
        const PhaseTimeline* m_phases = nullptr;
        const uint32_t* m_byPhase = nullptr;
        const int64_t* m_starts = nullptr;
    };
    OfRun of(const AreaRun& run); // for use by one thread only

  private:
    void groupNames(const Progress& progress);
    void groupCategories();
    void groupPhases(const Progress& progress);
    uint32_t groupNamed(const std::string& label);

    const Scene& m_scene;
    const AreaRows& m_rows;
    const AreaGroup m_by;
    std::vector<std::string> m_labels;
    std::map<std::string, uint32_t, std::less<>> m_groupOf; // by label
    ByReport<std::vector<uint32_t>> m_byName;               // by StringId
    std::vector<uint32_t> m_fixed;                          // by category, or by phase and no phase
    std::map<std::pair<ReportKey, ProcessId>, PhaseTimeline> m_phases;
};

} // namespace lockstep
