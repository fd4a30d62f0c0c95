// SPDX-License-Identifier: Apache-2.0
#include "app/cli/workspace_marks.h"

#include <algorithm>
#include <set>

#include "core/analysis/analysis.h"
#include "core/base/text.h"
#include "core/readers/workspace_file/workspace_file.h"

namespace lockstep {

bool isNotes(std::string_view what)
{
    const Analysis* const analysis = findAnalysis(what);
    return analysis != nullptr && analysis->name == "notes";
}

Result<ReadMarks> readWorkspaceMarks(const CommandLine& line, const std::vector<InputFile>& files,
                                     Console& console)
{
    const bool wantsNotes = std::ranges::any_of(line.what, isNotes);
    if (wantsNotes && !line.baseline.empty())
        return makeError(ErrorKind::invalid, "notes: --baseline does not support the notes table");
    for (const FailCondition& condition : line.failOn) {
        if (!condition.table.empty() && isNotes(condition.table))
            return makeError(ErrorKind::invalid,
                             "--fail-on " + condition.text + ": the notes table has no numbers to check");
    }
    const bool isUsed = wantsNotes || !line.goTo.empty() || std::ranges::any_of(line.what, isWorkspace);
    if (!isUsed) return ReadMarks();
    ReadMarks all;
    std::set<std::filesystem::path> seen; // needed because a workspace has one entry per report
    for (const InputFile& file : files) {
        if (!file.report.isValid() || !seen.insert(file.path).second) continue;
        const auto drop = [&](const std::string& note) {
            all.notes.push_back(file.path.string() + ": " + note);
            console.failure(all.notes.back());
        };
        const auto text = readWorkspaceSection(file.path, kMarksSection);
        if (!text) {
            drop("cannot read its markers: " + text.error().message);
            continue;
        }
        if (text->empty()) continue;
        auto read = parseMarks(*text);
        if (!read) {
            drop(read.error().message);
            continue;
        }
        for (const std::string& note : read->notes)
            drop(note);
        if (all.marks.isEmpty() && all.marks.nextNumber() == 1) {
            all.marks = std::move(read->marks); // markers of the first workspace keep their numbers
            continue;
        }
        const size_t without = all.marks.append(read->marks);
        if (without > 0)
            drop("markers over the limit, dropped: " + groupedText(static_cast<int64_t>(without)));
    }
    return all;
}

} // namespace lockstep
