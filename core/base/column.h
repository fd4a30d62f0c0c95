// SPDX-License-Identifier: Apache-2.0
// Column: one column of a table. The rows are stored on the heap by the column itself, or in memory that the
// column shares, such as a mapped file; code that reads the column sees no difference. Rows are written while
// the table is built, each row by one thread. Afterwards any thread may read. core/base/COLUMNS.md explains
// out-of-core columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/huge_pages.h"

namespace lockstep {

template<class T>
class Column {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;

    Column() = default;
    Column(std::initializer_list<T> rows) : Column(std::vector<T>(rows)) {}
    explicit Column(std::vector<T> rows) : m_heap(std::move(rows)) { follow(); }
    // Refers to rows in memory that `owner` keeps alive. The rows may be written only if that memory is
    // writable.
    Column(std::span<const T> rows, std::shared_ptr<const void> owner)
        : m_rows(const_cast<T*>(rows.data())), m_size(rows.size()), m_owner(std::move(owner))
    {
    }
    // Copies the rows to the heap, regardless of where the original stores them.
    Column(const Column& other) : Column(std::vector<T>(other.begin(), other.end())) {}
    Column& operator=(const Column& other) { return *this = Column(other); }
    Column(Column&& other) noexcept { swap(other); }
    Column& operator=(Column&& other) noexcept
    {
        Column taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~Column() = default;

    size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }
    const T* data() const { return m_rows; }
    T* data() { return m_rows; }
    const T& operator[](size_t row) const { return m_rows[row]; }
    T& operator[](size_t row) { return m_rows[row]; }
    const T* begin() const { return m_rows; }
    const T* end() const { return m_rows + m_size; }
    T* begin() { return m_rows; }
    T* end() { return m_rows + m_size; }
    const T& front() const { return m_rows[0]; }
    const T& back() const { return m_rows[m_size - 1]; }
    T& back() { return m_rows[m_size - 1]; }

    // The following functions first copy shared rows to the heap.
    void reserve(size_t rows)
    {
        own();
        m_heap.reserve(rows);
        follow();
    }
    // New rows are zero. Requests huge pages if the column was empty.
    void resize(size_t rows)
    {
        own();
        if (m_heap.empty()) {
            m_heap.reserve(rows);
            adviseHugePages(m_heap.data(), rows * sizeof(T));
        }
        m_heap.resize(rows);
        follow();
    }
    void push_back(const T& row)
    {
        own();
        m_heap.push_back(row);
        follow();
    }
    void clear() { *this = Column(); }
    void shrink_to_fit()
    {
        if (m_owner == nullptr) m_heap.shrink_to_fit();
        if (m_owner == nullptr) follow();
    }

    // Returns the heap capacity in bytes. Rows in shared memory do not count, because they occupy only the
    // page cache and can be evicted.
    size_t residentBytes() const { return m_heap.capacity() * sizeof(T); }

    friend bool operator==(const Column& a, const Column& b)
    {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

  private:
    void own()
    {
        if (m_owner != nullptr) *this = Column(*this);
    }
    void follow()
    {
        m_rows = m_heap.data();
        m_size = m_heap.size();
    }
    void swap(Column& other) noexcept
    {
        std::swap(m_rows, other.m_rows);
        std::swap(m_size, other.m_size);
        m_heap.swap(other.m_heap);
        m_owner.swap(other.m_owner);
    }

    T* m_rows = nullptr;
    size_t m_size = 0;
    std::vector<T> m_heap; // empty if m_owner owns the rows
    std::shared_ptr<const void> m_owner;
};

} // namespace lockstep
