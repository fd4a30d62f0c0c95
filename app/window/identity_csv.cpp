// SPDX-License-Identifier: Apache-2.0
#include "app/window/identity_csv.h"

#include "core/export/delimited_text.h"

namespace lockstep {

namespace {

std::string quoted(const std::string& cell)
{
    // IdentityFile removes the apostrophe again.
    const std::string text = startsFormula(cell) ? "'" + cell : cell;
    if (text.find_first_of(",\"\n# ") == text.npos) return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + "\"";
}

std::string patternOf(const std::string& path)
{
    std::string out;
    for (const char c : path) {
        if (c == '*' || c == '?' || c == '[' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

} // namespace

std::string identityCsv(const std::vector<ReportEntry>& entries)
{
    std::string out = "path";
    for (const std::string_view part : editableParts())
        out += "," + std::string(part);
    out += '\n';
    for (const ReportEntry& entry : entries) {
        if (entry.state != ReportState::open) continue;
        out += quoted(patternOf(entry.path.string()));
        for (const std::string_view part : editableParts())
            out += "," + quoted(partText(identityOf(entry), part));
        out += '\n';
    }
    return out;
}

std::vector<IdentityCell> cellsOf(const IdentityFile& file, const std::vector<ReportEntry>& entries)
{
    std::vector<IdentityCell> cells;
    for (const ReportEntry& entry : entries) {
        if (entry.state != ReportState::open) continue;
        const Identity stated = file.statedFor(entry.path);
        for (const std::string_view part : editableParts()) {
            const std::string text = partText(stated, part);
            if (!text.empty() && text != partText(identityOf(entry), part))
                cells.push_back({entry.key, std::string(part), text});
        }
    }
    return cells;
}

} // namespace lockstep
