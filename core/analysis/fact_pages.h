// SPDX-License-Identifier: Apache-2.0
// FactPages: RowFacts of rows of several reports, a page of rows at a time, and why they are not known of
// some. Keeps a few files open. Made for an analysis; one thread at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/trace/row_facts.h"
#include "core/trace/workspace.h"

namespace lockstep {

class FactPages {
  public:
    // How many rows a page should have: 8 bytes each and fact, and a walk over part of a file a page.
    static constexpr size_t kPage_rows = 128 * 1024;

    // workspace must outlive it.
    FactPages(const Workspace& workspace, RowFactSet wanted) : m_workspace(workspace), m_wanted(wanted) {}

    // Sees whether the files of these reports can be asked; of the others rows have no facts. Once, before
    // load().
    void open(std::span<const ReportKey> reports);
    // A sentence for a table's rules on the reports that cannot be asked; empty where all can.
    std::string missing() const;

    // From now on facts are of rows[i]. corrupt, notFound: a file is not the one that was read; canceled.
    Status load(std::span<const SliceRef> rows, const Progress& progress);
    // Absent where the file does not say.
    std::optional<int64_t> number(size_t i, RowFact fact) const;
    std::string_view text(size_t i, RowFact fact) const;

  private:
    struct Part {
        ReportKey report;
        RowFacts facts;
    };
    struct Place {
        uint32_t part = 0, row = 0;
    };

    Result<RowFactReader*> readerOf(ReportKey report);

    const Workspace& m_workspace;
    const RowFactSet m_wanted;
    std::map<ReportKey, std::unique_ptr<RowFactReader>> m_readers; // some of those that can be asked
    std::vector<ReportKey> m_askable;                              // sorted
    size_t m_mute = 0;                                             // reports that cannot be asked
    std::string m_firstProblem;
    std::vector<Part> m_parts;
    std::vector<Place> m_places; // by row of the page
};

} // namespace lockstep
