// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/spool_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "capture/inject/timestamp.h"

namespace lockstep::capture {

namespace {

constexpr int kZstdLevel = 1;
constexpr uint32_t kMaxIndexes = 100'000;
constexpr uint64_t kSummaryRoom_bytes =
    4096; // size of a SUMMARY block, plus the headers and the end of the file

} // namespace

int makeFolders(const std::string& folder)
{
    if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return 0;
    const size_t slash = folder.find_last_of('/');
    if (errno != ENOENT || slash == std::string::npos || slash == 0) return errno;
    if (const int error = makeFolders(folder.substr(0, slash)); error != 0) return error;
    return mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

SpoolFile::~SpoolFile()
{
    abandon();
    ZSTD_freeCCtx(m_zstd);
}

int SpoolFile::open(const std::string& folder, const std::string& stem, uint32_t index,
                    const uint8_t session[16])
{
    int file = -1;
    for (; index < kMaxIndexes; ++index) {
        m_path = folder + "/" + stem + "." + std::to_string(index) + ".lsc";
        file = openHigh(m_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
        if (file >= 0 || errno != EEXIST) break;
    }
    if (file < 0) return errno != 0 ? errno : EEXIST;
    m_identity = fileIdentity(file).value_or(FileIdentity());
    m_file.store(file);
    m_index = index;
    m_size = m_sequence = m_reserved = m_started = 0;
    m_reservesEnd = false;
    m_canReserve = true;
    rlimit limit = {};
    m_limit = getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
    m_index_entries.clear();
    LockstepSpoolHeader header = {};
    std::memcpy(header.magic, LOCKSTEP_SPOOL_MAGIC, sizeof header.magic);
    header.major = LOCKSTEP_SPOOL_MAJOR;
    header.minor = LOCKSTEP_SPOOL_MINOR;
    header.header_bytes = sizeof header;
    std::memcpy(header.session, session, sizeof header.session);
    const ClockReading now = readClocks();
    header.realtime_ns = now.realtime_ns;
    header.monotonicRaw_ns = now.raw_ns;
    header.checksum = XXH3_64bits(&header, offsetof(LockstepSpoolHeader, checksum));
    int error = reserve(sizeof header);
    if (error == 0) error = put(&header, sizeof header, nullptr, 0);
    if (error != 0) {
        abandon();
        unlink(m_path.c_str());
    }
    return error;
}

bool SpoolFile::ownsFile() const noexcept
{
    const auto now = fileIdentity(m_file);
    const bool isRemoved = now && now->links == 0 && m_identity.links > 0;
    return now && now->isSameFile(m_identity) && !isRemoved;
}

// Reopens the file if the descriptor is closed or refers to another file. Returns 0, errno or kFileLost.
int SpoolFile::reopenIfLost() noexcept
{
    if (ownsFile()) return 0;
    if (const int removed = m_file.exchange(-1); removed >= 0) closeOwn(removed, m_identity);
    const int file = openHigh(m_path.c_str(), O_WRONLY | O_NOFOLLOW);
    const auto found = fileIdentity(file);
    if (!found) return kFileLost;
    if (!found->isSameFile(m_identity) || found->size_bytes < m_size) {
        close(file);
        return kFileLost;
    }
    m_file.store(file);
    return 0;
}

// Reserves space for the next bytes and for the end of the file. Returns 0, or errno if the disk or a limit
// has too little space. As a result, blocks are rejected while there is still space for SUMMARY and INDEX.
int SpoolFile::reserve(uint64_t next_bytes)
{
    const uint64_t index_bytes = (m_index_entries.size() + 3) * sizeof(LockstepSpoolIndexEntry);
    const uint64_t required = m_size + next_bytes + kSummaryRoom_bytes + index_bytes;
    if (required > m_limit) return EFBIG;
    if (!m_reservesEnd || !m_canReserve || required <= m_reserved) return 0;
    if (const int error = reopenIfLost(); error != 0) return error;
    while (fallocate(m_file, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(m_size),
                     static_cast<off_t>(required - m_size)) != 0) {
        if (errno == EINTR) continue;
        if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) return errno;
        m_canReserve = false; // not supported by this file system, so its files may end without a summary
        return 0;
    }
    m_reserved = required;
    return 0;
}

int SpoolFile::put(const void* head, size_t headSize, const void* body, size_t bodySize)
{
    const uint64_t before = m_size;
    const uint64_t total = headSize + bodySize;
    uint64_t done = 0;
    while (done < total) {
        if (const int error = reopenIfLost(); error != 0) return error;
        iovec parts[2] = {{const_cast<void*>(head), headSize}, {const_cast<void*>(body), bodySize}};
        if (done < headSize) {
            parts[0].iov_base = static_cast<char*>(const_cast<void*>(head)) + done;
            parts[0].iov_len = headSize - done;
        } else {
            parts[0].iov_len = 0;
            parts[1].iov_base = static_cast<char*>(const_cast<void*>(body)) + (done - headSize);
            parts[1].iov_len = total - done;
        }
        const ssize_t put = pwritev(m_file, parts, 2, static_cast<off_t>(before + done));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            const int error = put < 0 ? errno : ENOSPC;
            if (ownsFile()) {
                [[maybe_unused]] const int cut = ftruncate(m_file, static_cast<off_t>(before));
            }
            m_reserved = before;
            return error;
        }
        done += static_cast<uint64_t>(put);
    }
    m_size = before + total;
    return 0;
}

int SpoolFile::append(LockstepSpoolBlockType type, const std::string& payload, const BlockTimes& times)
{
    if (m_zstd == nullptr) m_zstd = ZSTD_createCCtx();
    LockstepSpoolBlock block = {};
    block.magic = LOCKSTEP_SPOOL_BLOCK_MAGIC;
    block.type = static_cast<uint16_t>(type);
    block.sequence = m_sequence;
    block.raw_bytes = static_cast<uint32_t>(payload.size());
    block.first_ns = times.first_ns;
    block.last_ns = times.last_ns;
    block.records = times.records;
    block.step = times.step;
    m_packed.resize(ZSTD_compressBound(payload.size()));
    const size_t packed = m_zstd != nullptr ? ZSTD_compressCCtx(m_zstd, m_packed.data(), m_packed.size(),
                                                                payload.data(), payload.size(), kZstdLevel)
                                            : payload.size();
    const bool isPacked = m_zstd != nullptr && ZSTD_isError(packed) == 0 && packed < payload.size();
    if (isPacked) block.flags |= LOCKSTEP_BLOCK_IS_ZSTD;
    const void* const body = isPacked ? m_packed.data() : payload.data();
    block.stored_bytes = static_cast<uint32_t>(isPacked ? packed : payload.size());
    const uint64_t ofHead = XXH3_64bits(&block, offsetof(LockstepSpoolBlock, checksum));
    block.checksum = XXH3_64bits_withSeed(body, block.stored_bytes, ofHead);
    const uint64_t offset = m_size;
    const bool isEnding = type == LOCKSTEP_BLOCK_SUMMARY || type == LOCKSTEP_BLOCK_INDEX;
    if (const int error = isEnding ? 0 : reserve(sizeof block + block.stored_bytes); error != 0) return error;
    if (const int error = put(&block, sizeof block, body, block.stored_bytes); error != 0) return error;
    ++m_sequence;
    m_index_entries.push_back(
        {offset, block.stored_bytes, block.type, 0, times.first_ns, times.last_ns, times.records, 0});
    if (m_reservesEnd && !isEnding) startWriteback();
    return 0;
}

// Starts write-back early, so that a power failure loses some seconds of data instead of half a minute. Does
// not block, and does no harm if the descriptor refers to another file.
void SpoolFile::startWriteback()
{
    sync_file_range(m_file, static_cast<off64_t>(m_started), static_cast<off64_t>(m_size - m_started),
                    SYNC_FILE_RANGE_WRITE);
    m_started = m_size;
}

int SpoolFile::finish()
{
    const uint64_t indexAt = m_size;
    std::string entries(reinterpret_cast<const char*>(m_index_entries.data()),
                        m_index_entries.size() * sizeof(LockstepSpoolIndexEntry));
    int error = append(LOCKSTEP_BLOCK_INDEX, entries, {});
    if (error == 0) {
        LockstepSpoolEnd end = {};
        end.indexOffset = indexAt;
        std::memcpy(end.magic, LOCKSTEP_SPOOL_END_MAGIC, sizeof end.magic);
        error = put(&end, sizeof end, nullptr, 0);
    }
    // Releases reserved space that was not needed.
    if (m_reserved > m_size && ownsFile()) {
        [[maybe_unused]] const int cut = ftruncate(m_file, static_cast<off_t>(m_size));
    }
    startWriteback();
    abandon();
    return error;
}

void SpoolFile::abandon() noexcept
{
    closeOwn(m_file.exchange(-1), m_identity);
}

} // namespace lockstep::capture
