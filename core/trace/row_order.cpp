// SPDX-License-Identifier: Apache-2.0
#include "core/trace/row_order.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <vector>

namespace lockstep {

namespace {

bool rowStartsBefore(const SliceRow& a, const SliceRow& b)
{
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
    return a.source < b.source;
}

// Accesses the rows themselves only if the starts are equal.
bool startsBefore(const OrderedRow& a, const OrderedRow& b)
{
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    return rowStartsBefore(*a.row, *b.row);
}

// Returns whether the rows are too unsorted for merging ascending runs, because many rows start before their
// predecessor.
constexpr bool isShuffled(size_t descents, size_t rows)
{
    return descents > rows / 256 + 1;
}

bool areShuffled(std::span<SliceBatch::Rows* const> parts, size_t count)
{
    size_t descents = 0;
    for (const SliceBatch::Rows* const part : parts) {
        for (const SliceChunk& chunk : part->chunks) {
            const std::span<const SliceRow> rows = chunk.rows();
            for (size_t i = 1; i < rows.size() && !isShuffled(descents, count); ++i)
                descents += rows[i].start_ns < rows[i - 1].start_ns;
        }
    }
    return isShuffled(descents, count);
}

using PartCursor = SliceBatch::Rows::Cursor;

// Repeatedly takes rows from the part whose next row comes first in the file.
void mergeByFileOrder(std::vector<PartCursor>& parts, OrderedRow* out)
{
    while (!parts.empty()) {
        size_t first = 0;
        uint64_t limit = std::numeric_limits<uint64_t>::max(); // the smallest next row of all other parts
        for (size_t i = 1; i < parts.size(); ++i) {
            if (parts[i].get()->source < parts[first].get()->source) first = i;
        }
        for (size_t i = 0; i < parts.size(); ++i) {
            if (i != first) limit = std::min(limit, parts[i].get()->source.packed);
        }
        PartCursor& part = parts[first];
        do {
            *out++ = {part.get()->start_ns, part.get()};
            part.next();
        } while (!part.atEnd() && part.get()->source.packed < limit);
        if (part.atEnd()) parts.erase(parts.begin() + static_cast<ptrdiff_t>(first));
    }
}

// The first half of a natural merge sort: returns the starts of the ascending runs, and the end of the last
// one, which mergeRuns() then merges. Rows are usually recorded in almost chronological order, so there are
// few runs and the cost is O(rows). If there are many runs, blocks of fixed length are sorted in parallel and
// serve as runs: O(rows log rows).
std::vector<size_t> risingRuns(Column<OrderedRow>& rows, const Progress& progress)
{
    std::vector<size_t> runs{0};
    for (size_t i = 1; i < rows.size(); ++i) {
        if (startsBefore(rows[i], rows[i - 1])) runs.push_back(i);
        if (isShuffled(runs.size() - 1, rows.size())) break;
    }
    if (isShuffled(runs.size() - 1, rows.size())) {
        constexpr size_t kBlock = size_t(1) << 16;
        runs.clear();
        for (size_t begin = 0; begin < rows.size(); begin += kBlock)
            runs.push_back(begin);
        progress.workers().run(runs.size(), [&](size_t run, size_t) {
            if (progress.isCanceled()) return;
            OrderedRow* const begin = rows.data() + runs[run];
            std::sort(begin, begin + std::min(kBlock, rows.size() - runs[run]), startsBefore);
        });
    }
    runs.push_back(rows.size());
    return runs;
}

// Merges neighboring runs, with all pairs in parallel, until one run is left.
void mergeRuns(Column<OrderedRow>& rows, std::vector<size_t> runs, const Progress& progress)
{
    if (runs.size() <= 2) return;
    Column<OrderedRow> merged = progress.place().temporaryColumn<OrderedRow>(rows.size());
    if (merged.size() != rows.size()) return; // the disk is full: progress.check() reports it
    while (runs.size() > 2 && !progress.isCanceled()) {
        progress.workers().run(runs.size() / 2, [&](size_t pair, size_t) {
            if (progress.isCanceled()) return;
            const OrderedRow* const from = rows.data();
            const size_t begin = runs[2 * pair], middle = runs[2 * pair + 1];
            const size_t end = 2 * pair + 2 < runs.size() ? runs[2 * pair + 2] : middle;
            std::merge(from + begin, from + middle, from + middle, from + end, merged.data() + begin,
                       startsBefore);
        });
        std::swap(rows, merged);
        std::vector<size_t> left;
        for (size_t i = 0; i < runs.size() - 1; i += 2)
            left.push_back(runs[i]);
        left.push_back(rows.size());
        runs = std::move(left);
    }
}

// Sorts each chunk in place and fills `rows` with references, chunk after chunk. Returns the index of each
// chunk's first reference, followed by the total count.
std::vector<size_t> sortChunks(std::span<SliceBatch::Rows* const> parts, Column<OrderedRow>& rows,
                               const Progress& progress)
{
    std::vector<SliceChunk*> chunks;
    std::vector<size_t> runs{0};
    for (SliceBatch::Rows* const part : parts) {
        for (SliceChunk& chunk : part->chunks) {
            chunks.push_back(&chunk);
            runs.push_back(runs.back() + chunk.rows().size());
        }
    }
    progress.workers().run(chunks.size(), [&](size_t chunk, size_t) {
        if (progress.isCanceled()) return;
        const std::span<SliceRow> inChunk = chunks[chunk]->rows();
        std::ranges::sort(inChunk, rowStartsBefore);
        for (size_t i = 0; i < inChunk.size(); ++i)
            rows[runs[chunk] + i] = {inChunk[i].start_ns, &inChunk[i]};
    });
    return runs;
}

} // namespace

Column<OrderedRow> orderedRows(std::span<SliceBatch::Rows* const> parts, const Progress& progress)
{
    std::vector<PartCursor> cursors;
    size_t count = 0;
    for (const SliceBatch::Rows* const part : parts) {
        if (part->count > 0) cursors.emplace_back(*part);
        count += part->count;
    }
    Column<OrderedRow> rows = progress.place().temporaryColumn<OrderedRow>(count);
    if (rows.size() != count) return {}; // the disk is full
    if (!progress.place().isHeap() && areShuffled(parts, count)) {
        mergeRuns(rows, sortChunks(parts, rows, progress), progress);
        return rows;
    }
    mergeByFileOrder(cursors, rows.data());
    mergeRuns(rows, risingRuns(rows, progress), progress);
    return rows;
}

namespace {

uint64_t hashOf(SourceRow source)
{
    const uint64_t hash = source.packed * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 32);
}

} // namespace

