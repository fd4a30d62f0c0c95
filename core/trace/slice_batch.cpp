// SPDX-License-Identifier: Apache-2.0
#include "core/trace/slice_batch.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/trace/fresh_memory.h"

namespace lockstep {

SliceChunk::SliceChunk(size_t capacity) : m_capacity(capacity)
{
    void* const memory =
        capacity == kLargest ? mapHugePages(kHugePage) : std::malloc(capacity * sizeof(SliceRow));
    if (memory == nullptr) throw std::bad_alloc();
    m_rows = static_cast<SliceRow*>(memory);
}

SliceChunk::~SliceChunk()
{
    if (m_capacity == kLargest) {
        unmapHugePages(m_rows, kHugePage);
    } else {
        std::free(m_rows);
    }
}

void SliceBatch::grow(Rows& rows)
{
    const size_t last = rows.chunks.empty() ? SliceChunk::kSmallest / 2 : rows.chunks.back().capacity();
    rows.chunks.emplace_back(std::min(2 * last, SliceChunk::kLargest));
}

void SliceBatch::take(TrackId track, Rows&& rows)
{
    if (track.value >= byTrack.size()) byTrack.resize(track.value + 1);
    Rows& held = byTrack[track.value];
    held.count += std::exchange(rows.count, 0);
    if (held.chunks.empty()) {
        held.chunks = std::move(rows.chunks);
    } else {
        std::ranges::move(rows.chunks, std::back_inserter(held.chunks));
    }
    rows.chunks.clear();
}

} // namespace lockstep
