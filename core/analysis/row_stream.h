// SPDX-License-Identifier: Apache-2.0
// RowStream: the rows of a table a page at a time, for tables that may be larger than memory. Made by an
// analysis, read by writers; each page is a Table with the same columns. HeldRows gives the rows of a table
// that is there. One thread at a time.
#pragma once

#include <memory>

#include "core/analysis/table.h"
#include "core/base/progress.h"

namespace lockstep {

class RowStream {
  public:
    virtual ~RowStream() = default;

    // Columns, name, title and source; rows, if it has any, mean nothing.
    virtual const Table& head() const = 0;
    // The next rows, at least one, valid until the next call; nullptr after the last. canceled; corrupt,
    // notFound: a file that rows come from is not the one that was read.
    virtual Result<const Table*> next(const Progress& progress) = 0;
    // Back to before the first row: the same rows come again.
    virtual void restart() = 0;
};

class HeldRows : public RowStream {
  public:
    explicit HeldRows(Table&& table) : m_own(std::move(table)), m_table(m_own) {}
    // table must outlive it.
    explicit HeldRows(const Table* table) : m_table(*table) {}
    HeldRows(const HeldRows&) = delete;

    const Table& head() const override { return m_table; }
    Result<const Table*> next(const Progress&) override
    {
        const bool isThere = !m_isGiven && m_table.rowCount() > 0;
        m_isGiven = true;
        return isThere ? &m_table : nullptr;
    }
    void restart() override { m_isGiven = false; }

  private:
    Table m_own;
    const Table& m_table;
    bool m_isGiven = false;
};

// The first `most` rows as a table; where there are more, a rule of its source says so. 8 bytes a cell.
Result<Table> heldTable(RowStream& rows, size_t most, const Progress& progress);

} // namespace lockstep
