// SPDX-License-Identifier: Apache-2.0
// ColumnPlace: where the columns of one report are put while it is read, and what is derived from them
// afterwards: the heap, or files on disk where the report is too large for memory. A small value; copies are
// the same place. Made by whoever opens a report; handed down in its Progress and kept by the report. Any
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
    // The heap, and mapped files whose pages count for a limit. It may be null.
    explicit ColumnPlace(std::shared_ptr<ResidentLimit> limit) : m_limit(std::move(limit)) {}
    // kept: for columns that stay; passing: for what goes once the report is complete. Neither is null.
    // folder: theirs, where the report is kept for another opening; null where it is not.
    ColumnPlace(std::shared_ptr<SpillFile> kept, std::shared_ptr<SpillFile> passing,
                std::shared_ptr<SpillFolder> folder = {})
        : m_limit(kept->limit()), m_kept(std::move(kept)), m_passing(std::move(passing)),
          m_folder(std::move(folder))
    {
    }

    const std::shared_ptr<SpillFolder>& folder() const { return m_folder; }
    bool isHeap() const { return m_kept == nullptr; }
    const std::shared_ptr<ResidentLimit>& limit() const { return m_limit; } // null: none
    const std::shared_ptr<SpillFile>& kept() const { return m_kept; }       // null: the heap
    const std::shared_ptr<SpillFile>& passing() const { return m_passing; } // null: the heap

    // So many rows of zeros. Where the disk is full they are none: ask status() before the first is touched.
    template<class T>
    Column<T> column(size_t rows) const
    {
        return m_kept ? columnOf<T>(m_kept, rows) : onHeap<T>(rows);
    }
    // Zeros for what is derived from a report once it is complete, and cannot fail: on the heap where the
    // disk is full.
    template<class T>
    Column<T> derivedColumn(size_t rows) const
    {
        if (!m_passing) return onHeap<T>(rows);
        Column<T> out = passingColumn<T>(rows);
        return out.size() == rows ? std::move(out) : onHeap<T>(rows);
    }
    // Rows of any content, whose memory is given back when the column goes. None where the disk is full.
    template<class T>
    Column<T> passingColumn(size_t rows) const
    {
        if (!m_passing) {
            const std::shared_ptr<void> owner(std::malloc(rows * sizeof(T)), std::free);
            if (rows > 0 && !owner) throw std::bad_alloc();
            adviseHugePages(owner.get(), rows * sizeof(T));
            return Column<T>({static_cast<const T*>(owner.get()), rows}, owner);
        }
        void* const memory = m_passing->take(rows * sizeof(T));
        if (memory == nullptr) return {};
        const std::shared_ptr<const void> owner(memory,
                                                [file = m_passing](void* given) { file->give(given); });
        return Column<T>({static_cast<const T*>(memory), rows}, owner);
    }
    bool hasFailed() const { return m_kept && (m_kept->hasFailed() || m_passing->hasFailed()); }
    // io once a disk was full.
    Status status() const
    {
        if (!hasFailed()) return {};
        LOCKSTEP_TRY(m_kept->status());
        return m_passing->status();
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
    std::shared_ptr<SpillFile> m_kept;
    std::shared_ptr<SpillFile> m_passing;
    std::shared_ptr<SpillFolder> m_folder;
};

} // namespace lockstep
