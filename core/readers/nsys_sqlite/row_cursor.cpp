// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/row_cursor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

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

namespace {

constexpr size_t kPagesAtOnce = 16;

// Returns the size of a value of a serial type.
size_t sizeOfType(uint64_t type)
{
    static constexpr std::array<uint8_t, 12> kSizes{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < kSizes.size() ? kSizes[type] : static_cast<size_t>((type - 12) / 2);
}

// Reads a variable-length number of one to nine bytes: seven bits per byte, but eight bits in the ninth.
// Returns false if the number extends beyond `end`.
bool takeVarint(const char*& at, const char* end, uint64_t& value)
{
    value = 0;
    for (int i = 0; i < 9 && at < end; ++i) {
        const auto byte = static_cast<unsigned char>(*at++);
        if (i == 8) {
            value = value << 8 | byte;
            return true;
        }
        value = value << 7 | (byte & 0x7F);
        if (byte < 0x80) return true;
    }
    return false;
}

std::string_view bytesOf(uint64_t type, const char* bytes)
{
    return type >= 12 ? std::string_view(bytes, sizeOfType(type)) : std::string_view();
}

// Returns the text without the white space and plus sign that may come before a number.
std::string_view numberPart(std::string_view text)
{
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\n\v\f\r")));
    if (text.starts_with('+')) text.remove_prefix(1);
    return text;
}

// Returns the decimal number at the start of a text, otherwise 0. In SQLite, words such as "inf" are not
// numbers.
double numberAtFront(std::string_view text)
{
    text = numberPart(text);
    const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
    const bool isNumber = !digits.empty() && (digits[0] == '.' || (digits[0] >= '0' && digits[0] <= '9'));
    double number = 0;
    if (isNumber) std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

} // namespace

RowCursor::RowCursor(const TablePages& pages, size_t first, size_t last)
    : m_pages(&pages), m_nextLeaf(first), m_lastLeaf(last), m_buffer(kPagesAtOnce * pages.file().pageSize()),
      m_values(pages.positions().size())
{
    for (size_t column = 0; column < pages.positions().size(); ++column) {
        const int position = pages.positions()[column];
        if (position < 0) continue;
        if (static_cast<size_t>(position) >= m_wanted.size())
            m_wanted.resize(static_cast<size_t>(position) + 1, -1);
        m_wanted[static_cast<size_t>(position)] = static_cast<int>(column);
    }
}

bool RowCursor::nextStored()
{
    for (;;) {
        while (m_cell < m_cellCount) {
            if (decodeRow()) return true;
            ++m_badPages;
            m_cellCount = 0; // data after a corrupt cell cannot be trusted
        }
        if (m_nextLeaf >= m_lastLeaf) return false;
        if (!loadLeaf()) ++m_badPages;
    }
}

bool RowCursor::loadLeaf()
{
    const std::span<const uint32_t> leaves = m_pages->leaves();
    const uint32_t number = leaves[m_nextLeaf];
    if (number < m_bufferFirst || number >= m_bufferFirst + m_bufferCount) {
        size_t run = 1;
        while (run < kPagesAtOnce && m_nextLeaf + run < m_lastLeaf &&
               leaves[m_nextLeaf + run] == number + run)
            ++run;
        m_bufferFirst = number;
        m_bufferCount = m_pages->file().read(number, run, m_buffer.data());
    }
    ++m_nextLeaf;
    m_cell = m_cellCount = 0;
    if (m_bufferCount == 0) return false;
    m_page = m_buffer.data() + (number - m_bufferFirst) * m_pages->file().pageSize();
    const size_t cells = bigEndian16(m_page + 3);
    if (*m_page != kLeafTable || 8 + 2 * cells > m_pages->file().usableSize()) return false;
    m_cellCount = cells;
    return true;
}

bool RowCursor::decodeRow()
{
    const size_t usable = m_pages->file().usableSize();
    const size_t offset = bigEndian16(m_page + 8 + 2 * m_cell++);
    const char* at = m_page + offset;
    const char* const end = m_page + usable;
    uint64_t size = 0, rowId = 0;
    if (offset < 8 || offset >= usable || !takeVarint(at, end, size) || !takeVarint(at, end, rowId))
        return false;
    m_rowId = static_cast<int64_t>(rowId);
    const size_t most = usable - 35; // number of bytes of a row that are stored in the leaf itself
    if (size <= most) {
        return size <= static_cast<size_t>(end - at) && splitRecord(at, static_cast<size_t>(size));
    }
    if (size > m_pages->file().pageCount() * uint64_t(usable)) return false;
    const size_t least = (usable - 12) * 32 / 255 - 23;
    const size_t desired = least + (static_cast<size_t>(size) - least) % (usable - 4);
    const size_t local = desired <= most ? desired : least;
    if (local + 4 > static_cast<size_t>(end - at)) return false;
    const char* const whole = wholePayload(at, local, static_cast<size_t>(size));
    return whole != nullptr && splitRecord(whole, static_cast<size_t>(size));
}

// The part of a row that does not fit into its leaf is in a chain of pages, and each page starts with the
// number of the next page.
const char* RowCursor::wholePayload(const char* local, size_t localSize, size_t size)
{
    const size_t usable = m_pages->file().usableSize();
    std::vector<char> page(m_pages->file().pageSize());
    m_payload.assign(local, local + localSize);
    uint32_t next = bigEndian32(local + localSize);
    while (m_payload.size() < size) {
        if (m_pages->file().read(next, 1, page.data()) != 1) return nullptr;
        next = bigEndian32(page.data());
        const size_t take = std::min(size - m_payload.size(), usable - 4);
        m_payload.insert(m_payload.end(), page.begin() + 4, page.begin() + 4 + static_cast<ptrdiff_t>(take));
    }
    return m_payload.data();
}

// Splits a record. It consists of the size of its header, a serial type for each column, and the values.
bool RowCursor::splitRecord(const char* record, size_t size)
{
    const char* const end = record + size;
    const char* header = record;
    uint64_t headerSize = 0;
    if (!takeVarint(header, end, headerSize) || headerSize > size) return false;
    const char* const headerEnd = record + headerSize;
    const char* value = headerEnd;
    size_t position = 0;
    for (; position < m_wanted.size() && header < headerEnd; ++position) {
        uint64_t type = static_cast<unsigned char>(*header);
        if (type < 0x80) {
            ++header;
        } else if (!takeVarint(header, headerEnd, type)) {
            return false;
        }
        const size_t length = sizeOfType(type);
        if (length > static_cast<size_t>(end - value)) return false;
        if (const int column = m_wanted[position]; column >= 0)
            m_values[static_cast<size_t>(column)] = {type, value};
        value += length;
    }
    for (; position < m_wanted.size(); ++position) { // the row is short; missing columns are NULL
        if (const int column = m_wanted[position]; column >= 0) m_values[static_cast<size_t>(column)] = {};
    }
    return true;
}

double RowCursor::doubleOf(Value value)
{
    return std::bit_cast<double>(static_cast<uint64_t>(bigEndian32(value.bytes)) << 32 |
                                 bigEndian32(value.bytes + 4));
}

int64_t RowCursor::convertedInteger(Value value)
{
    if (value.type == 7) {
        const double number = doubleOf(value);
        if (std::isnan(number)) return 0;
        if (number <= -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
        if (number >= 9223372036854775808.0) return std::numeric_limits<int64_t>::max();
        return static_cast<int64_t>(number);
    }
    const std::string_view text = numberPart(bytesOf(value.type, value.bytes));
    int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc::result_out_of_range) return error == std::errc() ? number : 0;
    return text.starts_with('-') ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

std::optional<int64_t> RowCursor::coercedInteger(Value value)
{
    const int64_t number = convertedInteger(value);
    return number != 0 ? std::optional<int64_t>(number) : std::nullopt;
}

double RowCursor::real(int column) const
{
    if (m_query) return m_query->real(column + 1);
    const Value stored = value(column);
    if (stored.type == 7) return std::isnan(doubleOf(stored)) ? 0.0 : doubleOf(stored);
    if (stored.type < 12) return static_cast<double>(storedInteger(stored));
    return numberAtFront(bytesOf(stored.type, stored.bytes));
}

std::string_view RowCursor::text(int column) const
{
    if (m_query) return m_query->text(column + 1);
    const Value stored = value(column);
    if (stored.type == 0 || stored.type >= 12) return bytesOf(stored.type, stored.bytes);
    if (stored.type == 7) {
        std::array<char, 40> digits = {};
        std::snprintf(digits.data(), digits.size(), "%.15g", doubleOf(stored));
        m_text = digits.data();
    } else {
        m_text = std::to_string(storedInteger(stored));
    }
    return m_text;
}

int RowCursor::type(int column) const
{
    if (m_query) return m_query->type(column + 1);
    const Value stored = value(column);
    if (stored.type == 0 || stored.type == 10 || stored.type == 11) return SQLITE_NULL;
    if (stored.type == 7) return std::isnan(doubleOf(stored)) ? SQLITE_NULL : SQLITE_FLOAT;
    if (stored.type < 12) return SQLITE_INTEGER;
    return stored.type % 2 == 0 ? SQLITE_BLOB : SQLITE_TEXT;
}

} // namespace lockstep
