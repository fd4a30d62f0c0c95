// SPDX-License-Identifier: Apache-2.0
// Column: one column of a table, a span of rows and who keeps them: the column itself, on the heap, or
// someone else whom it shares, such as a mapped file. Whoever reads cannot tell the difference. Rows are
// written while their table is made, by one thread or each by one; afterwards any thread reads.
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
    // Rows that `owner` keeps. They may be written only where its memory may.
    Column(std::span<const T> rows, std::shared_ptr<const void> owner)
        : m_rows(const_cast<T*>(rows.data())), m_size(rows.size()), m_owner(std::move(owner))
    {
    }
    // A copy is on the heap, whoever keeps the original.
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

    // What follows puts the rows on the heap first.
    void reserve(size_t rows)
    {
        own();
        m_heap.reserve(rows);
        follow();
    }
    // New rows are zero. The memory of an empty column is asked for in huge pages.
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

    // Of the heap, capacity not size. What another keeps is in the page cache while there is room.
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
    std::vector<T> m_heap; // empty where m_owner keeps the rows
    std::shared_ptr<const void> m_owner;
};

} // namespace lockstep
