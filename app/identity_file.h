// IdentityFile: "--identity FILE", a CSV that says for each report whose it is. Columns path and any of run,
// host, role, rank, local_rank, step, stage in any order, named in the first line; path is a path, a file
// name, or a pattern with * ? and []. Empty cells say nothing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/identity_parts.h"

namespace lockstep {

class IdentityFile {
  public:
    // notFound, io; invalid with the line number when a line makes no sense.
    static Result<IdentityFile> read(const std::filesystem::path& path);
    // name stands in messages and sources.
    static Result<IdentityFile> parse(std::string_view text, const std::string& name);

    // What all lines that match a report's path say, part by part; later lines beat earlier ones. Nothing is
    // known in it when none matches.
    Identity statedFor(const std::filesystem::path& report) const;

  private:
    struct Line {
        std::string pattern;
        Identity stated;
    };
    std::vector<Line> m_lines;
};

// The cells of one CSV line: commas part them, quotes may enclose one, a doubled quote stands for itself.
std::vector<std::string> csvCells(std::string_view line);

} // namespace lockstep
