// SPDX-License-Identifier: Apache-2.0
// ColumnPlace: where the columns of one report, and the data derived from them, are stored: on the heap, or
// in files on disk if the report is too large for memory. Small value type; copies refer to the same place.
// The code that opens a report creates it; the place is passed on in Progress and stored with the report. Any
// thread.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "core/base/column.h"
#include "core/base/spill_file.h"

namespace lockstep {

class SpillFolder;

class ColumnPlace {
  public:
    ColumnPlace() = default; // the heap
    // Uses the heap; pages of mapped files count toward `limit`, which may be null.
    explicit ColumnPlace(std::shared_ptr<ResidentLimit> limit) : m_limit(std::move(limit)) {}
    // Uses files: `persistent` for the columns of the report, `temporary` for rows while the report is read
    // and for derived data; neither is null. `folder` is the cache folder of these files if the report is
    // cached for a later opening, and null otherwise.
    ColumnPlace(std::shared_ptr<SpillFile> persistent, std::shared_ptr<SpillFile> temporary,
                std::shared_ptr<SpillFolder> folder = {})
        : m_limit(persistent->limit()), m_persistent(std::move(persistent)),
          m_temporary(std::move(temporary)), m_folder(std::move(folder))
    {
    }

    const std::shared_ptr<SpillFolder>& folder() const { return m_folder; }
    bool isHeap() const { return m_persistent == nullptr; }
    const std::shared_ptr<ResidentLimit>& limit() const { return m_limit; }       // null if there is no limit
    const std::shared_ptr<SpillFile>& persistent() const { return m_persistent; } // null for the heap
    const std::shared_ptr<SpillFile>& temporary() const { return m_temporary; }   // null for the heap

    // Returns `rows` zero rows. If the disk is full, the column is empty, so check status() before the first
    // access.
    template<class T>
    Column<T> column(size_t rows) const
    {
        return m_persistent ? columnOf<T>(m_persistent, rows) : onHeap<T>(rows);
    }
    // Returns zero rows for data derived from a complete report. Cannot fail: uses the heap if the disk is
    // full.
    template<class T>
    Column<T> derivedColumn(size_t rows) const
    {
        if (!m_temporary) return onHeap<T>(rows);
        Column<T> out = temporaryColumn<T>(rows);
        return out.size() == rows ? std::move(out) : onHeap<T>(rows);
    }
    // Returns uninitialized rows whose memory is released with the column. The column is empty if the disk is
    // full.
    template<class T>
    Column<T> temporaryColumn(size_t rows) const
    {
        if (!m_temporary) {
            const std::shared_ptr<void> owner(std::malloc(rows * sizeof(T)), std::free);
            if (rows > 0 && !owner) throw std::bad_alloc();
            adviseHugePages(owner.get(), rows * sizeof(T));
            return Column<T>({static_cast<const T*>(owner.get()), rows}, owner);
        }
        void* const memory = m_temporary->take(rows * sizeof(T));
        if (memory == nullptr) return {};
        const std::shared_ptr<const void> owner(memory,
                                                [file = m_temporary](void* given) { file->release(given); });
        return Column<T>({static_cast<const T*>(memory), rows}, owner);
    }
    bool hasFailed() const { return m_persistent && (m_persistent->hasFailed() || m_temporary->hasFailed()); }
    // Returns io if the disk was full at any time.
    Status status() const
    {
        if (!hasFailed()) return {};
        LOCKSTEP_TRY(m_persistent->status());
        return m_temporary->status();
    }

  private:
    template<class T>
    static Column<T> onHeap(size_t rows)
    {
        Column<T> out;
        out.resize(rows);
        return out;
    }
    template<class T>
    static Column<T> columnOf(const std::shared_ptr<SpillFile>& file, size_t rows)
    {
        const void* const memory = file->take(rows * sizeof(T));
        if (memory == nullptr) return {};
        return Column<T>({static_cast<const T*>(memory), rows}, file);
    }

    std::shared_ptr<ResidentLimit> m_limit;
    std::shared_ptr<SpillFile> m_persistent;
    std::shared_ptr<SpillFile> m_temporary;
    std::shared_ptr<SpillFolder> m_folder;
};

} // namespace lockstep
