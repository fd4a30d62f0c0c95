// SPDX-License-Identifier: Apache-2.0
// IdentityFile is the CSV file of `--identity FILE`, which assigns an identity to each report. The first line
// names the columns: path and any of pid, run, host, role, rank, local_rank, step, stage, in any order. The
// path column contains a path, a file name, or a pattern with * ? and []. A line with a pid applies to that
// process of the report only, and overrides lines without a pid. Empty cells are ignored.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/identity.h"
#include "core/trace/workspace.h"

namespace lockstep {

class IdentityFile {
  public:
    // Reads a file. Errors: notFound, io, invalid (with the line number).
    static Result<IdentityFile> read(const std::filesystem::path& path);
    // Parses CSV text. `name` is used in messages and as the source of the identities.
    static Result<IdentityFile> parse(std::string_view text, const std::string& name);

    // Returns the identity that results from all lines without a pid that match the report's path; later
    // lines override earlier ones. If no line matches, the identity has no known parts.
    Identity statedFor(const std::filesystem::path& report) const;
    // Returns the identities from the matching lines with a pid, in file order.
    std::vector<ProcessEdit> processEdits(const std::filesystem::path& report) const;
    // Returns the number of lines with a pid.
    size_t processLineCount() const;
    // Returns a message ("who.csv line 3: ...") for each line with a pid that does not match any process in
    // the reports.
    std::vector<std::string> linesWithoutProcess(const Workspace& workspace) const;

  private:
    struct Line {
        std::string pattern;
        std::string place; // "who.csv line 3"
        std::optional<int64_t> pid;
        Identity stated;
    };
    std::vector<Line> m_lines;
};

// Splits a CSV line into cells at commas. Cells may be quoted; inside quotes, two consecutive quotes stand
// for one.
std::vector<std::string> csvCells(std::string_view line);

} // namespace lockstep
