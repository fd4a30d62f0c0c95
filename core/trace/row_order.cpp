// SPDX-License-Identifier: Apache-2.0
#include "core/trace/row_order.h"

#include <algorithm>
#include <limits>

#include "core/trace/fresh_memory.h"

namespace lockstep {

namespace {

bool startsBefore(const OrderedRow& a, const OrderedRow& b)
{
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    if (a.row->duration_ns != b.row->duration_ns) return a.row->duration_ns > b.row->duration_ns;
    return a.row->source < b.row->source;
}

// A place in one part's rows.
class PartCursor {
  public:
    explicit PartCursor(const SliceBatch::Rows& rows) : m_rows(&rows) { skipEmpty(); }

    bool atEnd() const { return m_chunk == m_rows->chunks.size(); }
    const SliceRow* get() const { return m_rows->chunks[m_chunk].rows().data() + m_at; }
    void next()
    {
        if (++m_at == m_rows->chunks[m_chunk].rows().size()) {
            ++m_chunk;
            m_at = 0;
            skipEmpty();
        }
    }

  private:
    void skipEmpty()
    {
        while (!atEnd() && m_rows->chunks[m_chunk].rows().empty())
            ++m_chunk;
    }

    const SliceBatch::Rows* m_rows;
    size_t m_chunk = 0;
    size_t m_at = 0;
};

// Takes from the part whose next row stands first in the file for as long as it does.
void mergeByFileOrder(std::vector<PartCursor>& parts, std::vector<OrderedRow>& out)
{
    while (!parts.empty()) {
        size_t first = 0;
        uint64_t limit = std::numeric_limits<uint64_t>::max(); // the next row of all other parts
        for (size_t i = 1; i < parts.size(); ++i) {
            if (parts[i].get()->source < parts[first].get()->source) first = i;
        }
        for (size_t i = 0; i < parts.size(); ++i) {
            if (i != first) limit = std::min(limit, parts[i].get()->source.packed);
        }
        PartCursor& part = parts[first];
        do {
            out.push_back({part.get()->start_ns, part.get()});
            part.next();
        } while (!part.atEnd() && part.get()->source.packed < limit);
        if (part.atEnd()) parts.erase(parts.begin() + static_cast<ptrdiff_t>(first));
    }
}

// Where the rising runs of the rows begin, and behind the last. Where there are many, blocks are sorted to be
// runs.
std::vector<size_t> risingRuns(std::vector<OrderedRow>& rows, const Progress& progress)
{
    std::vector<size_t> runs{0};
    for (size_t i = 1; i < rows.size(); ++i) {
        if (startsBefore(rows[i], rows[i - 1])) runs.push_back(i);
        if (runs.size() > rows.size() / 256 + 2) break;
    }
    if (runs.size() > rows.size() / 256 + 2) {
        constexpr size_t kBlock = size_t(1) << 16;
        runs.clear();
        for (size_t begin = 0; begin < rows.size() && !progress.isCanceled(); begin += kBlock) {
            runs.push_back(begin);
            std::ranges::sort(std::span(rows).subspan(begin, std::min(kBlock, rows.size() - begin)),
                              startsBefore);
        }
    }
    runs.push_back(rows.size());
    return runs;
}

// Merges neighbouring runs until one is left.
void mergeRuns(std::vector<OrderedRow>& rows, std::vector<size_t> runs, const Progress& progress)
{
    const auto at = [&](size_t place) { return rows.begin() + static_cast<ptrdiff_t>(place); };
    while (runs.size() > 2 && !progress.isCanceled()) {
        std::vector<size_t> left{0};
        for (size_t i = 2; i < runs.size() && !progress.isCanceled(); i += 2) {
            std::inplace_merge(at(runs[i - 2]), at(runs[i - 1]), at(runs[i]), startsBefore);
            left.push_back(runs[i]);
        }
        if (left.back() != rows.size()) left.push_back(rows.size());
        runs = std::move(left);
    }
}

} // namespace

std::vector<OrderedRow> orderedRows(std::span<const SliceBatch::Rows* const> parts, const Progress& progress)
{
    std::vector<PartCursor> cursors;
    size_t count = 0;
    for (const SliceBatch::Rows* const part : parts) {
        if (part->count > 0) cursors.emplace_back(*part);
        count += part->count;
    }
    std::vector<OrderedRow> rows;
    rows.reserve(count);
    adviseHugePages(rows.data(), count * sizeof(OrderedRow));
    mergeByFileOrder(cursors, rows);
    mergeRuns(rows, risingRuns(rows, progress), progress);
    return rows;
}

} // namespace lockstep
