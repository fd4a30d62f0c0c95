// SPDX-License-Identifier: Apache-2.0
// FactPages: reads the RowFacts (recorded details) of rows from several reports, one page of rows at a time.
// Records which reports cannot provide these details. Keeps a few files open. Created for an analysis.
// Thread: one at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/trace/row_facts.h"
#include "core/trace/workspace.h"

namespace lockstep {

class FactPages {
  public:
    // Suggested number of rows per page. Each row takes 8 bytes per detail, and each page costs one pass over
    // part of a file.
    static constexpr size_t kPage_rows = 128 * 1024;

    // workspace must outlive this object.
    FactPages(const Workspace& workspace, RowFactSet requested)
        : m_workspace(workspace), m_requested(requested)
    {
    }

    // Checks which of these reports' files can be read. Rows from unreadable files have no details. Call
    // once, before load().
    void open(std::span<const ReportKey> reports);
    // Returns a sentence for the table's rules about the reports that cannot be read, or "" if all can be
    // read.
    std::string missing() const;

    // Loads the details of rows[i] and discards the previous page. Errors: `corrupt` or `notFound` if a file
    // was replaced since it was opened; `canceled`.
    Status load(std::span<const SliceRef> rows, const Progress& progress);
    // Returns nullopt if the file does not record this detail.
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
    const RowFactSet m_requested;
    std::map<ReportKey, std::unique_ptr<RowFactReader>> m_readers; // open readers; not every readable report
                                                                   // has one
    std::vector<ReportKey> m_readable;                             // keys of the readable reports, sorted
    size_t m_unreadable = 0;                                       // number of reports that cannot be read
    std::string m_firstProblem;
    std::vector<Part> m_parts;
    std::vector<Place> m_places; // by row of the page
};

} // namespace lockstep
