// SPDX-License-Identifier: Apache-2.0
#include "core/readers/workspace_file/workspace_file.h"

#include <functional>

#include "core/readers/registry.h"
#include "core/readers/workspace_file/report_layout.h"

namespace lockstep {

namespace {

constexpr const char* kSectionType = "section";
constexpr const char* kSectionCoding = "raw";

// Section with the edited and planned identities of the reports.
constexpr const char* kIdentitySection = "identities";

// For each report, writes the stated and the planned identity.
std::string packIdentities(const Workspace& workspace)
{
    ByteWriter writer;
    for (const ReportKey key : workspace.keys()) {
        ReportIdentity identity = workspace.reportIdentity(key);
        describe(writer, identity.stated, identity.planned);
    }
    return writer.take();
}

// Section with the edited identities of single processes; absent if no process has edits.
constexpr const char* kProcessSection = "process identities";

std::string packProcessEdits(const Workspace& workspace)
{
    ByteWriter writer;
    bool hasAny = false;
    for (const ReportKey key : workspace.keys()) {
        auto edits = workspace.reportIdentity(key).processEdits;
        hasAny |= !edits.empty();
        describe(writer, edits);
    }
    return hasAny ? writer.take() : std::string();
}

// Removes a section and returns it; empty if the section does not exist.
std::string takeSection(std::map<std::string, std::string>& sections, const char* name)
{
    const auto found = sections.find(name);
    if (found == sections.end()) return {};
    std::string body = std::move(found->second);
    sections.erase(found);
    return body;
}

// Removes the identity sections and restores the reports one after another.
Status restoreReports(FileContents& out, uint32_t count, const Progress& progress, FinishReport finish,
                      const std::function<Result<StoredReport>(uint32_t)>& storedAt)
{
    const std::string identities = takeSection(out.sections, kIdentitySection);
    const std::string ofProcesses = takeSection(out.sections, kProcessSection);
    ByteReader reader(identities), processReader(ofProcesses);
    for (uint32_t i = 0; i < count; ++i) {
        const StoredReport stored = LOCKSTEP_TRY(storedAt(i));
        ReportIdentity identity;
        if (!identities.empty()) describe(reader, identity.stated, identity.planned);
        if (!ofProcesses.empty()) describe(processReader, identity.processEdits);
        auto report = LOCKSTEP_TRY(restoreReport(stored, progress));
        if (finish != nullptr) finish(*report);
        out.workspace.add(std::move(report), identity.stated, identity.planned, identity.processEdits);
    }
    if (!reader.isAtEnd() || !processReader.isAtEnd())
        return makeError(ErrorKind::corrupt, "the report identity data is corrupt");
    return {};
}

Result<FileContents> openBlocks(const std::shared_ptr<const BlockFile>& file, const Progress& progress,
                                FinishReport finish)
{
    if (file->format() > kWorkspaceFormat) {
        return makeError(ErrorKind::unsupported,
                         "written by a newer Lockstep (format " + std::to_string(file->format()) +
                             ", this version reads format " + std::to_string(kWorkspaceFormat) +
                             "); open it with the newer version",
                         HelpTopic::newerVersion);
    }
    if (file->format() < kWorkspaceFormat)
        return makeError(ErrorKind::corrupt, "unknown format " + std::to_string(file->format()));
    FileContents out;
    out.isWorkspace = true;
    uint32_t count = 0;
    std::vector<std::string> unknown; // reported as a note of the first report
    for (const Block& block : file->blocks()) {
        if (block.owner != Block::kWholeFile) {
            if (block.owner > count) return makeError(ErrorKind::corrupt, "a report is missing");
            count = std::max(count, block.owner + 1);
        } else if (block.type == kSectionType && block.coding == kSectionCoding) {
            LOCKSTEP_TRY(file->verify(block));
            out.sections[block.name] = file->bytesOf(block);
        } else {
            unknown.push_back(block.name);
        }
    }
    const auto storedAt = [&](uint32_t i) {
        Result<StoredReport> stored = storedReport(file, i, progress);
        if (stored && i == 0) stored->unknown = std::move(unknown);
        return stored;
    };
    LOCKSTEP_TRY(restoreReports(out, count, progress, finish, storedAt));
    return out;
}

// Returns the memory of the data after opening. Compressed columns are decompressed. Raw columns stay in the
// file, but data derived from them for drawing counts.
uint64_t unpackedMemory_bytes(const FileSniff& file)
{
    const auto opened = BlockFile::open(file.path);
    return opened ? memoryOf_bytes(**opened) : 0;
}

bool isWorkspaceFile(const FileSniff& file)
{
    return file.head.starts_with(kBlockFileMagic);
}

Result<FileContents> readAllOfWorkspace(const FileSniff& file, const Progress& progress, FinishReport finish)
{
    return openWorkspaceFile(file.path, progress, finish);
}

// The reports in a workspace keep the kind of their original reader, which provides the details.
Result<SliceDetails> workspaceDetails(const Report& report, SliceId)
{
    return makeError(ErrorKind::notFound, report.provenance.path.string() + ": not stored in the workspace");
}

Status writeWorkspace(BlockWriter& writer, const Workspace& workspace,
                      const std::map<std::string, std::string>& sections, const Progress& progress,
                      StoredColumns columns)
{
    const auto addSection = [&](const std::string& name, const std::string& body) {
        writer.add({.name = name, .type = kSectionType, .coding = kSectionCoding, .rows = 1}, body);
    };
    for (size_t i = 0; i < workspace.size(); ++i) {
        const Report& report = workspace.report(workspace.keys()[i]);
        LOCKSTEP_TRY(writeReport(writer, static_cast<uint32_t>(i), report, columns, progress));
        progress.report(i + 1, workspace.size());
    }
    for (const auto& [name, body] : sections)
        addSection(name, body);
    if (!workspace.isEmpty()) addSection(kIdentitySection, packIdentities(workspace));
    if (const std::string edits = packProcessEdits(workspace); !edits.empty())
        addSection(kProcessSection, edits);
    writer.finish();
    return {};
}

} // namespace

Status saveWorkspaceFile(const std::filesystem::path& path, const Workspace& workspace,
                         const std::map<std::string, std::string>& sections, const Progress& progress,
                         StoredColumns columns)
{
    OutputFile file = LOCKSTEP_TRY(OutputFile::create(path, 0600));
    BlockWriter writer(file, kWorkspaceFormat);
    const Status written = writeWorkspace(writer, workspace, sections, progress, columns);
    if (!written) return tl::make_unexpected(withContext(written.error(), path.string() + ": not saved"));
    return file.commit();
}

Status appendWorkspace(SpillFile& file, const Workspace& workspace, const Progress& progress)
{
    BlockWriter writer(file, kWorkspaceFormat);
    LOCKSTEP_TRY(writeWorkspace(writer, workspace, {}, progress, StoredColumns::raw));
    return file.status();
}

Result<FileContents> openWorkspaceFile(const std::filesystem::path& path, const Progress& progress,
                                       FinishReport finish)
{
    const auto open = [&]() -> Result<FileContents> {
        if (!isWorkspaceFile(LOCKSTEP_TRY(sniffFile(path))))
            return makeError(ErrorKind::unsupported, "not a Lockstep workspace");
        const auto file = LOCKSTEP_TRY(BlockFile::open(path, progress.place().limit()));
        return openBlocks(file, progress, finish);
    };
    auto contents = open();
    if (!contents && contents.error().message.find(path.string()) == std::string::npos)
        return tl::make_unexpected(withContext(contents.error(), path.string()));
    return contents;
}

Result<std::string> readWorkspaceSection(const std::filesystem::path& path, const std::string& name)
{
    if (!isWorkspaceFile(LOCKSTEP_TRY(sniffFile(path)))) return std::string();
    const auto file = LOCKSTEP_TRY(BlockFile::open(path));
    for (const Block& block : file->blocks()) {
        if (block.owner != Block::kWholeFile || block.type != kSectionType || block.name != name) continue;
        if (block.coding != kSectionCoding) continue;
        LOCKSTEP_TRY(file->verify(block));
        return std::string(file->bytesOf(block));
    }
    return std::string();
}

Result<FileContents> openWorkspaceBytes(std::string_view bytes, const Progress& progress)
{
    return openBlocks(LOCKSTEP_TRY(BlockFile::openBytes(bytes)), progress, nullptr);
}

Reader workspaceFileReader()
{
    return {.format = formatNamed("lockstep workspace"),
            .title = "Lockstep workspaces",
            .memory_tenths = 80,
            .recognizes = isWorkspaceFile,
            .details = workspaceDetails,
            .readAll = readAllOfWorkspace,
            .memoryOf_bytes = unpackedMemory_bytes};
}

} // namespace lockstep
