// SPDX-License-Identifier: Apache-2.0
#include "core/readers/workspace_file/stored_report.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>

#include <zstd.h>

#include "core/base/huge_pages.h"
#include "core/base/inflate.h"
#include "core/readers/workspace_file/report_check.h"
#include "core/readers/workspace_file/report_layout.h"

namespace lockstep {

namespace {

constexpr int kHeaderLevel = 3;
constexpr size_t kHeaderLimit_bytes = size_t(1) << 31;
constexpr const char* kTextBytes = "text.bytes";
constexpr const char* kTextLengths = "text.length";
constexpr const char* kLinkCause = "link.cause";
constexpr const char* kLinkEffect = "link.effect";
constexpr const char* kLinkKind = "link.kind";

// Values of up to 8 bytes are one word; an array of two 64-bit numbers is a column of twice as many words.
template<class T>
constexpr uint8_t kWidth = sizeof(T) <= 8 ? sizeof(T) : 8;

class Packer {
  public:
    template<class T>
    void operator()(const char* name, const std::vector<T>& values, ColumnCoding coding) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        m_columns->push_back({name, {std::as_bytes(std::span(values)), kWidth<T>, coding}});
    }
    Result<std::vector<StoredColumn>> pack(const Progress& progress) const;

    struct Named {
        const char* name;
        ColumnView view;
    };
    std::shared_ptr<std::vector<Named>> m_columns = std::make_shared<std::vector<Named>>();
};

Result<std::vector<StoredColumn>> Packer::pack(const Progress& progress) const
{
    std::vector<StoredColumn> out;
    struct Job {
        size_t column;
        size_t part;
    };
    std::vector<Job> jobs;
    for (size_t i = 0; i < m_columns->size(); ++i) {
        const ColumnView& view = (*m_columns)[i].view;
        const size_t parts = (view.rows() + kChunkRows - 1) / kChunkRows;
        out.push_back({(*m_columns)[i].name, std::vector<ColumnChunk>(parts)});
        for (size_t part = 0; part < parts; ++part)
            jobs.push_back({i, part});
    }
    progress.workers().run(jobs.size(), [&](size_t job, size_t) {
        const auto [column, part] = jobs[job];
        if (!progress.isCanceled()) out[column].chunks[part] = packChunk((*m_columns)[column].view, part);
    });
    LOCKSTEP_TRY(progress.check());
    return out;
}

struct Texts {
    std::vector<uint32_t> lengths;
    std::vector<char> bytes;
};

Texts textsOf(const StringPool& pool)
{
    Texts texts;
    size_t total = 0;
    for (size_t i = 0; i < pool.size(); ++i)
        total += pool.at(StringId(i)).size();
    texts.lengths.reserve(pool.size());
    texts.bytes.reserve(total);
    for (size_t i = 0; i < pool.size(); ++i) {
        const std::string_view text = pool.at(StringId(i));
        texts.lengths.push_back(static_cast<uint32_t>(text.size()));
        texts.bytes.insert(texts.bytes.end(), text.begin(), text.end());
    }
    return texts;
}

struct LinkColumns {
    std::vector<SliceId> cause, effect;
    std::vector<LinkKind> kind;
};

// One column on its way back: where its chunks go is known once its rows are counted.
class Unpacker {
  public:
    explicit Unpacker(const StoredReport& stored) : m_stored(stored) {}

    template<class T>
    void operator()(const char* name, std::vector<T>& values, ColumnCoding) const
    {
        const auto column = std::ranges::find(m_stored.columns, name, &StoredColumn::name);
        if (column == m_stored.columns.end()) return setError(std::string("no column ") + name);
        size_t words = 0;
        for (const ColumnChunk& chunk : column->chunks)
            words += chunk.rows;
        if (words * kWidth<T> % sizeof(T) != 0) return setError(std::string("half a value in ") + name);
        const size_t rows = words * kWidth<T> / sizeof(T);
        values.reserve(rows);
        adviseHugePages(values.data(), rows * sizeof(T));
        m_resizes->push_back([&values, rows] { values.resize(rows); });
        const std::span bytes(reinterpret_cast<std::byte*>(values.data()), rows * sizeof(T));
        size_t row = 0;
        for (const ColumnChunk& chunk : column->chunks) {
            m_jobs->push_back(
                {&chunk, kWidth<T>, row, bytes.subspan(row * kWidth<T>, chunk.rows * kWidth<T>)});
            row += chunk.rows;
        }
    }

    Status run(const Progress& progress) const
    {
        if (*m_error) return tl::make_unexpected(**m_error);
        // First touch of the memory is a good part of opening: columns are touched side by side.
        progress.workers().run(m_resizes->size(), [&](size_t at, size_t) { (*m_resizes)[at](); });
        std::mutex mutex;
        std::atomic<size_t> done = 0;
        progress.workers().run(m_jobs->size(), [&](size_t at, size_t) {
            const Job& job = (*m_jobs)[at];
            if (progress.isCanceled()) return;
            const auto unpacked = unpackChunk(*job.chunk, job.width, job.firstRow, job.out);
            if (!unpacked) {
                const std::scoped_lock lock(mutex);
                *m_error = unpacked.error();
            }
            progress.report(++done, m_jobs->size());
        });
        LOCKSTEP_TRY(progress.check());
        if (*m_error) return tl::make_unexpected(**m_error);
        return {};
    }

