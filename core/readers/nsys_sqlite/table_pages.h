// SPDX-License-Identifier: Apache-2.0
// TablePages: the leaf pages of a table's b-tree in its database file, in row order. Created once per table
// from the file itself, which has the published SQLite format. Decoding rows directly halves the load time
// compared with prepared statements (sqlite_load_bench). Immutable; shared by the workers that read parts of
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/readers/nsys_sqlite/schema_probe.h"

namespace lockstep {

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

} // namespace lockstep
