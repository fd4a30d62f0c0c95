// SPDX-License-Identifier: Apache-2.0
#include "core/batch/batch_result.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/block_file.h"
#include "core/base/mapped_file.h"
#include "core/base/sha256.h"
#include "core/readers/reader.h"
#include "core/readers/recording_parts.h"
#include "core/readers/workspace_file/workspace_file.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr const char* kResultSection = "batch result";

struct RowCount {
    uint64_t reports = 0, slices = 0;

    friend bool operator==(const RowCount&, const RowCount&) = default;
};

RowCount rowsOf(const Workspace& workspace)
{
    RowCount out;
    for (const ReportKey key : workspace.keys()) {
        ++out.reports;
        out.slices += workspace.report(key).slices.size();
    }
    return out;
}

Result<BatchResult> resultFrom(std::string_view section, const BatchInput& input)
{
    const Json recorded = LOCKSTEP_TRY(objectFromJson(section, "its description"));
    if (textAt(recorded, "program") != thisProgram())
        return makeError(ErrorKind::unsupported, "created by a different program (" +
                                                     textAt(recorded, "program") + "), but this is " +
                                                     thisProgram());
    if (textAt(recorded, "key") != input.key)
        return makeError(ErrorKind::unsupported,
                         "created from a different report or a different version of it");
    return BatchResult{textAt(recorded, "sha256"), textAt(recorded, "host"), countAt(recorded, "task"),
                       countAt(recorded, "slices"), countAt(recorded, "reports")};
}

Error ofResult(const BatchFolder& folder, const BatchInput& input, const Error& error)
{
    const std::string path = folder.resultOf(input).string();
    return error.message.starts_with(path) ? error : withContext(error, path);
}

Status checkUnchanged(const BatchInput& input)
{
    if (stampOf(input.path) == input.stamp) return {};
    return makeError(ErrorKind::io, input.path.string() + ": changed while the batch was reading it");
}

Status tryResult(const BatchFolder& folder, const BatchInput& input, uint64_t task, const Progress& progress)
{
    LOCKSTEP_TRY(checkUnchanged(input));
    const Workspace workspace = LOCKSTEP_TRY(readReports(input.path, progress));
    if (workspace.isEmpty())
        return makeError(ErrorKind::notFound, input.path.string() + ": the workspace has no reports",
                         HelpTopic::workspace);
    const std::string digest = LOCKSTEP_TRY(sha256OfFiles(filesOfRecording(input.path), progress));
    LOCKSTEP_TRY(checkUnchanged(input));
    const RowCount rows = rowsOf(workspace);
    const Json section{{"program", thisProgram()}, {"key", input.key},     {"path", jsonNameOf(input.path)},
                       {"sha256", digest},         {"host", batchHost()},  {"task", task},
                       {"reports", rows.reports},  {"slices", rows.slices}};
    return saveWorkspaceFile(folder.resultOf(input), workspace, {{kResultSection, jsonLine(section)}},
                             progress, StoredColumns::raw);
}

Result<BatchResult> readResult(const BatchFolder& folder, const BatchInput& input)
{
    const auto file = LOCKSTEP_TRY(BlockFile::open(folder.resultOf(input)));
    const auto section = std::ranges::find_if(file->blocks(), [](const Block& block) {
        return block.owner == Block::kWholeFile && block.name == kResultSection;
    });
    if (section == file->blocks().end())
        return makeError(ErrorKind::corrupt, "its origin is not recorded in it");
    LOCKSTEP_TRY(file->verify(*section));
    return resultFrom(file->bytesOf(*section), input);
}

Result<Workspace> readRows(const BatchFolder& folder, const BatchInput& input, const Progress& progress)
{
    FileContents contents = LOCKSTEP_TRY(readContents(folder.resultOf(input), progress));
    const BatchResult recorded = LOCKSTEP_TRY(resultFrom(contents.sections[kResultSection], input));
    if (rowsOf(contents.workspace) != RowCount{recorded.reports, recorded.slices})
        return makeError(ErrorKind::corrupt, "its rows do not match the recorded counts");
    return std::move(contents.workspace);
}

std::optional<ErrorKind> kindNamed(std::string_view name)
{
    for (const ErrorKind kind : {ErrorKind::invalid, ErrorKind::notFound, ErrorKind::corrupt,
                                 ErrorKind::unsupported, ErrorKind::io, ErrorKind::remote}) {
        if (errorKindName(kind) == name) return kind;
    }
    return std::nullopt;
}

} // namespace

Status makeResult(const BatchFolder& folder, const BatchInput& input, uint64_t task, const Progress& progress)
{
    const Status made = tryResult(folder, input, task, progress);
    std::error_code ignored;
    if (made) {
        fs::remove(folder.failureOf(input), ignored);
        return {};
    }
    // A requested stop is not stored as a failure, but a full cache disk is.
    if (made.error().kind != ErrorKind::canceled && !progress.stopToken().stop_requested())
        writeFailure(folder, input, {made.error(), batchHost(), task});
    return made;
}

Result<BatchResult> checkResult(const BatchFolder& folder, const BatchInput& input)
{
    auto result = readResult(folder, input);
    if (!result) return tl::make_unexpected(ofResult(folder, input, result.error()));
    return result;
}

Result<Workspace> loadResult(const BatchFolder& folder, const BatchInput& input, const Progress& progress)
{
    auto rows = readRows(folder, input, progress);
    if (!rows && rows.error().kind != ErrorKind::canceled)
        return tl::make_unexpected(ofResult(folder, input, rows.error()));
    return rows;
}

bool isDiskFull(const BatchFolder& folder, const Error& error)
{
    // An error contains the text of the operating system, but not errno.
    const auto has = [&error](const std::string& text) {
        return error.message.find(text) != std::string::npos;
    };
    return error.kind == ErrorKind::io && has(folder.path().string() + "/") &&
           (has(std::strerror(ENOSPC)) || has(std::strerror(EDQUOT)));
}

void writeFailure(const BatchFolder& folder, const BatchInput& input, const BatchFailure& failure)
{
    const Json recorded{{"program", thisProgram()},
                        {"path", jsonNameOf(input.path)},
                        {"kind", errorKindName(failure.error.kind)},
                        {"message", jsonNameOf(failure.error.message)},
                        {"host", failure.host},
                        {"task", failure.task}};
    // If the failure cannot be written either, the missing result still shows that the task failed.
    static_cast<void>(writeBatchFile(folder.failureOf(input), indentedJson(recorded)));
}

std::optional<BatchFailure> readFailure(const BatchFolder& folder, const BatchInput& input)
{
    const auto file = MappedFile::open(folder.failureOf(input));
    if (!file) return std::nullopt;
    const auto recorded = objectFromJson(file->text(), "a failure");
    if (!recorded || textAt(*recorded, "program") != thisProgram()) return std::nullopt;
    const auto kind = kindNamed(textAt(*recorded, "kind"));
    // The message may contain file names, and therefore any bytes.
    const auto message = pathOfJsonName(textAt(*recorded, "message"));
    if (!kind || !message) return std::nullopt;
    return BatchFailure{{*kind, message->string()}, textAt(*recorded, "host"), countAt(*recorded, "task")};
}

} // namespace lockstep
