// SPDX-License-Identifier: Apache-2.0
#include "core/readers/workspace_file/workspace_file.h"

#include <cstring>
#include <functional>
#include <mutex>

#include <zstd.h>

#include "core/base/block_file.h"
#include "core/readers/registry.h"
#include "core/readers/workspace_file/report_layout.h"
#include "core/readers/workspace_file/stored_report.h"

namespace lockstep {

namespace {

// Converts a report to blocks of a block file, and back. FORMAT.md specifies the blocks.

constexpr int kHeaderLevel = 3;
constexpr const char* kHeaderBlock = "header";
constexpr const char* kRaw = "raw";
constexpr const char* kChunks = "chunks";
constexpr const char* kZstd = "zstd";
constexpr uint64_t kWidestWord_bytes = 8;

// Header that precedes the body of a chunk.
struct ChunkHead {
    uint32_t rows = 0;
    uint8_t coding = 0;
    uint8_t width = 0;
    uint16_t unused = 0;
    uint64_t body_bytes = 0;
};
static_assert(sizeof(ChunkHead) == 16);

ColumnCoding codingOf(ColumnOrder order)
{
    switch (order) {
    case ColumnOrder::rising:
        return ColumnCoding::delta;
    case ColumnOrder::nearRow:
        return ColumnCoding::fromRow;
    case ColumnOrder::any:
        break;
    }
    return ColumnCoding::plain;
}

// BlockPacker writes columns to a file in the order in which they are visited.
class BlockPacker {
  public:
    BlockPacker(BlockWriter& writer, uint32_t number, StoredColumns columns, const Progress& progress)
        : m_writer(writer), m_number(number), m_isRaw(columns == StoredColumns::raw), m_progress(progress)
    {
    }

    template<class Values>
    void operator()(const ColumnFacts& facts, const Values& values)
    {
        using T = typename Values::value_type;
        static_assert(std::is_trivially_copyable_v<T>);
        if (m_progress.isCanceled() || (facts.mayBeAbsent && values.empty())) return;
        Block block{.owner = m_number, .name = std::string(facts.name), .type = columnType<T>()};
        block.rows = values.size();
        const auto* const first = reinterpret_cast<const std::byte*>(values.data());
        const size_t size_bytes = values.size() * sizeof(T);
        if (m_isRaw) {
            block.coding = kRaw;
            m_writer.add(std::move(block), {reinterpret_cast<const char*>(first), size_bytes});
            return;
        }
        block.coding = kChunks;
        const bool hasFields = !fieldsOf(static_cast<const T*>(nullptr)).empty();
        const uint8_t width = wordBytes<T>(hasFields);
        const size_t lanes = hasFields ? sizeof(T) / width : 1;
        const ColumnView view{first, size_bytes / width / lanes, width, codingOf(facts.order),
                              hasFields ? sizeof(T) : width};
        add(std::move(block), view, lanes);
    }

  private:
    // Adds a block. If the words of a row are stored as separate lanes, they are `width` bytes apart.
    void add(Block block, const ColumnView& view, size_t lanes)
    {
        const size_t parts = (view.rows + kChunkRows - 1) / kChunkRows;
        std::vector<PackedChunk> chunks(lanes * parts);
        m_progress.workers().run(chunks.size(), [&](size_t at, size_t) {
            if (m_progress.isCanceled()) return;
            ColumnView lane = view;
            lane.first += at / parts * view.width;
            chunks[at] = packChunk(lane, at % parts);
        });
        std::vector<ChunkHead> heads;
        heads.reserve(chunks.size());
        std::vector<std::string_view> pieces;
        for (const PackedChunk& chunk : chunks) {
            heads.push_back({chunk.chunk.rows, static_cast<uint8_t>(chunk.chunk.coding), chunk.chunk.width, 0,
                             chunk.body.size()});
            pieces.emplace_back(reinterpret_cast<const char*>(&heads.back()), sizeof(ChunkHead));
            pieces.emplace_back(chunk.body);
        }
        m_writer.add(std::move(block), pieces);
    }

