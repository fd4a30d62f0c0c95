// SPDX-License-Identifier: Apache-2.0
// RowChunks: a list of rows that are being collected for a report, in insertion order. Rows are stored in
// chunks, so that growth never copies them. The first chunks are small, so that a thousand lists with one row
// each are cheap. Later chunks are as large as a huge page (where available), so that first access and
// release are cheap. If the report is too large for memory, the large chunks are in a file. One thread at a
// time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/spill_file.h"

namespace lockstep {

// Allocates memory in huge pages where the Linux kernel allows them, because page faults on small pages cost
// more than parsing. Used while a report is built.

// Returns `size` bytes (a multiple of 2 MiB), aligned to 2 MiB and not yet backed by memory, or nullptr if
// none is available. Free the bytes with unmapHugePages() and the same size, which returns them to the system
// immediately.
void* mapHugePages(size_t size);
void unmapHugePages(void* memory, size_t size);

template<class T>
class RowChunk {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    // `file` stores chunks of the largest size. If `file` is null or full, they are in memory.
    RowChunk(size_t capacity, const std::shared_ptr<SpillFile>& file) : m_capacity(capacity)
    {
        void* memory = nullptr;
        if (capacity == kLargest && file) memory = file->take(kHugePage);
        if (memory != nullptr) {
            m_file = file;
        } else {
            memory = capacity == kLargest ? mapHugePages(kHugePage) : std::malloc(capacity * sizeof(T));
        }
        if (memory == nullptr) throw std::bad_alloc();
        m_rows = static_cast<T*>(memory);
    }
    RowChunk(RowChunk&& other) noexcept
        : m_rows(std::exchange(other.m_rows, nullptr)), m_count(std::exchange(other.m_count, 0)),
          m_capacity(std::exchange(other.m_capacity, 0)), m_file(std::move(other.m_file))
    {
    }
    RowChunk& operator=(RowChunk&& other) noexcept
    {
        std::swap(m_rows, other.m_rows);
        std::swap(m_count, other.m_count);
        std::swap(m_capacity, other.m_capacity);
        m_file.swap(other.m_file);
        return *this;
    }
    ~RowChunk()
    {
        if (m_file) {
            m_file->release(m_rows);
        } else if (m_capacity == kLargest) {
            unmapHugePages(m_rows, kHugePage);
        } else {
            std::free(m_rows);
        }
    }

    bool isFull() const { return m_count == m_capacity; }
    void push(const T& row) { m_rows[m_count++] = row; }
    std::span<T> rows() { return {m_rows, m_count}; }
    std::span<const T> rows() const { return {m_rows, m_count}; }
    size_t capacity() const { return m_capacity; }

    static constexpr size_t kSmallest = 16;
    static constexpr size_t kHugePage = 2 * 1024 * 1024;
    static constexpr size_t kLargest = kHugePage / sizeof(T);

  private:
    T* m_rows = nullptr;
    size_t m_count = 0;
    size_t m_capacity = 0;
    std::shared_ptr<SpillFile> m_file; // null if in memory
};

template<class T>
struct RowChunks {
    std::vector<RowChunk<T>> chunks;
    size_t count = 0;

    // Iterates over the rows in order.
    class Cursor {
      public:
        explicit Cursor(const RowChunks& rows) : m_rows(&rows) { skipEmpty(); }

        bool atEnd() const { return m_chunk == m_rows->chunks.size(); }
        const T* get() const { return m_rows->chunks[m_chunk].rows().data() + m_at; }
        void next()
        {
            if (++m_at < m_rows->chunks[m_chunk].rows().size()) return;
            ++m_chunk;
            m_at = 0;
            skipEmpty();
        }

      private:
        void skipEmpty()
        {
            while (!atEnd() && m_rows->chunks[m_chunk].rows().empty())
                ++m_chunk;
        }

        const RowChunks* m_rows;
        size_t m_chunk = 0;
        size_t m_at = 0;
    };

    bool empty() const { return count == 0; }
    // Returns the last row. The list must not be empty, and its last row must have been added to this list,
    // not taken from another one.
    T& back() { return chunks.back().rows().back(); }
    void add(const T& row, const std::shared_ptr<SpillFile>& file = {})
    {
        if (chunks.empty() || chunks.back().isFull()) grow(file);
        chunks.back().push(row);
        ++count;
    }
    // Appends the rows of another list without copying them.
    void take(RowChunks&& rows)
    {
        count += std::exchange(rows.count, 0);
        if (chunks.empty()) {
            chunks = std::move(rows.chunks);
        } else {
            std::ranges::move(rows.chunks, std::back_inserter(chunks));
        }
        rows.chunks.clear();
    }
    template<class Visit>
    void forEach(Visit&& visit) const
    {
        for (const RowChunk<T>& chunk : chunks) {
            for (const T& row : chunk.rows())
                visit(row);
        }
    }

  private:
    void grow(const std::shared_ptr<SpillFile>& file)
    {
        using Chunk = RowChunk<T>;
        const size_t last = chunks.empty() ? Chunk::kSmallest / 2 : chunks.back().capacity();
        chunks.emplace_back(std::min(2 * last, Chunk::kLargest), file);
    }
};

} // namespace lockstep
