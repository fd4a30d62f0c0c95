// SPDX-License-Identifier: Apache-2.0
#include "core/readers/workspace_file/stored_report.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>

#include "core/base/huge_pages.h"
#include "core/base/inflate.h"
#include "core/base/load_watch.h"
#include "core/readers/workspace_file/report_check.h"
#include "core/readers/workspace_file/report_layout.h"

namespace lockstep {

namespace {

constexpr size_t kHeaderLimit_bytes = size_t(1) << 31;
// Columns compress about 10 to 1, and constant columns far better. A file that claims a higher ratio than
// this is invalid.
constexpr uint64_t kUnpackFactor = 1000;
constexpr uint64_t kUnpackFloor_bytes = uint64_t(256) << 20;

template<class T>
void adoptRows(Column<T>& column, std::span<const T> rows, const std::shared_ptr<const void>& keeper)
{
    column = Column<T>(rows, keeper);
}

template<class T>
void adoptRows(std::vector<T>& column, std::span<const T> rows, const std::shared_ptr<const void>&)
{
    column.assign(rows.begin(), rows.end());
}

// Unpacker restores columns. Their memory is known once all rows are counted.
class Unpacker {
  public:
    Unpacker(const StoredReport& stored, const ColumnPlace& place) : m_stored(stored), m_place(place) {}

    template<class Values>
    void operator()(const ColumnFacts& facts, Values& values)
    {
        using T = typename Values::value_type;
        const auto column = std::ranges::find(m_stored.columns, facts.name, &StoredColumn::name);
        if (column == m_stored.columns.end()) {
            if (!facts.mayBeAbsent) setError("missing column ", facts.name);
            return;
        }
        m_known.insert(column->name);
        if (column->type != columnType<T>()) return setError("unknown row type in column ", facts.name);
        if (column->raw) return adopt(*column, values);
        reserve(*column, values);
    }

    Status run(const Progress& progress);
    // Returns the names of blocks that no column requested.
    std::vector<std::string> unknown() const
    {
        std::vector<std::string> out = m_stored.unknown;
        for (const StoredColumn& column : m_stored.columns) {
            if (!m_known.contains(column.name)) out.push_back(column.name);
        }
        return out;
    }

  private:
    struct Job {
        const ColumnChunk* chunk;
        size_t firstRow;
        ColumnSpace out;
    };

    // Reserves memory for the rows. The rows exist once run() has begun.
    template<class T>
    void makeRoom(std::vector<T>& values, size_t rows)
    {
        values.reserve(rows);
        adviseHugePages(values.data(), rows * sizeof(T));
        m_heap_bytes += rows * sizeof(T);
        m_resizes.push_back([&values, rows] { values.resize(rows); });
    }
    template<class T>
    void makeRoom(Column<T>& values, size_t rows)
    {
        if (!m_place.isHeap()) {
            values = m_place.column<T>(rows);
            return;
        }
        values.reserve(rows);
        adviseHugePages(values.data(), rows * sizeof(T));
        m_heap_bytes += rows * sizeof(T);
        m_resizes.push_back([&values, rows] { values.resize(rows); });
    }

    void setError(std::string_view what, std::string_view name)
    {
        m_error = Error{ErrorKind::corrupt, std::string(what) + std::string(name)};
    }

    template<class Values>
    void adopt(const StoredColumn& column, Values& values)
    {
        using T = typename Values::value_type;
        const auto address = reinterpret_cast<uintptr_t>(column.raw->data());
        if (address % alignof(T) != 0 || column.rows > column.raw->size() ||
            column.rows * sizeof(T) != column.raw->size())
            return setError("wrong number of rows in column ", column.name);
        const auto* const first = reinterpret_cast<const T*>(column.raw->data());
        adoptRows(values, std::span(first, column.raw->size() / sizeof(T)), m_stored.keeper);
    }

    template<class Values>
    void reserve(const StoredColumn& column, Values& values)
    {
        using T = typename Values::value_type;
        const bool hasFields = !fieldsOf(static_cast<const T*>(nullptr)).empty();
        const uint8_t width = wordBytes<T>(hasFields);
        const size_t wordsOfRow = sizeof(T) / width;
        size_t words = 0;
        for (const ColumnChunk& chunk : column.chunks)
            words += chunk.rows;
        if (words % wordsOfRow != 0) return setError("incomplete value in column ", column.name);
        const size_t rows = words / wordsOfRow;
        if (rows != column.rows) return setError("wrong number of rows in column ", column.name);
        makeRoom(values, rows);
        auto* const first = reinterpret_cast<std::byte*>(values.data());
        if (first == nullptr && rows > 0) return;     // the disk is full: the next check reports it
        const size_t lane = hasFields ? rows : words; // consecutive words
        const size_t stride = hasFields ? sizeof(T) : width;
        size_t word = 0;
        for (const ColumnChunk& chunk : column.chunks) {
            if (word % lane + chunk.rows > lane)
                return setError("chunks of unequal length in column ", column.name);
            std::byte* const at = first + word / lane * width + word % lane * stride;
            m_jobs.push_back({&chunk, word % lane, {at, chunk.rows, width, stride}});
            word += chunk.rows;
        }
    }