    BlockWriter& m_writer;
    const uint32_t m_number;
    const bool m_isRaw;
    const Progress& m_progress;
};

Result<std::string> packedHeader(const Report& report)
{
    // describe() takes a mutable report, but a writer only reads it
    auto& source = const_cast<Report&>(report);
    std::vector<MemoryFrame> frames = report.memory ? report.memory->frames : std::vector<MemoryFrame>();
    bool hasMemory = report.memory != nullptr;
    ByteWriter writer;
    describeHeader(writer, source);
    describe(writer, hasMemory, frames);
    const std::string raw = writer.take();
    std::string out(ZSTD_compressBound(raw.size()), '\0');
    const size_t size = ZSTD_compress(out.data(), out.size(), raw.data(), raw.size(), kHeaderLevel);
    if (ZSTD_isError(size))
        return makeError(ErrorKind::io, "not enough memory to compress the report header");
    out.resize(size);
    return out;
}

void visitTexts(const StringPool& pool, BlockPacker& packer)
{
    std::vector<uint32_t> lengths;
    std::vector<char> bytes;
    lengths.reserve(pool.size());
    for (size_t i = 0; i < pool.size(); ++i) {
        const std::string_view text = pool.at(StringId(i));
        lengths.push_back(static_cast<uint32_t>(text.size()));
        bytes.insert(bytes.end(), text.begin(), text.end());
    }
    packer({kTextLengthsColumn, "bytes", ""}, lengths);
    packer({kTextBytesColumn, "", ""}, bytes);
}

Status takeChunks(std::string_view bytes, StoredColumn& column)
{
    while (!bytes.empty()) {
        ChunkHead head;
        if (bytes.size() < sizeof head)
            return makeError(ErrorKind::corrupt, "a chunk is cut short", HelpTopic::truncatedFile);
        std::memcpy(&head, bytes.data(), sizeof head);
        bytes.remove_prefix(sizeof head);
        if (head.body_bytes > bytes.size() || head.rows == 0 || head.rows > kChunkRows)
            return makeError(ErrorKind::corrupt, "a chunk has an invalid size or encoding");
        column.chunks.push_back({head.rows, static_cast<ColumnCoding>(head.coding), head.width,
                                 bytes.substr(0, head.body_bytes)});
        bytes.remove_prefix(head.body_bytes);
    }
    return {};
}

// Adds the blocks of a report under its ID. The only possible error is ErrorKind::canceled.
Status writeReport(BlockWriter& writer, uint32_t number, const Report& report, StoredColumns columns,
                   const Progress& progress)
{
    const std::string header = LOCKSTEP_TRY(packedHeader(report));
    writer.add({.owner = number, .name = kHeaderBlock, .type = "u8", .coding = kZstd, .rows = 1}, header);
    BlockPacker packer(writer, number, columns, progress);
    ReportColumns::visit(report, packer);
    visitTexts(report.strings, packer);
    if (!report.clockRounds.empty()) packer(kClockRoundsColumn, report.clockRounds);
    if (report.memory) visitMemoryColumns(*report.memory, packer);
    return progress.check();
}

// Returns the memory that the reports of a file need once they are open; raw columns stay in the file and do
// not count. Safe for foreign files with any content, because the result never exceeds 64 bits.
uint64_t memoryOf_bytes(const BlockFile& file)
{
    constexpr uint64_t kHeaderPacking = 10, kMaxRows = uint64_t(1) << 40;
    uint64_t bytes = 0;
    for (const Block& block : file.blocks()) {
        const uint64_t rows = std::min(block.rows, kMaxRows);
        if (block.coding == kChunks) bytes += rows * rowBytesOf(block.type);
        if (block.name == kHeaderBlock) bytes += block.size_bytes * kHeaderPacking;
    }
    return bytes;
}

// Returns the report with that ID after verifying its blocks. Returns corrupt, with the block or coding in
// the message, if a block is corrupt or a coding is unknown.
Result<StoredReport> storedReport(const std::shared_ptr<const BlockFile>& file, uint32_t number,
                                  const Progress& progress)
{
    std::vector<const Block*> own;
    for (const Block& block : file->blocks()) {
        if (block.owner == number) own.push_back(&block);
    }
    std::mutex mutex;
    Status verified;
    progress.workers().run(own.size(), [&](size_t at, size_t) {
        if (progress.isCanceled()) return;
        const Status status = file->verify(*own[at]);
        const std::scoped_lock lock(mutex);
        if (!status && verified) verified = status;
    });
    LOCKSTEP_TRY(progress.check());
    LOCKSTEP_TRY(std::move(verified));
    StoredReport out;
    out.keeper = file;
    bool hasHeader = false;
    uint64_t unpacked_bytes = 0;
    for (const Block* const block : own) {
        const std::string_view bytes = file->bytesOf(*block);
        if (block->name == kHeaderBlock) {
            if (block->coding != kZstd)
                return makeError(ErrorKind::corrupt, "a report header has an unknown encoding");
            hasHeader = true;
            out.header = bytes;
            continue;
        }
        StoredColumn& column = out.columns.emplace_back();
        column.name = block->name;
        column.type = block->type;
        column.rows = block->rows;
        if (block->coding == kRaw) {
            column.raw = bytes;
        } else if (block->coding == kChunks) {
            LOCKSTEP_TRY(takeChunks(bytes, column));
            for (const ColumnChunk& chunk : column.chunks)
                unpacked_bytes += chunk.rows * kWidestWord_bytes;
        } else {
            column.type = "coded as " + block->coding; // no column has this type, so this causes an error
        }
    }
    LOCKSTEP_TRY(checkClaimedSize(unpacked_bytes, file->size_bytes()));
    if (!hasHeader) return makeError(ErrorKind::corrupt, "a report is missing");
    return out;
}

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
