// SPDX-License-Identifier: Apache-2.0
// IdentityFile: "--identity FILE", a CSV that says for each report whose it is. Columns path and any of pid,
// run, host, role, rank, local_rank, step, stage in any order, named in the first line; path is a path, a
// file name, or a pattern with * ? and []. A line with a pid speaks of that process of the report alone, and
// beats those without. Empty cells say nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/identity_parts.h"
#include "core/trace/workspace.h"

namespace lockstep {

class IdentityFile {
  public:
    // notFound, io; invalid with the line number when a line makes no sense.
    static Result<IdentityFile> read(const std::filesystem::path& path);
    // name stands in messages and sources.
    static Result<IdentityFile> parse(std::string_view text, const std::string& name);

    // What all lines without a pid that match a report's path say, part by part; later lines beat earlier
    // ones. Nothing is known in it when none matches.
    Identity statedFor(const std::filesystem::path& report) const;
    // What the lines with a pid say of a report's processes, in their order.
    std::vector<ProcessStatement> statedProcesses(const std::filesystem::path& report) const;
    // Lines with a pid.
    size_t processLineCount() const;
    // "who.csv line 3: ...": each line that names a file of these by its path but no process of it by its
    // pid.
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

// The cells of one CSV line: commas part them, quotes may enclose one, a doubled quote stands for itself.
std::vector<std::string> csvCells(std::string_view line);

} // namespace lockstep
