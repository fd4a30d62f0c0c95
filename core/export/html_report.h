// SPDX-License-Identifier: Apache-2.0
// htmlReport(): what a set of reports shows as one HTML file that stands alone: no script, no font, no
// picture and no request leaves it; light and dark as the reader's system is, and fit to be printed. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/table.h"
#include "core/base/result.h"

namespace lockstep {

struct HtmlPicture {
    std::string mimeType; // "image/svg+xml", "image/png"
    std::string bytes;
};

struct HtmlReport {
    std::string title;              // "4 reports of 2 hosts"
    std::vector<std::string> facts; // a line each, under the title
    std::vector<Table> tables;      // in the order of the sections; those without rows are named at the end
    std::vector<std::pair<std::string, std::string>> failures; // what could not be made, and why
    std::vector<HtmlPicture> timeline;                         // light, then dark; empty: none could be drawn
    std::string timelineFailure;                               // why
    std::string provenanceJson;                                // of all tables
    size_t mostRows = 200; // of a table; the document says how many there are, and how to get all
};

// What the report holds, as asked of runAnalysis(): findings first, then whose and which clock, then what
// took the time.
const std::vector<std::string>& htmlReportTables();

std::string htmlReport(const HtmlReport& report);

} // namespace lockstep
