// SPDX-License-Identifier: Apache-2.0
// RowCursor iterates over the rows of a part of a table, with typed columns. Decodes leaf pages itself if the
// file allows this, otherwise steps through a statement. Rows and values are the same in both cases. One
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/readers/nsys_sqlite/schema_probe.h"

namespace lockstep {

// TablePages: the leaf pages of a table's b-tree in its database file, in row order. Created once per table
// from the file itself, which has the published SQLite format. Decoding rows directly halves the load time
// compared with prepared statements (sqlite_load_bench). Immutable; shared by the workers that read parts of
// it.
inline constexpr char kLeafTable = 13; // page type of b-tree leaves that contain a table's rows

// A database file that does not change: it has no log next to it, and its strings are UTF-8. Pages are
// one-based. May be used on any thread.
class PageFile {
  public:
    // Returns null for files that must be read through SQLite.
    static std::shared_ptr<const PageFile> open(const std::filesystem::path& path);
    PageFile(const PageFile&) = delete;
    PageFile& operator=(const PageFile&) = delete;
    ~PageFile();

    // Reads `count` pages starting at `first`. Returns the number of pages that were read completely.
    size_t read(uint32_t first, size_t count, char* into) const;
    size_t pageSize() const { return m_pageSize; }
    size_t usableSize() const { return m_usableSize; } // number of bytes of a page that a b-tree may use
    uint32_t pageCount() const { return m_pageCount; } // computed from the length of the file

  private:
    PageFile() = default;

    int m_fd = -1;
    size_t m_pageSize = 0;
    size_t m_usableSize = 0;
    uint32_t m_pageCount = 0;
};

class TablePages {
  public:
    // `table` is one of the tables in table_readers.cpp. Returns nullopt if the table has no row IDs, or if
    // one of `columns` is not stored as a plain column of the row. The caller must then read the table with
    // SQL.
    static std::optional<TablePages> of(std::shared_ptr<const PageFile> file, const SqliteDatabase& database,
                                        std::string_view table, std::span<const std::string_view> columns);

    const PageFile& file() const { return *m_file; }
    std::span<const uint32_t> leaves() const { return m_leaves; }
    // Returns, for each of `columns`, its position in the stored row; -1 for columns that the table does not
    // have.
    std::span<const int> positions() const { return m_positions; }
    // Returns the number of invalid interior pages or page references.
    uint64_t badPages() const { return m_badPages; }
    // Returns the number of rows in the first leaf times the number of leaves.
    uint64_t estimatedRows() const { return m_estimatedRows; }

  private:
    void collect(uint32_t root);
    void addChildren(uint32_t number, std::vector<char>& page, std::vector<bool>& seen,
                     std::vector<uint32_t>& children);

    std::shared_ptr<const PageFile> m_file;
    std::vector<uint32_t> m_leaves;
    std::vector<int> m_positions;
    uint64_t m_badPages = 0;
    uint64_t m_estimatedRows = 0;
};

// Read the big-endian numbers of the file format.
inline uint32_t bigEndian16(const char* at)
{
    return static_cast<uint32_t>(static_cast<unsigned char>(at[0])) << 8 | static_cast<unsigned char>(at[1]);
}
inline uint32_t bigEndian32(const char* at)
{
    return bigEndian16(at) << 16 | bigEndian16(at + 2);
}

class RowCursor {
  public:
    // Iterates over a statement whose column 0 is the row ID.
    explicit RowCursor(SqliteQuery&& query) : m_query(std::move(query)) {}
    // Iterates over the leaf pages [first, last). `pages` must outlive the cursor.
    RowCursor(const TablePages& pages, size_t first, size_t last);

    // Advances to the next row; returns false after the last row. An error ends a statement. A corrupt page
    // is skipped and counted in badPages().
    Result<bool> next() { return m_query ? m_query->step() : nextStored(); }
    uint64_t badPages() const { return m_badPages; }

    // Columns are zero-based and do not include the row ID. Conversions are the same as in SQLite.
    int64_t rowId() const { return m_query ? m_query->integer(0) : m_rowId; }
    int64_t integer(int column) const
    {
        return m_query ? m_query->integer(column + 1) : storedInteger(value(column));
    }
    std::optional<int64_t> optionalInteger(int column) const
    {
        if (m_query) return m_query->optionalInteger(column + 1);
        const Value stored = value(column);
        if (stored.type == 0 || stored.type == 7 || stored.type > 9) return coercedInteger(stored);
        return storedInteger(stored);
    }
    double real(int column) const;
    std::string_view text(int column) const;
    int type(int column) const;

  private:
    // A value of the current row: its serial type (0: NULL, 1-6: integers, 7: double, 8 and 9: the numbers 0
    // and 1, 12 and above: blobs and strings) and the start of its bytes.
    struct Value {
        uint64_t type = 0;
        const char* bytes = nullptr;
    };

    Value value(int column) const { return m_values[static_cast<size_t>(column)]; }
    static int64_t storedInteger(Value value);
    static int64_t convertedInteger(Value value);
    static std::optional<int64_t> coercedInteger(Value value);
    static double doubleOf(Value value);
    bool nextStored();
    bool loadLeaf();
    bool decodeRow();
    bool splitRecord(const char* record, size_t size);
    const char* wholePayload(const char* local, size_t localSize, size_t size);

    std::optional<SqliteQuery> m_query;
    // State for reading pages.
    const TablePages* m_pages = nullptr;
    size_t m_nextLeaf = 0;
    size_t m_lastLeaf = 0;
    std::vector<char> m_buffer; // consecutive pages read at once
    uint32_t m_bufferFirst = 0;
    size_t m_bufferCount = 0;
    const char* m_page = nullptr;
    size_t m_cell = 0;
    size_t m_cellCount = 0;
    std::vector<char> m_payload; // a row that spans several pages
    std::vector<int> m_wanted;   // column by position in the stored row; -1 if unused
    std::vector<Value> m_values; // by column
    int64_t m_rowId = 0;
    uint64_t m_badPages = 0;
    mutable std::string m_text; // string form of a converted number
};

inline int64_t RowCursor::storedInteger(Value value)
{
    const auto byte = [&](size_t i) {
        return static_cast<uint64_t>(static_cast<unsigned char>(value.bytes[i]));
    };
    const auto first = [&] { return static_cast<int64_t>(static_cast<signed char>(value.bytes[0])); };
    switch (value.type) {
    case 0:
        return 0;
    case 1:
        return first();
    case 2:
        return first() * 256 + static_cast<int64_t>(byte(1));
    case 3:
        return first() * 65536 + static_cast<int64_t>(byte(1) << 8 | byte(2));
    case 4:
        return static_cast<int32_t>(bigEndian32(value.bytes));
    case 5:
        return first() * (int64_t(1) << 40) +
               static_cast<int64_t>(byte(1) << 32 | bigEndian32(value.bytes + 2));
    case 6:
        return static_cast<int64_t>(static_cast<uint64_t>(bigEndian32(value.bytes)) << 32 |
                                    bigEndian32(value.bytes + 4));
    case 8:
        return 0;
    case 9:
        return 1;
    default:
        return convertedInteger(value);
    }
}

} // namespace lockstep
