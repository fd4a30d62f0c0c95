// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output_target.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "core/base/block_file.h"
#include "core/base/text.h"
#include "core/readers/registry.h"
#include "core/scene/mark_list.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

bool isWorkspaceKind(const Reader* reader)
{
    return reader != nullptr && reader->format.name == workspaceFileReader().format.name;
}

bool hasSuffix(const fs::path& path, std::initializer_list<std::string_view> suffixes)
{
    return std::ranges::find(suffixes, lowerAscii(path.extension().string())) != suffixes.end();
}

// Returns what kind of valuable file this is ("a script"), or "" if replacing it loses only an export.
std::string preciousKind(const FileSniff& file, const Reader* reader)
{
    if (isWorkspaceKind(reader)) return "a workspace";
    if (reader != nullptr) return "a report or trace (" + std::string(reader->title) + ")";
    if (hasSuffix(file.path, {".yaml", ".yml"})) return "a session or other configuration";
    const bool isScript =
        file.head.starts_with("#!") ||
        hasSuffix(file.path, {".sh", ".bash", ".zsh", ".py", ".slurm", ".sbatch", ".sub", ".env"});
    return isScript ? "a script" : std::string();
}

tl::unexpected<Error> refusal(const fs::path& output, const std::string& reason)
{
    return makeError(ErrorKind::invalid, output.string() + ": not written: it " + reason);
}

bool hasReports(const fs::path& workspace)
{
    const auto file = BlockFile::open(workspace);
    return !file || std::ranges::any_of((*file)->blocks(),
                                        [](const Block& block) { return block.owner != Block::kWholeFile; });
}

bool hasNotes(const fs::path& workspace)
{
    const auto text = readWorkspaceSection(workspace, kMarksSection);
    if (!text || text->empty()) return !text;
    const auto marks = parseMarks(*text);
    return !marks || !marks->marks.isEmpty();
}

} // namespace

Status checkOutputTarget(const fs::path& output, OutputKind kind, std::span<const fs::path> inputs,
                         bool isForced)
{
    std::error_code error;
    if (!fs::is_regular_file(output, error)) return {};
    for (const fs::path& input : inputs) {
        if (fs::equivalent(output, input, error) && !error)
            return refusal(output, "is an input of this command; choose a different output");
    }
    if (isForced || fs::file_size(output, error) == 0) return {};
    const auto file = sniffFile(output);
    if (!file) return {}; // no error here, because the writer will report it
    const Reader* const reader = readerFor(*file);
    if (kind == OutputKind::workspace) {
        if (isWorkspaceKind(reader)) return {};
        return refusal(output,
                       "exists and is not a workspace; choose a different output, or use --force to replace "
                       "it");
    }
    const std::string precious = preciousKind(*file, reader);
    if (precious.empty()) return {};
    return refusal(output,
                   "exists and is " + precious + "; choose a different output, or use --force to replace it");
}

std::vector<fs::path> namedInputs(const CommandLine& line)
{
    std::vector<fs::path> inputs;
    const auto add = [&inputs](const std::string& name) {
        if (!name.empty() && name != "-") inputs.emplace_back(name);
    };
    for (const std::vector<std::string>* names : {&line.inputs, &line.baseline})
        std::ranges::for_each(*names, add);
    for (const std::string* name :
         {&line.session, &line.hostFacts, &line.identityFile, &line.manualShifts, &line.sql})
        add(*name);
    return inputs;
}

Status checkNamedOutput(const CommandLine& line)
{
    const std::vector<fs::path> inputs = namedInputs(line);
    if (!line.screenshot.empty())
        LOCKSTEP_TRY(checkOutputTarget(line.screenshot, OutputKind::document, inputs, line.isForced));
    if (line.output == "-") return {};
    OutputKind kind = OutputKind::document;
    switch (line.task) {
    case Task::exportFiles:
        if (line.what.size() == 1 && isWorkspace(line.what.front())) kind = OutputKind::workspace;
        break;
    case Task::run:
    case Task::attach:
    case Task::stop:
        kind = OutputKind::workspace;
        break;
    case Task::importText:
        kind = OutputKind::session;
        break;
    default:
        return {};
    }
    return checkOutputTarget(line.output, kind, inputs, line.isForced);
}

Result<fs::path> backUpWorkspace(const fs::path& output, bool hasNewReports)
{
    std::error_code error;
    if (!fs::is_regular_file(output, error)) return fs::path();
    const auto file = sniffFile(output);
    if (!file || !isWorkspaceKind(readerFor(*file))) return fs::path();
    if (!hasNotes(output) && (hasNewReports || !hasReports(output))) return fs::path();
    const fs::path target = fs::is_symlink(output, error) ? fs::weakly_canonical(output, error) : output;
    constexpr int kMax = 10'000;
    for (int number = 1; number < kMax; ++number) {
        const fs::path backup = target.string() + "." + std::to_string(number);
        if (::link(target.c_str(), backup.c_str()) == 0) return backup;
        if (errno == EEXIST) continue;
        // Copy the file if the file system does not support hard links.
        if (fs::copy_file(target, backup, fs::copy_options::none, error)) return backup;
        if (error == std::errc::file_exists) continue;
        return makeError(ErrorKind::io,
                         backup.string() + ": cannot save the previous workspace: " + error.message());
    }
    return makeError(ErrorKind::io, target.string() + ".1 to ." + std::to_string(kMax) + " already exist");
}

} // namespace lockstep