    const StoredReport& m_stored;
    const ColumnPlace& m_place;
    std::set<std::string_view> m_known;
    std::vector<std::function<void()>> m_resizes;
    uint64_t m_heap_bytes = 0; // memory that m_resizes will allocate
    std::vector<Job> m_jobs;
    std::optional<Error> m_error;
};

Status Unpacker::run(const Progress& progress)
{
    if (m_error) return tl::make_unexpected(*m_error);
    LOCKSTEP_TRY(progress.check());
    // if the memory does not fit, the next check reports this
    static_cast<void>(LoadScope::admit(m_heap_bytes));
    LOCKSTEP_TRY(progress.check());
    // The first access to the memory takes a large part of the opening time, so columns are touched in
    // parallel.
    progress.workers().run(m_resizes.size(), [&](size_t at, size_t) { m_resizes[at](); });
    std::mutex mutex;
    std::atomic<size_t> done = 0;
    progress.workers().run(m_jobs.size(), [&](size_t at, size_t) {
        const Job& job = m_jobs[at];
        if (progress.isCanceled()) return;
        const auto unpacked = unpackChunk(*job.chunk, job.firstRow, job.out);
        if (!unpacked) {
            const std::scoped_lock lock(mutex);
            m_error = unpacked.error();
        }
        progress.report(++done, m_jobs.size());
    });
    LOCKSTEP_TRY(progress.check());
    if (m_error) return tl::make_unexpected(*m_error);
    return {};
}

struct Texts {
    std::vector<uint32_t> lengths;
    std::vector<char> bytes;
};

Status restoreTexts(const Texts& texts, StringPool& pool, const Progress& progress)
{
    constexpr size_t kBetweenChecks = 65536;
    size_t at = 0;
    for (size_t i = 0; i < texts.lengths.size(); ++i) {
        if (i % kBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        if (texts.lengths[i] > texts.bytes.size() - at)
            return makeError(ErrorKind::corrupt, "the string table is cut short", HelpTopic::truncatedFile);
        const StringId id = pool.intern({texts.bytes.data() + at, texts.lengths[i]});
        if (id.value != i) return makeError(ErrorKind::corrupt, "duplicate string in the string table");
        at += texts.lengths[i];
    }
    pool.shrink();
    return {};
}

Status readHeader(const StoredReport& stored, Report& report, std::vector<MemoryFrame>& frames,
                  bool& hasMemory, const Progress& progress)
{
    const size_t limit_bytes = std::min(kHeaderLimit_bytes, stored.header.size() * 4096 + 65536);
    const Inflated header = LOCKSTEP_TRY(unzstd(stored.header, limit_bytes, progress));
    ByteReader reader(header.bytes);
    describeHeader(reader, report);
    describe(reader, hasMemory, frames);
    if (!header.isComplete || !reader.isAtEnd())
        return makeError(ErrorKind::corrupt, "the report header is corrupt");
    return {};
}

} // namespace

Status checkClaimedSize(uint64_t unpacked_bytes, uint64_t file_bytes)
{
    if (unpacked_bytes <= file_bytes * kUnpackFactor + kUnpackFloor_bytes) return {};
    return makeError(ErrorKind::corrupt, "the file claims to contain far more data than its size allows");
}

Result<std::unique_ptr<Report>> restoreReport(const StoredReport& stored, const Progress& progress)
{
    auto report = std::make_unique<Report>();
    const auto memory = std::make_shared<MemorySnapshot>();
    bool hasMemory = false;
    LOCKSTEP_TRY(readHeader(stored, *report, memory->frames, hasMemory, progress));
    Texts texts;
    report->place = progress.place();
    Unpacker unpacker(stored, progress.place());
    ReportColumns::visit(*report, unpacker);
    unpacker({kTextLengthsColumn, "bytes", ""}, texts.lengths);
    unpacker({kTextBytesColumn, "", ""}, texts.bytes);
    const auto rounds = std::ranges::find(stored.columns, kClockRoundsColumn.name, &StoredColumn::name);
    if (rounds != stored.columns.end()) unpacker(kClockRoundsColumn, report->clockRounds);
    if (hasMemory) visitMemoryColumns(*memory, unpacker);
    LOCKSTEP_TRY(unpacker.run(progress));
    LOCKSTEP_TRY(restoreTexts(texts, report->strings, progress));
    if (hasMemory) report->memory = memory;
    LOCKSTEP_TRY(checkReport(*report, progress.workers()));
    for (const std::string& name : unpacker.unknown()) {
        report->notes.add(
            "workspace.unknown_block", NoteSeverity::warning,
            "the workspace file contains more data about this report than this version of Lockstep "
            "knows; a newer version shows it",
            name);
    }
    return report;
}

} // namespace lockstep