ReferencedRows::ReferencedRows(Column<SourceRow> sources, const ColumnPlace& place)
{
    if (sources.empty()) return;
    m_slices = place.temporaryColumn<SliceId>(sources.size());
    if (m_slices.size() != sources.size()) return;
    m_sources = std::move(sources);
    std::ranges::sort(m_sources);
    std::ranges::fill(m_slices, SliceId());
    m_bits.resize(std::bit_ceil(m_sources.size() / 4 + 1));
    for (const SourceRow source : m_sources) {
        const uint64_t hash = hashOf(source);
        m_bits[(hash >> 6) & (m_bits.size() - 1)] |= uint64_t(1) << (hash & 63);
    }
}

void ReferencedRows::record(SourceRow source, SliceId slice)
{
    if (m_sources.empty()) return;
    const uint64_t hash = hashOf(source);
    if ((m_bits[(hash >> 6) & (m_bits.size() - 1)] >> (hash & 63) & 1) == 0) return;
    const auto found = std::ranges::lower_bound(m_sources, source);
    if (found == m_sources.end() || *found != source) return;
    std::atomic_ref<uint32_t> recorded(m_slices[static_cast<size_t>(found - m_sources.begin())].value);
    uint32_t current = recorded.load(std::memory_order_relaxed);
    while (slice.value < current &&
           !recorded.compare_exchange_weak(current, slice.value, std::memory_order_relaxed)) {
    }
}

SliceId ReferencedRows::sliceOf(SourceRow source) const
{
    const auto found = std::ranges::lower_bound(m_sources, source);
    if (found == m_sources.end() || *found != source) return {};
    return m_slices[static_cast<size_t>(found - m_sources.begin())];
}

} // namespace lockstep
