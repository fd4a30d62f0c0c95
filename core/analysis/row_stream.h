// SPDX-License-Identifier: Apache-2.0
// RowStream: provides the rows of a table one page at a time, for tables that may be larger than memory.
// Created by an analysis and read by writers; each page is a Table with the same columns. TableRowStream
// streams an existing table. Thread: one at a time.
#pragma once

#include <memory>

#include "core/analysis/table.h"
#include "core/base/progress.h"

namespace lockstep {

class RowStream {
  public:
    virtual ~RowStream() = default;

    // Returns columns, name, title and source. Callers must ignore any rows in this table.
    virtual const Table& head() const = 0;
    // Returns the next rows, at least one, valid until the next call; returns nullptr after the last row.
    // Error: `canceled`.
    virtual Result<const Table*> next(const Progress& progress) = 0;
    // Rewinds to the start, so that the same rows are returned again.
    virtual void restart() = 0;
};

class TableRowStream : public RowStream {
  public:
    explicit TableRowStream(Table&& table) : m_own(std::move(table)), m_table(m_own) {}
    // table must outlive this object.
    explicit TableRowStream(const Table* table) : m_table(*table) {}
    TableRowStream(const TableRowStream&) = delete;

    const Table& head() const override { return m_table; }
    Result<const Table*> next(const Progress&) override
    {
        const bool isThere = !m_isReturned && m_table.rowCount() > 0;
        m_isReturned = true;
        return isThere ? &m_table : nullptr;
    }
    void restart() override { m_isReturned = false; }

  private:
    Table m_own;
    const Table& m_table;
    bool m_isReturned = false;
};

// Returns the first `most` rows as a table; if there are more rows, a rule in the table's source states this.
// Takes 8 bytes per cell.
Result<Table> collectTable(RowStream& rows, size_t most, const Progress& progress);

} // namespace lockstep
