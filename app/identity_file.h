// IdentityFile: "--identity FILE", a CSV that says for each report whose it is. Columns path, host, role,
// rank, step in any order, named in the first line; path is a path, a file name, or a pattern with * ? and
// []. Empty cells say nothing.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/trace/identity_override.h"

namespace lockstep {

class IdentityFile {
  public:
    // notFound, io; invalid with the line number when a line makes no sense.
    static Result<IdentityFile> read(const std::filesystem::path& path);
    // name stands in messages and sources.
    static Result<IdentityFile> parse(std::string_view text, const std::string& name);

    // What all lines that match a report's path say; later lines beat earlier ones. nullopt when none
    // matches.
    std::optional<IdentityOverride> statedFor(const std::filesystem::path& report) const;

  private:
    struct Line {
        std::string pattern;
        IdentityOverride stated;
    };
    std::vector<Line> m_lines;
};

// The cells of one CSV line: commas part them, quotes may enclose one, a doubled quote stands for itself.
std::vector<std::string> csvCells(std::string_view line);

} // namespace lockstep
