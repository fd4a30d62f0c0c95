// SPDX-License-Identifier: Apache-2.0
#include "core/readers/workspace_file/workspace_file.h"

#include <array>

#include "core/base/output_file.h"
#include "core/readers/workspace_file/report_layout.h"
#include "core/readers/workspace_file/workspace_database.h"

namespace lockstep {

namespace {

// Columns pack about 10 to 1, constant ones far better. A file that claims more than this is not ours.
constexpr uint64_t kUnpackFactor = 1000;
constexpr uint64_t kUnpackFloor_bytes = uint64_t(256) << 20;

WorkspaceDatabase::PageSize pagesFor(const Workspace& workspace)
{
    constexpr size_t kManySlices = 4'000'000; // some 16 MB of packed columns
    size_t slices = 0;
    for (const ReportKey key : workspace.keys())
        slices += workspace.report(key).slices.size();
    return slices < kManySlices ? WorkspaceDatabase::PageSize::small : WorkspaceDatabase::PageSize::large;
}

// The section of what was said of the reports' identities beside what they say themselves.
constexpr const char* kIdentitySection = "identities";

// Report after report: stated, planned.
std::string packIdentities(const Workspace& workspace)
{
    ByteWriter writer;
    for (const ReportKey key : workspace.keys()) {
        ReportIdentity identity = workspace.reportIdentity(key);
        describe(writer, identity.stated, identity.planned);
    }
    return writer.take();
}

// The section of what was said of single processes; absent where nothing was.
constexpr const char* kProcessSection = "process identities";

std::string packStatedProcesses(const Workspace& workspace)
{
    ByteWriter writer;
    bool hasAny = false;
    for (const ReportKey key : workspace.keys()) {
        auto said = workspace.reportIdentity(key).statedProcesses;
        hasAny |= !said.empty();
        describe(writer, said);
    }
    return hasAny ? writer.take() : std::string();
}

// Takes a section out of those that are handed on; empty where there is none.
std::string taken(std::map<std::string, std::string>& sections, const char* name)
{
    const auto found = sections.find(name);
    if (found == sections.end()) return {};
    std::string body = std::move(found->second);
    sections.erase(found);
    return body;
}

Result<FileContents> openFormat1(WorkspaceDatabase& database, uint64_t size_bytes, const Progress& progress,
                                 FinishReport finish)
{
    if (LOCKSTEP_TRY(database.unpackedBytes()) > size_bytes * kUnpackFactor + kUnpackFloor_bytes) {
        return makeError(ErrorKind::corrupt, "claims to hold far more than a file of its size can");
    }
    FileContents out;
    out.isWorkspace = true;
    out.sections = LOCKSTEP_TRY(database.sections());
    const int64_t count = LOCKSTEP_TRY(database.reportCount());
    const std::string identities = taken(out.sections, kIdentitySection);
    const std::string ofProcesses = taken(out.sections, kProcessSection);
    ByteReader reader(identities), processReader(ofProcesses);
    for (int64_t i = 0; i < count; ++i) {
        const StoredReport stored = LOCKSTEP_TRY(database.report(i, progress));
        ReportIdentity said;
        if (!identities.empty()) describe(reader, said.stated, said.planned);
        if (!ofProcesses.empty()) describe(processReader, said.statedProcesses);
        auto report = LOCKSTEP_TRY(unpackReport(stored, progress));
        if (finish != nullptr) finish(*report);
        out.workspace.add(std::move(report), said.stated, said.planned, said.statedProcesses);
    }
    if (!reader.isAtEnd() || !processReader.isAtEnd())
        return makeError(ErrorKind::corrupt, "its identities are damaged");
    return out;
}

// Each format that was ever released keeps the function that opens it.
struct FormatOpener {
    int format;
    Result<FileContents> (*open)(WorkspaceDatabase& database, uint64_t size_bytes, const Progress& progress,
                                 FinishReport finish);
};
constexpr std::array<FormatOpener, 1> kOpeners{{{1, openFormat1}}};

Result<FileContents> openDatabase(Result<WorkspaceDatabase> opened, uint64_t size_bytes,
                                  const Progress& progress, FinishReport finish = nullptr)
{
    WorkspaceDatabase database = LOCKSTEP_TRY(std::move(opened));
    const int format = LOCKSTEP_TRY(database.format());
    for (const FormatOpener& opener : kOpeners) {
        if (opener.format == format) return opener.open(database, size_bytes, progress, finish);
    }
    if (format > kWorkspaceFormat) {
        return makeError(ErrorKind::unsupported, "written by a newer Lockstep (format " +
                                                     std::to_string(format) + ", this one reads up to " +
                                                     std::to_string(kWorkspaceFormat) +
                                                     "); open it with that version");
    }
    return makeError(ErrorKind::corrupt, "format " + std::to_string(format) + " was never in use");
}

bool isWorkspaceFile(const FileSniff& file)
{
    constexpr size_t kIdOffset = 68;
    if (!file.head.starts_with(std::string_view("SQLite format 3\0", 16)) || file.head.size() < 100)
        return false;
    int64_t id = 0;
    for (size_t i = 0; i < 4; ++i)
        id = id << 8 | static_cast<unsigned char>(file.head[kIdOffset + i]);
    return id == kWorkspaceMagic;
}

Result<FileContents> readAllOfWorkspace(const FileSniff& file, const Progress& progress, FinishReport finish)
{
    return openWorkspaceFile(file.path, progress, finish);
}

// Reports of a workspace keep the kind of their own reader, which is asked for details.
Result<SliceDetails> workspaceDetails(const Report& report, SliceId)
{
    return makeError(ErrorKind::notFound, report.provenance.path.string() + ": not stored in the workspace");
}

} // namespace

Status saveWorkspaceFile(const std::filesystem::path& path, const Workspace& workspace,
                         const std::map<std::string, std::string>& sections, const Progress& progress)
{
    OutputFile file = LOCKSTEP_TRY(OutputFile::create(path, 0600));
    const auto write = [&]() -> Status {
        WorkspaceDatabase database =
            LOCKSTEP_TRY(WorkspaceDatabase::create(file.openName(), pagesFor(workspace)));
        for (size_t i = 0; i < workspace.size(); ++i) {
            const Report& report = workspace.report(workspace.keys()[i]);
            const StoredReport stored = LOCKSTEP_TRY(packReport(report, progress));
            LOCKSTEP_TRY(database.addReport(static_cast<int64_t>(i), stored));
            LOCKSTEP_TRY(progress.check());
            progress.report(i + 1, workspace.size());
        }
        for (const auto& [name, body] : sections)
            LOCKSTEP_TRY(database.addSection(name, body));
        if (!workspace.isEmpty())
            LOCKSTEP_TRY(database.addSection(kIdentitySection, packIdentities(workspace)));
        if (const std::string said = packStatedProcesses(workspace); !said.empty())
            LOCKSTEP_TRY(database.addSection(kProcessSection, said));
        return database.finish();
    };
    const auto written = write();
    if (!written) return tl::make_unexpected(withContext(written.error(), path.string() + ": not saved"));
    return file.commit();
}

Result<FileContents> openWorkspaceFile(const std::filesystem::path& path, const Progress& progress,
                                       FinishReport finish)
{
    std::error_code error;
    const auto size_bytes = std::filesystem::file_size(path, error);
    if (error) return makeError(ErrorKind::notFound, path.string() + ": " + error.message());
    auto contents = openDatabase(WorkspaceDatabase::open(path.string()), size_bytes, progress, finish);
    if (!contents) return tl::make_unexpected(withContext(contents.error(), path.string()));
    return contents;
}

Result<FileContents> openWorkspaceBytes(std::string_view bytes, const Progress& progress)
{
    return openDatabase(WorkspaceDatabase::openBytes(bytes), bytes.size(), progress);
}

Reader workspaceFileReader()
{
    return {.format = formatNamed("lockstep workspace"),
            .title = "Lockstep workspaces",
            .memory_tenths = 80,
            .recognises = isWorkspaceFile,
            .details = workspaceDetails,
            .readAll = readAllOfWorkspace};
}

} // namespace lockstep
