// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/table_pages.h"

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/sqlite_database.h"

namespace lockstep {

namespace {

constexpr char kInteriorTable = 5; // a b-tree page type
constexpr size_t kFileHeader = 100;

} // namespace

std::shared_ptr<const PageFile> PageFile::open(const std::filesystem::path& path)
{
    if (hasJournalFile(path)) return nullptr;
    const std::shared_ptr<PageFile> file(new PageFile);
    file->m_fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::array<char, kFileHeader> header = {};
    struct stat status = {};
    if (file->m_fd < 0 || ::fstat(file->m_fd, &status) != 0 ||
        ::pread(file->m_fd, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) {
        return nullptr;
    }
    constexpr uint32_t kUtf8 = 1;
    const uint32_t size = bigEndian16(&header[16]);
    file->m_pageSize = size == 1 ? 65536 : size;
    const bool isPowerOfTwo = (file->m_pageSize & (file->m_pageSize - 1)) == 0;
    file->m_usableSize =
        file->m_pageSize - std::min<size_t>(static_cast<unsigned char>(header[20]), file->m_pageSize);
    if (file->m_pageSize < 512 || !isPowerOfTwo || file->m_usableSize < 480 ||
        bigEndian32(&header[56]) != kUtf8) {
        return nullptr;
    }
    file->m_pageCount = static_cast<uint32_t>(
        std::min<uint64_t>(static_cast<uint64_t>(status.st_size) / file->m_pageSize, 0xFFFFFFFE));
    return file;
}

PageFile::~PageFile()
{
    if (m_fd >= 0) ::close(m_fd);
}

size_t PageFile::read(uint32_t first, size_t count, char* into) const
{
    if (first == 0 || first > m_pageCount) return 0;
    size_t have = 0;
    const size_t wanted = count * m_pageSize;
    while (have < wanted) {
        const auto at = static_cast<off_t>((first - uint64_t(1)) * m_pageSize + have);
        const ssize_t got = ::pread(m_fd, into + have, wanted - have, at);
        if (got <= 0) break;
        have += static_cast<size_t>(got);
    }
    return have / m_pageSize;
}

std::optional<TablePages> TablePages::of(std::shared_ptr<const PageFile> file, const SqliteDatabase& database,
                                         std::string_view table, std::span<const std::string_view> columns)
{
    if (file == nullptr) return std::nullopt;
    TablePages out;
    out.m_file = std::move(file);
    out.m_positions.assign(columns.size(), -1);
    // Hidden columns shift the positions of other columns. A column that is the row ID, or that has a
    // default, may not be stored.
    auto stored =
        database.query("SELECT name, pk, dflt_value IS NOT NULL, hidden, cid FROM pragma_table_xinfo(" +
                       quotedName(table) + ")");
    if (!stored) return std::nullopt;
    while (stored->step().value_or(false)) {
        if (stored->integer(3) != 0) return std::nullopt;
        const auto column = std::ranges::find(columns, stored->text(0));
        if (column == columns.end()) continue;
        if (stored->integer(1) != 0 || stored->integer(2) != 0) return std::nullopt;
        out.m_positions[static_cast<size_t>(column - columns.begin())] = static_cast<int>(stored->integer(4));
    }
    auto root = database.query("SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = '" +
                               std::string(table) + "'");
    if (!root || !root->step().value_or(false)) return std::nullopt;
    const int64_t page = root->integer(0);
    if (page <= 1 || page > int64_t(0xFFFFFFFE)) return std::nullopt;
    std::vector<char> bytes(out.m_file->pageSize());
    const bool isThere = out.m_file->read(static_cast<uint32_t>(page), 1, bytes.data()) == 1;
    if (isThere && bytes[0] != kInteriorTable && bytes[0] != kLeafTable) return std::nullopt;
    out.collect(static_cast<uint32_t>(page));
    return out;
}

// Collects pages level by level, each from left to right. All leaves are on the same level, so the first page
// of a level shows whether it is the level of the leaves. A page is used only once, regardless of how often
// it is referenced.
void TablePages::collect(uint32_t root)
{
    std::vector<char> page(m_file->pageSize());
    std::vector<bool> seen(m_file->pageCount() + size_t(1));
    std::vector<uint32_t> level{root};
    while (!level.empty()) {
        const auto isTree = [&](uint32_t number) {
            return m_file->read(number, 1, page.data()) == 1 &&
                   (page[0] == kLeafTable || page[0] == kInteriorTable);
        };
        const auto first = std::ranges::find_if(level, isTree);
        if (first == level.end() || page[0] == kLeafTable) {
            m_leaves = std::move(level);
            m_estimatedRows = first == m_leaves.end() ? 0 : bigEndian16(&page[3]) * m_leaves.size();
            return;
        }
        std::vector<uint32_t> next;
        for (const uint32_t number : level)
            addChildren(number, page, seen, next);
        level = std::move(next);
    }
}

void TablePages::addChildren(uint32_t number, std::vector<char>& page, std::vector<bool>& seen,
                             std::vector<uint32_t>& children)
{
    const auto add = [&](uint32_t child) {
        if (child == 0 || child > m_file->pageCount() || seen[child]) {
            ++m_badPages;
        } else {
            seen[child] = true;
            children.push_back(child);
        }
    };
    const size_t usable = m_file->usableSize();
    const bool isThere = m_file->read(number, 1, page.data()) == 1 && page[0] == kInteriorTable;
    const size_t cells = isThere ? bigEndian16(&page[3]) : 0;
    if (!isThere || 12 + 2 * cells > usable) {
        ++m_badPages;
        return;
    }
    for (size_t cell = 0; cell < cells; ++cell) {
        const size_t at = bigEndian16(&page[12 + 2 * cell]);
        add(at + 4 <= usable ? bigEndian32(&page[at]) : 0);
    }
    add(bigEndian32(&page[8])); // the rightmost child
}

} // namespace lockstep
