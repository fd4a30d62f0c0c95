// SPDX-License-Identifier: Apache-2.0
// htmlReport() returns a summary of a set of reports as a single self-contained HTML file without scripts,
// external fonts, images or network requests. It uses the full width of the browser window, follows the
// reader's light or dark theme and can be printed. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/table.h"
#include "core/analysis/training/findings.h"

namespace lockstep {

// Returns the findings section of the HTML report. It contains what the Findings panel of the window shows,
// in the same order and wording: severity, cost, sentence, chart with threshold, evidence and all
// recommendations. The markup uses the style sheet of htmlReport(). Without findings, the section lists the
// rules that were checked.
std::string findingsHtml(const RunFindings& findings);

struct HtmlPicture {
    std::string mimeType; // "image/svg+xml", "image/png"
    std::string bytes;
};

struct HtmlReport {
    std::string title;              // name of the run or folder
    std::vector<std::string> facts; // lines that are shown below the title
    RunFindings findings;           // first section
    std::vector<Table> tables;      // in section order; tables without rows are listed at the end
    // tables that could not be computed, as name and reason
    std::vector<std::pair<std::string, std::string>> failures;
    std::vector<HtmlPicture> timeline; // image in light colors, then in dark colors; empty if not drawn
    std::string timelineFailure;       // why there is no timeline image, if timeline is empty
    std::string provenanceJson;        // provenance for all tables
    size_t mostRows = 200; // maximum number of rows per table; the document states the total number of rows
                           // and how to get all of them
    size_t mostPathRows = 20; // the same for the critical path: its longest rows are shown, with the total
                              // time of the others
};

// Returns the tables in the report, as arguments for runAnalysis(): bottlenecks first, then identities and
// clocks, then the tables on where time was spent.
const std::vector<std::string>& htmlReportTables();

std::string htmlReport(HtmlReport report);

} // namespace lockstep
