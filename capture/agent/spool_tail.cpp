// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/spool_tail.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/readers/capture_spool/spool_blocks.h"

namespace lockstep::agent {

namespace {

constexpr uint64_t kMaxStored_bytes = LOCKSTEP_SPOOL_BLOCK_LIMIT + (1u << 20);
constexpr uint32_t kMaxHeader_bytes = 4096; // may be longer in a later minor version
constexpr uint64_t kSearch_bytes = 1 << 20; // number of bytes searched after corrupt data, per call

// Returns the available bytes, at most `size`.
std::string bytesAt(int fd, uint64_t offset, size_t size)
{
    std::string bytes(size, '\0');
    size_t done = 0;
    while (done < size) {
        const ssize_t got = ::pread(fd, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += static_cast<size_t>(got);
    }
    bytes.resize(done);
    return bytes;
}

bool canBeBlock(const LockstepSpoolBlock& head)
{
    return head.magic == LOCKSTEP_SPOOL_BLOCK_MAGIC && head.stored_bytes <= kMaxStored_bytes &&
           head.raw_bytes <= LOCKSTEP_SPOOL_BLOCK_LIMIT;
}

} // namespace

SpoolTail::SpoolTail(std::filesystem::path path) : m_path(std::move(path)) {}

SpoolTail::SpoolTail(SpoolTail&& other) noexcept
    : damaged_bytes(other.damaged_bytes), m_path(std::move(other.m_path)),
      m_fd(std::exchange(other.m_fd, -1)), m_state(other.m_state), m_header(std::move(other.m_header)),
      m_offset(other.m_offset), m_searched(other.m_searched), m_newest_ns(other.m_newest_ns),
      m_isPastIndex(other.m_isPastIndex), m_pending(std::move(other.m_pending)),
      m_mismatchOffset(other.m_mismatchOffset), m_mismatchSince(other.m_mismatchSince)
{
}

SpoolTail::~SpoolTail()
{
    if (m_fd >= 0) ::close(m_fd);
}

std::string SpoolTail::id() const
{
    std::string text;
    if (m_header.size() < sizeof(LockstepSpoolHeader)) return text;
    for (const char byte : m_header.substr(offsetof(LockstepSpoolHeader, checksum), sizeof(uint64_t))) {
        text += "0123456789abcdef"[static_cast<uint8_t>(byte) >> 4];
        text += "0123456789abcdef"[static_cast<uint8_t>(byte) & 15];
    }
    return text;
}

void SpoolTail::poll()
{
    if (m_state > State::growing) return;
    if (m_fd < 0) m_fd = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat open = {}, named = {};
    if (m_fd < 0 || ::fstat(m_fd, &open) != 0 || !S_ISREG(open.st_mode)) {
        m_state = State::vanished;
        return;
    }
    const auto size = static_cast<uint64_t>(open.st_size);
    if (size < std::max<uint64_t>(m_offset, m_header.size())) {
        m_state = State::truncated;
        return;
    }
    if (m_state == State::begun && !readHeader(size)) return;
    while (takeBlock(size)) {
    }
    checkEnd(size);
    if (m_state == State::ended) return;
    // The rest of its content was read above, whatever happened to its name.
    if (::stat(m_path.c_str(), &named) != 0) {
        m_state = State::vanished;
    } else if (named.st_dev != open.st_dev || named.st_ino != open.st_ino) {
        m_state = State::replaced;
    }
}

bool SpoolTail::readHeader(uint64_t size)
{
    if (size < sizeof(LockstepSpoolHeader)) return false;
    std::string bytes = bytesAt(m_fd, 0, sizeof(LockstepSpoolHeader));
    const auto header = spoolHeader(bytes);
    if (!header || header->header_bytes > kMaxHeader_bytes) {
        m_state = State::unknown;
        return false;
    }
    if (size < header->header_bytes) return false;
    m_header = bytesAt(m_fd, 0, header->header_bytes);
    if (m_header.size() < header->header_bytes) return false;
    m_offset = m_header.size();
    m_state = State::growing;
    return true;
}

// Advances by one block. Returns false if there is no complete block.
bool SpoolTail::takeBlock(uint64_t size)
{
    if (m_searched > 0 && !findNextBlock(size)) return false;
    TailBlock block{m_offset, {}};
    const std::string bytes = bytesAt(m_fd, m_offset, sizeof block.head);
    if (bytes.size() < sizeof block.head) return false;
    std::memcpy(&block.head, bytes.data(), sizeof block.head);
    if (!canBeBlock(block.head)) {
        if (!m_isPastIndex) m_searched = m_offset + 1;
        return !m_isPastIndex && findNextBlock(size);
    }
    if (m_offset + block.size_bytes() > size) return false;
    m_offset += block.size_bytes();
    m_isPastIndex = block.head.type == LOCKSTEP_BLOCK_INDEX;
    // The offsets in an index refer to this file only, and readers do not need them.
    if (m_isPastIndex) return true;
    if (block.head.last_ns != 0) m_newest_ns = std::max(m_newest_ns, block.head.last_ns);
    m_pending.push_back(block);
    return true;
}

// Finds the next block with a valid checksum; the bytes before it are corrupt. Each call searches only a part
// of the file.
bool SpoolTail::findNextBlock(uint64_t size)
{
    const uint64_t limit = std::min(size, m_searched + kSearch_bytes);
    while (m_searched < limit) {
        const std::string bytes = bytesAt(m_fd, m_searched, kSearch_bytes + 3);
        const size_t at = std::string_view(bytes).find("LBLK");
        if (at == std::string_view::npos) {
            m_searched += bytes.size() > 3 ? bytes.size() - 3 : 0;
            return false;
        }
        m_searched += at;
        LockstepSpoolBlock head = {};
        const std::string headBytes = bytesAt(m_fd, m_searched, sizeof head);
        if (headBytes.size() < sizeof head) return false;
        std::memcpy(&head, headBytes.data(), sizeof head);
        const bool canBe = canBeBlock(head);
        // The block may still become complete.
        if (canBe && m_searched + sizeof head + head.stored_bytes > size) return false;
        if (canBe && intactBlockAt(bytesAt(m_fd, m_searched, sizeof head + head.stored_bytes), 0)) {
            damaged_bytes += m_searched - m_offset;
            m_offset = std::exchange(m_searched, 0);
            return true;
        }
        ++m_searched;
    }
    return false;
}

void SpoolTail::checkEnd(uint64_t size)
{
    LockstepSpoolEnd end = {};
    if (!m_isPastIndex || size < m_offset + sizeof end) return;
    const std::string bytes = bytesAt(m_fd, m_offset, sizeof end);
    if (std::string_view(bytes).ends_with(std::string_view(LOCKSTEP_SPOOL_END_MAGIC, 8)))
        m_state = State::ended;
}

SpoolTail::Reading SpoolTail::read(const TailBlock& block, std::string& bytes)
{
    bytes = bytesAt(m_fd, block.offset, block.size_bytes());
    // Compares the header with the one that was found, because the file may have been replaced.
    const bool isSame =
        bytes.size() >= sizeof block.head && std::memcmp(bytes.data(), &block.head, sizeof block.head) == 0;
    if (isSame && intactBlockAt(bytes, 0)) {
        m_mismatchOffset = 0;
        return Reading::whole;
    }
    const auto now = std::chrono::steady_clock::now();
    if (m_mismatchOffset != block.offset) {
        m_mismatchOffset = block.offset;
        m_mismatchSince = now;
    }
    return now - m_mismatchSince < kMismatchTimeout && m_state == State::growing ? Reading::notYet
                                                                                 : Reading::damaged;
}

} // namespace lockstep::agent