  private:
    struct Job {
        const ColumnChunk* chunk;
        uint8_t width;
        size_t firstRow;
        std::span<std::byte> out;
    };

    void setError(std::string message) const { *m_error = Error{ErrorKind::corrupt, std::move(message)}; }

    const StoredReport& m_stored;
    std::shared_ptr<std::vector<std::function<void()>>> m_resizes =
        std::make_shared<std::vector<std::function<void()>>>();
    std::shared_ptr<std::vector<Job>> m_jobs = std::make_shared<std::vector<Job>>();
    std::shared_ptr<std::optional<Error>> m_error = std::make_shared<std::optional<Error>>();
};

Status restoreTexts(const Texts& texts, StringPool& pool)
{
    size_t at = 0;
    for (size_t i = 0; i < texts.lengths.size(); ++i) {
        if (texts.lengths[i] > texts.bytes.size() - at)
            return makeError(ErrorKind::corrupt, "texts are cut short");
        const StringId id = pool.intern({texts.bytes.data() + at, texts.lengths[i]});
        if (id.value != i) return makeError(ErrorKind::corrupt, "a text is there twice");
        at += texts.lengths[i];
    }
    pool.shrink();
    return {};
}

Status restoreLinks(const LinkColumns& columns, LinkTable& links)
{
    if (columns.effect.size() != columns.cause.size() || columns.kind.size() != columns.cause.size()) {
        return makeError(ErrorKind::corrupt, "link columns of unequal length");
    }
    std::vector<Link> rows(columns.cause.size());
    for (size_t i = 0; i < rows.size(); ++i)
        rows[i] = {columns.cause[i], columns.effect[i], columns.kind[i]};
    links = LinkTable(std::move(rows));
    return {};
}

Status readHeader(const std::string& packed, Report& report, std::vector<MemoryFrame>& frames,
                  bool& hasMemory, const Progress& progress)
{
    const size_t limit_bytes = std::min(kHeaderLimit_bytes, packed.size() * 4096 + 65536);
    const Inflated header = LOCKSTEP_TRY(unzstd(packed, limit_bytes, progress));
    ByteReader reader(header.bytes);
    describeHeader(reader, report);
    describe(reader, hasMemory, frames);
    if (!header.isComplete || !reader.isAtEnd())
        return makeError(ErrorKind::corrupt, "the report's header is broken");
    return {};
}

} // namespace

Result<StoredReport> packReport(const Report& report, const Progress& progress)
{
    auto& source = const_cast<Report&>(report); // describe() takes what it may fill; a writer only reads
    std::vector<MemoryFrame> frames = report.memory ? report.memory->frames : std::vector<MemoryFrame>();
    bool hasMemory = report.memory != nullptr;
    ByteWriter writer;
    describeHeader(writer, source);
    describe(writer, hasMemory, frames);
    const std::string raw = writer.take();
    StoredReport stored;
    stored.header.resize(ZSTD_compressBound(raw.size()));
    const size_t size =
        ZSTD_compress(stored.header.data(), stored.header.size(), raw.data(), raw.size(), kHeaderLevel);
    if (ZSTD_isError(size)) return makeError(ErrorKind::io, "no memory to compress the report's header");
    stored.header.resize(size);

    const Texts texts = textsOf(report.strings);
    LinkColumns links;
    for (const Link& link : report.links.all()) {
        links.cause.push_back(link.cause);
        links.effect.push_back(link.effect);
        links.kind.push_back(link.kind);
    }
    const Packer packer;
    visitTableColumns(source, packer);
    packer(kTextLengths, texts.lengths, ColumnCoding::plain);
    packer(kTextBytes, texts.bytes, ColumnCoding::plain);
    packer(kLinkCause, links.cause, ColumnCoding::delta);
    packer(kLinkEffect, links.effect, ColumnCoding::delta);
    packer(kLinkKind, links.kind, ColumnCoding::plain);
    if (hasMemory) visitMemoryColumns(const_cast<MemorySnapshot&>(*report.memory), packer);
    stored.columns = LOCKSTEP_TRY(packer.pack(progress));
    return stored;
}

Result<std::unique_ptr<Report>> unpackReport(const StoredReport& stored, const Progress& progress)
{
    auto report = std::make_unique<Report>();
    const auto memory = std::make_shared<MemorySnapshot>();
    bool hasMemory = false;
    LOCKSTEP_TRY(readHeader(stored.header, *report, memory->frames, hasMemory, progress));
    Texts texts;
    LinkColumns links;
    const Unpacker unpacker(stored);
    visitTableColumns(*report, unpacker);
    unpacker(kTextLengths, texts.lengths, ColumnCoding::plain);
    unpacker(kTextBytes, texts.bytes, ColumnCoding::plain);
    unpacker(kLinkCause, links.cause, ColumnCoding::delta);
    unpacker(kLinkEffect, links.effect, ColumnCoding::delta);
    unpacker(kLinkKind, links.kind, ColumnCoding::plain);
    if (hasMemory) visitMemoryColumns(*memory, unpacker);
    LOCKSTEP_TRY(unpacker.run(progress));
    LOCKSTEP_TRY(restoreTexts(texts, report->strings));
    LOCKSTEP_TRY(restoreLinks(links, report->links));
    if (hasMemory) report->memory = memory;
    LOCKSTEP_TRY(checkReport(*report, progress.workers()));
    return report;
}

} // namespace lockstep
