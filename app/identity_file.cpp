#include "app/identity_file.h"

#include <algorithm>
#include <array>

#include <fnmatch.h>

#include "core/base/mapped_file.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

std::string_view trimmed(std::string_view text)
{
    const size_t begin = text.find_first_not_of(" \t\r");
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

Result<int> parseNumber(const std::string& cell, const std::string& place, std::string_view column)
{
    const auto number = parseInt(cell);
    if (number && *number >= 0 && *number <= 1'000'000'000) return static_cast<int>(*number);
    return makeError(ErrorKind::invalid, place + ": " + std::string(column) + " '" + cell + "' is no number");
}

Result<bool> setPart(IdentityOverride& stated, const std::string& column, const std::string& cell,
                     const std::string& place)
{
    if (column == "host") stated.host = cell;
    if (column == "role") stated.role = cell;
    if (column == "rank") stated.rank = LOCKSTEP_TRY(parseNumber(cell, place, column));
    if (column == "step") stated.step = LOCKSTEP_TRY(parseNumber(cell, place, column));
    return true;
}

Result<bool> checkHeader(const std::vector<std::string>& header, const std::string& name)
{
    static constexpr std::array<std::string_view, 5> kColumns{"path", "host", "role", "rank", "step"};
    for (const std::string& column : header) {
        if (std::ranges::find(kColumns, column) != kColumns.end()) continue;
        return makeError(ErrorKind::invalid, name + " line 1: no column '" + column +
                                                 "'; there are path, host, role, rank, step");
    }
    if (std::ranges::find(header, "path") != header.end()) return true;
    return makeError(ErrorKind::invalid, name + " line 1: a column named path is needed");
}

template<class T>
void takeStated(std::optional<T>& part, const std::optional<T>& stated)
{
    if (stated) part = stated;
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
        line.stated.source = place;
        for (size_t i = 0; i < cells.size(); ++i) {
            if (cells[i].empty()) continue;
            if (header[i] == "path") line.pattern = cells[i];
            LOCKSTEP_TRY(setPart(line.stated, header[i], cells[i], place));
        }
        if (line.pattern.empty()) return makeError(ErrorKind::invalid, place + ": the path is empty");
        file.m_lines.push_back(std::move(line));
    }
    if (header.empty())
        return makeError(ErrorKind::invalid, name + ": it is empty; its first line names the columns");
    return file;
}

std::optional<IdentityOverride> IdentityFile::statedFor(const std::filesystem::path& report) const
{
    std::optional<IdentityOverride> out;
    for (const Line& line : m_lines) {
        if (!isMatch(line.pattern, report)) continue;
        if (!out) out.emplace();
        takeStated(out->host, line.stated.host);
        takeStated(out->role, line.stated.role);
        takeStated(out->rank, line.stated.rank);
        takeStated(out->step, line.stated.step);
        out->source = line.stated.source;
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
    for (std::string& cell : cells)
        cell = std::string(trimmed(cell));
    return cells;
}

} // namespace lockstep
