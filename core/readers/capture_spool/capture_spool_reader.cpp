// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/capture_spool_reader.h"

#include <algorithm>
#include <array>

#include "core/base/mapped_file.h"
#include "core/readers/capture_spool/spool_blocks.h"
#include "core/readers/capture_spool/spool_import.h"
#include "core/readers/capture_spool/spool_records.h"
#include "core/trace/row_facts.h"

namespace lockstep {

namespace {

struct FactField {
    std::string_view name;
    RowFact fact;
    bool isNoneAtZero = false;
};

constexpr std::array kFactFields{FactField{"correlation", RowFact::correlation, true},
                                 FactField{"context", RowFact::context},
                                 FactField{"grid_x", RowFact::gridX},
                                 FactField{"grid_y", RowFact::gridY},
                                 FactField{"grid_z", RowFact::gridZ},
                                 FactField{"block_x", RowFact::blockX},
                                 FactField{"block_y", RowFact::blockY},
                                 FactField{"block_z", RowFact::blockZ},
                                 FactField{"registers", RowFact::registers},
                                 FactField{"static_shared", RowFact::staticShared},
                                 FactField{"dynamic_shared", RowFact::dynamicShared},
                                 FactField{"graph_node", RowFact::graphNode, true},
                                 FactField{"bytes", RowFact::size},
                                 FactField{"result", RowFact::result}};

// Returns the facts that correspond to the fields of a kind, if the writer of the block recorded these
// fields.
std::vector<std::pair<size_t, const FactField*>> fieldsOf(unsigned kind, unsigned count)
{
    std::vector<std::pair<size_t, const FactField*>> fields;
    for (unsigned i = 0; i < std::min(count, spoolFieldCount(kind)); ++i) {
        const auto known = std::ranges::find(kFactFields, spoolFieldName(kind, i), &FactField::name);
        if (known != kFactFields.end()) fields.emplace_back(i, &*known);
    }
    return fields;
}

// SpoolRowFacts reads facts of the rows of a capture, block by block in file order. Each block is
// decompressed once per page.
class SpoolRowFacts : public RowFactReader {
  public:
    SpoolRowFacts(MappedFile&& file, SpoolBlocks&& spool, const Report& report)
        : m_file(std::move(file)), m_spool(std::move(spool)), m_report(report)
    {
        std::ranges::sort(m_spool.blocks, {}, [](const SpoolBlock& each) { return each.head.sequence; });
    }

    Status read(std::span<const SliceId> rows, RowFacts& facts, const Progress& progress) override
    {
        facts.reset(rows.size());
        m_order.clear();
        for (size_t i = 0; i < rows.size(); ++i)
            m_order.push_back({m_report.slices.source[rows[i].value].row(), static_cast<uint32_t>(i)});
        std::ranges::sort(m_order);
        for (size_t first = 0; first < m_order.size();) {
            LOCKSTEP_TRY(progress.check());
            const uint64_t sequence = m_order[first].first >> kRecordBits;
            size_t last = first;
            while (last < m_order.size() && m_order[last].first >> kRecordBits == sequence)
                ++last;
            LOCKSTEP_TRY(readBlock(sequence, std::span(m_order).subspan(first, last - first), rows, facts));
            first = last;
        }
        return {};
    }

  private:
    static constexpr unsigned kRecordBits = 28; // as in SpoolReading::sourceOf()
    using Placed = std::pair<uint64_t, uint32_t>;

    Status readBlock(uint64_t sequence, std::span<const Placed> run, std::span<const SliceId> rows,
                     RowFacts& facts)
    {
        const auto block = std::ranges::lower_bound(
            m_spool.blocks, sequence, {}, [](const SpoolBlock& each) { return each.head.sequence; });
        const bool isThere = block != m_spool.blocks.end() && block->head.sequence == sequence;
        const auto payload = isThere ? unpackedPayload(*block) : std::nullopt;
        if (!payload) return changed();
        SpoolRecords records(*payload);
        SpoolRecord record;
        std::array<std::optional<std::vector<std::pair<size_t, const FactField*>>>, LOCKSTEP_KIND_LIMIT>
            known;
        size_t next = 0;
        while (next < run.size() && records.next(record)) {
            if (record.kind >= known.size()) continue;
            auto& fields = known[record.kind];
            for (; next < run.size() && (run[next].first & kRecordMask) == record.number; ++next) {
                const uint32_t row = run[next].second;
                if (m_report.slices.start_ns[rows[row].value] != static_cast<int64_t>(record.fields[0]))
                    return changed();
                if (!fields) fields = fieldsOf(record.kind, records.fieldCount(record.kind));
                for (const auto& [field, fact] : *fields) {
                    if (record.fields[field] != 0 || !fact->isNoneAtZero)
                        facts.set(row, fact->fact, static_cast<int64_t>(record.fields[field]));
                }
            }
        }
        return next == run.size() ? Status() : changed();
    }

