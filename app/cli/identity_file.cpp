// SPDX-License-Identifier: Apache-2.0
#include "app/cli/identity_file.h"

#include <algorithm>

#include <fnmatch.h>

#include "core/base/mapped_file.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/export/delimited_text.h"

namespace lockstep {

namespace {

Status checkHeader(const std::vector<std::string>& header, const std::string& name)
{
    for (const std::string& column : header) {
        if (column == "path" || column == "pid" ||
            std::ranges::find(editableParts(), column) != editableParts().end())
            continue;
        std::string columns = "path, pid";
        for (const std::string_view part : editableParts())
            columns += ", " + std::string(part);
        return makeError(ErrorKind::invalid,
                         name + " line 1: unknown column '" + column + "'; the columns are " + columns);
    }
    if (std::ranges::find(header, "path") != header.end()) return {};
    return makeError(ErrorKind::invalid, name + " line 1: missing column 'path'");
}

bool isMatch(const std::string& pattern, const std::filesystem::path& report)
{
    return fnmatch(pattern.c_str(), report.c_str(), 0) == 0 ||
           fnmatch(pattern.c_str(), report.filename().c_str(), 0) == 0;
}

} // namespace

Result<IdentityFile> IdentityFile::read(const std::filesystem::path& path)
{
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(path));
    return parse(file.text(), "identity file " + path.string());
}

Result<IdentityFile> IdentityFile::parse(std::string_view text, const std::string& name)
{
    IdentityFile file;
    std::vector<std::string> header;
    for (size_t number = 1; !text.empty(); ++number) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view content = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (content.empty() || content.starts_with('#')) continue;
        const std::vector<std::string> cells = csvCells(content);
        if (header.empty()) {
            header = cells;
            LOCKSTEP_TRY(checkHeader(header, name));
            continue;
        }
        const std::string place = name + " line " + std::to_string(number);
        if (cells.size() > header.size())
            return makeError(ErrorKind::invalid, place + ": more cells than columns");
        Line line;
        line.place = place;
        for (size_t i = 0; i < cells.size(); ++i) {
            if (cells[i].empty()) continue;
            if (header[i] == "path") {
                line.pattern = cells[i];
                continue;
            }
            if (header[i] == "pid") {
                line.pid = parseInt(cells[i]);
                if (line.pid.value_or(0) > 0) continue;
                return makeError(ErrorKind::invalid,
                                 place + ": pid '" + cells[i] + "' is not a valid process ID");
            }
            const auto set = editPart(line.stated, header[i], cells[i], place);
            if (!set) return tl::make_unexpected(withContext(set.error(), place));
        }
        if (line.pattern.empty()) return makeError(ErrorKind::invalid, place + ": empty path");
        file.m_lines.push_back(std::move(line));
    }
    if (header.empty())
        return makeError(ErrorKind::invalid,
                         name + ": the file is empty; its first line must name the columns");
    return file;
}

Identity IdentityFile::statedFor(const std::filesystem::path& report) const
{
    Identity out;
    for (const Line& line : m_lines) {
        if (!line.pid && isMatch(line.pattern, report)) overlayParts(out, line.stated);
    }
    return out;
}

std::vector<ProcessEdit> IdentityFile::processEdits(const std::filesystem::path& report) const
{
    std::vector<ProcessEdit> out;
    for (const Line& line : m_lines) {
        if (line.pid && isMatch(line.pattern, report)) out.push_back({*line.pid, line.stated});
    }
    return out;
}

size_t IdentityFile::processLineCount() const
{
    return static_cast<size_t>(
        std::ranges::count_if(m_lines, [](const Line& line) { return line.pid.has_value(); }));
}

std::vector<std::string> IdentityFile::linesWithoutProcess(const Workspace& workspace) const
{
    std::vector<std::string> out;
    for (const Line& line : m_lines) {
        if (!line.pid) continue;
        const bool isFound = std::ranges::any_of(workspace.keys(), [&](ReportKey key) {
            const auto& identity = workspace.reportIdentity(key);
            return isMatch(line.pattern, workspace.report(key).provenance.path) &&
                   std::ranges::any_of(identity.processes,
                                       [&](const Identity& p) { return p.pid.value == line.pid; });
        });
        if (!isFound) {
            out.push_back(line.place + ": no process " + std::to_string(*line.pid) + " in " + line.pattern);
        }
    }
    return out;
}

std::vector<std::string> csvCells(std::string_view line)
{
    std::vector<std::string> cells(1);
    bool isQuoted = false;
    for (size_t at = 0; at < line.size(); ++at) {
        const char c = line[at];
        if (isQuoted) {
            if (c != '"') {
                cells.back() += c;
            } else if (at + 1 < line.size() && line[at + 1] == '"') {
                cells.back() += line[++at];
            } else {
                isQuoted = false;
            }
        } else if (c == '"') {
            isQuoted = true;
        } else if (c == ',') {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    for (std::string& cell : cells) {
        cell = std::string(trimmed(cell));
        // identityCsv() and spreadsheets prepend an apostrophe to cells that start like a formula.
        if (cell.starts_with('\'') && startsFormula(std::string_view(cell).substr(1))) cell.erase(0, 1);
    }
    return cells;
}

} // namespace lockstep
