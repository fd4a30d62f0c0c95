// SPDX-License-Identifier: Apache-2.0
// TablePages: where the rows of one table lie in its database file: the leaf pages of its b-tree, in row
// order. Made once per table from the file itself, in the published SQLite format: decoding rows takes half
// the load time that stepping through prepared statements does (sqlite_load_bench). Immutable; shared by the
// workers that read parts of it.
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

inline constexpr char kLeafTable = 13; // the b-tree page type that holds a table's rows

// A database file that does not change: no log beside it, UTF-8 texts. Pages are numbered from 1; any thread.
class PageFile {
  public:
    // Empty for files that have to be read through SQLite.
    static std::shared_ptr<const PageFile> open(const std::filesystem::path& path);
    PageFile(const PageFile&) = delete;
    PageFile& operator=(const PageFile&) = delete;
    ~PageFile();

    // Reads `count` pages from `first` on; returns how many are there in full.
    size_t read(uint32_t first, size_t count, char* into) const;
    size_t pageSize() const { return m_pageSize; }
    size_t usableSize() const { return m_usableSize; } // what a b-tree may use of a page
    uint32_t pageCount() const { return m_pageCount; } // by the file's length

  private:
    PageFile() = default;

    int m_fd = -1;
    size_t m_pageSize = 0;
    size_t m_usableSize = 0;
    uint32_t m_pageCount = 0;
};

class TablePages {
  public:
    // `table` is one of table_readers.cpp. Empty when it has no row ids, or one of `columns` is not stored as
    // a plain column of the row: then SQL has to read it.
    static std::optional<TablePages> of(std::shared_ptr<const PageFile> file, const SqliteDatabase& database,
                                        std::string_view table, std::span<const std::string_view> columns);

    const PageFile& file() const { return *m_file; }
    std::span<const uint32_t> leaves() const { return m_leaves; }
    // Position in the stored row of each of `columns`; -1 for columns the table does not have.
    std::span<const int> positions() const { return m_positions; }
    // Inner pages of the tree, or references to pages, that make no sense.
    uint64_t badPages() const { return m_badPages; }
    // Rows of the first leaf times leaves.
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

// Big-endian numbers of the file format.
inline uint32_t bigEndian16(const char* at)
{
    return static_cast<uint32_t>(static_cast<unsigned char>(at[0])) << 8 | static_cast<unsigned char>(at[1]);
}
inline uint32_t bigEndian32(const char* at)
{
    return bigEndian16(at) << 16 | bigEndian16(at + 2);
}

} // namespace lockstep