    tl::unexpected<Error> changed() const
    {
        return makeError(ErrorKind::corrupt,
                         m_report.provenance.path.string() +
                             ": the capture changed since it was read; open it again",
                         HelpTopic::changedFile);
    }

    static constexpr uint64_t kRecordMask = (uint64_t(1) << kRecordBits) - 1;

    MappedFile m_file;
    SpoolBlocks m_spool; // blocks of m_file
    const Report& m_report;
    std::vector<Placed> m_order; // (position in the file, index in the page)
};

// See openRowFacts(). Values that an earlier writer did not record are absent.
Result<std::unique_ptr<RowFactReader>> openSpoolFacts(const Report& report)
{
    MappedFile file = LOCKSTEP_TRY(MappedFile::open(report.provenance.path));
    SpoolBlocks spool = LOCKSTEP_TRY(spoolBlocks(file.text(), Progress()));
    return std::make_unique<SpoolRowFacts>(std::move(file), std::move(spool), report);
}

constexpr size_t kLongestShown_bytes = 4096;

bool isCaptureSpoolFile(const FileSniff& file)
{
    return isSpool(file.head);
}

Result<std::unique_ptr<Report>> readCaptureSpoolFile(const FileSniff& file, const Progress& progress)
{
    MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(file.path));
    mapped.watch(progress.place().limit());
    Provenance provenance;
    provenance.path = file.path;
    provenance.size_bytes = file.size_bytes;
    auto report = readCaptureSpool(mapped.text(), std::move(provenance), progress);
    if (!report) return tl::make_unexpected(withContext(report.error(), file.path.string()));
    return report;
}

// Estimates the memory from the block headers alone. The headers contain the decompressed size, and a record
// of about 8 bytes corresponds to half a slice.
uint64_t memoryOfSpool_bytes(const FileSniff& file)
{
    constexpr uint64_t kUnpacking_parts = 4;
    const auto mapped = MappedFile::open(file.path);
    return mapped ? unpackedSpool_bytes(mapped->text()) * kUnpacking_parts : 0;
}

bool isTextField(std::string_view name)
{
    return name == "text" || name == "uuid";
}

// Returns all fields of the record from which the slice was created.
Result<SliceDetails> captureSpoolDetails(const Report& report, SliceId slice)
{
    const MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(report.provenance.path));
    const SpoolBlocks spool = LOCKSTEP_TRY(spoolBlocks(mapped.text(), Progress()));
    const uint64_t row = report.slices.source[slice.value].row();
    const auto block = std::ranges::find_if(
        spool.blocks, [&](const SpoolBlock& each) { return each.head.sequence == row >> 28; });
    const auto payload = block != spool.blocks.end() ? unpackedPayload(*block) : std::nullopt;
    if (!payload)
        return makeError(ErrorKind::notFound, "the capture changed since it was read",
                         HelpTopic::changedFile);
    SpoolRecords records(*payload);
    SpoolRecord record;
    while (records.next(record)) {
        if (record.number != (row & 0xFFF'FFFF)) continue;
        SliceDetails details;
        details.source = std::string(spoolKindName(record.kind)) + " " + std::to_string(record.number) +
                         " of block " + std::to_string(row >> 28);
        for (size_t i = 0; i < spoolFieldCount(record.kind); ++i) {
            const std::string name(spoolFieldName(record.kind, i));
            const std::string value =
                isTextField(name)
                    ? repairedUtf8(records.text(record.fields[i]).substr(0, kLongestShown_bytes))
                    : std::to_string(record.fields[i]);
            details.arguments.emplace_back(name, value);
        }
        return details;
    }
    return makeError(ErrorKind::notFound, "the capture changed since it was read", HelpTopic::changedFile);
}

} // namespace

Result<std::unique_ptr<Report>> readCaptureSpool(std::string_view bytes, Provenance provenance,
                                                 const Progress& progress)
{
    provenance.kind = "lockstep capture";
    const SpoolBlocks spool = LOCKSTEP_TRY(spoolBlocks(bytes, progress));
    return SpoolImport(std::move(provenance)).run(spool, progress);
}

Reader captureSpoolReader()
{
    return {.format = formatNamed("lockstep capture"),
            .title = "Lockstep's captures",
            .memory_tenths = 100,
            .recognizes = isCaptureSpoolFile,
            .read = readCaptureSpoolFile,
            .details = captureSpoolDetails,
            .memoryOf_bytes = memoryOfSpool_bytes,
            .facts = openSpoolFacts};
}

} // namespace lockstep
