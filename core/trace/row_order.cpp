// SPDX-License-Identifier: Apache-2.0
#include "core/trace/row_order.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace lockstep {

namespace {

bool startsBefore(const OrderedRow& a, const OrderedRow& b)
{
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    if (a.row->duration_ns != b.row->duration_ns) return a.row->duration_ns > b.row->duration_ns;
    return a.row->source < b.row->source;
}

using PartCursor = SliceBatch::Rows::Cursor;

// Takes from the part whose next row stands first in the file for as long as it does.
void mergeByFileOrder(std::vector<PartCursor>& parts, OrderedRow* out)
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
            *out++ = {part.get()->start_ns, part.get()};
            part.next();
        } while (!part.atEnd() && part.get()->source.packed < limit);
        if (part.atEnd()) parts.erase(parts.begin() + static_cast<ptrdiff_t>(first));
    }
}

// Where the rising runs of the rows begin, and behind the last. Where there are many, blocks are sorted to be
// runs.
std::vector<size_t> risingRuns(Column<OrderedRow>& rows, const Progress& progress)
{
    std::vector<size_t> runs{0};
    for (size_t i = 1; i < rows.size(); ++i) {
        if (startsBefore(rows[i], rows[i - 1])) runs.push_back(i);
        if (runs.size() > rows.size() / 256 + 2) break;
    }
    if (runs.size() > rows.size() / 256 + 2) {
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

// Merges neighbouring runs, pairs side by side, until one is left.
void mergeRuns(Column<OrderedRow>& rows, std::vector<size_t> runs, const Progress& progress)
{
    if (runs.size() <= 2) return;
    Column<OrderedRow> merged = progress.place().passingColumn<OrderedRow>(rows.size());
    if (merged.size() != rows.size()) return; // a full disk: told by progress.check()
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

} // namespace

Column<OrderedRow> orderedRows(std::span<const SliceBatch::Rows* const> parts, const Progress& progress)
{
    std::vector<PartCursor> cursors;
    size_t count = 0;
    for (const SliceBatch::Rows* const part : parts) {
        if (part->count > 0) cursors.emplace_back(*part);
        count += part->count;
    }
    Column<OrderedRow> rows = progress.place().passingColumn<OrderedRow>(count);
    if (rows.size() != count) return {}; // a full disk
    mergeByFileOrder(cursors, rows.data());
    mergeRuns(rows, risingRuns(rows, progress), progress);
    return rows;
}

} // namespace lockstep
