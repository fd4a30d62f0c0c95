// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/spool_examination.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/json_fields.h"
#include "core/readers/capture_spool/spool_blocks.h"

namespace lockstep::agent {

namespace {

struct SpoolWriterFacts {
    std::string host, bootId;
    int64_t pid = 0;
};

struct SpoolAccount {
    SpoolWriterFacts writer;
    bool isEnded = false;
    uint64_t records = 0; // number of complete blocks of records
    uint64_t damaged = 0; // number of blocks that do not match their checksums
    std::optional<int64_t> step, exitStatus;
};

// SpoolBytes reads bytes on request, because a file that another process writes, and may truncate, must not
// be memory-mapped.
class SpoolBytes {
  public:
    explicit SpoolBytes(const std::filesystem::path& path) : m_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC))
    {
        struct stat status = {};
        if (m_fd >= 0 && ::fstat(m_fd, &status) == 0) m_size = static_cast<uint64_t>(status.st_size);
    }
    SpoolBytes(const SpoolBytes&) = delete;
    SpoolBytes& operator=(const SpoolBytes&) = delete;
    ~SpoolBytes()
    {
        if (m_fd >= 0) ::close(m_fd);
    }
    uint64_t size() const { return m_size; }
    // Appends the requested bytes. Returns false if some of them are missing.
    bool append(std::string& to, uint64_t begin, size_t size) const
    {
        const size_t before = to.size();
        to.resize(before + size);
        size_t done = 0;
        while (done < size) {
            const ssize_t got =
                ::pread(m_fd, to.data() + before + done, size - done, static_cast<off_t>(begin + done));
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            done += static_cast<size_t>(got);
        }
        to.resize(before + done);
        return done == size;
    }

  private:
    int m_fd = -1;
    uint64_t m_size = 0;
};

void noteBlock(const SpoolBlock& block, SpoolAccount& account)
{
    if (block.head.type == LOCKSTEP_BLOCK_RECORDS) ++account.records;
    if (block.head.step > 0) account.step = std::max(account.step.value_or(0), int64_t(block.head.step) - 1);
    if (block.head.type == LOCKSTEP_BLOCK_SUMMARY) {
        const Json summary = Json::parse(unpackedPayload(block).value_or(""), nullptr, false);
        account.exitStatus = numberAt(summary, "exit_status");
    }
    if (block.head.type != LOCKSTEP_BLOCK_META) return;
    const Json meta = Json::parse(unpackedPayload(block).value_or(""), nullptr, false);
    const std::string machine = textAt(meta, "machine"); // set if `host` was configured
    account.writer = {machine.empty() ? textAt(meta, "host") : machine, textAt(meta, "boot_id"),
                      numberAt(meta, "pid").value_or(0)};
}

// Keeps one block in memory at a time. Stops at a position where no block begins.
Result<SpoolAccount> accountOf(const SpoolBytes& file)
{
    constexpr uint64_t kMaxStored_bytes = LOCKSTEP_SPOOL_BLOCK_LIMIT + (1u << 20);
    constexpr uint64_t kMaxHeader_bytes = 4096; // may be longer in a later minor version
    constexpr size_t kHead = sizeof(LockstepSpoolBlock), kEnd = sizeof(LockstepSpoolEnd);
    std::string header;
    file.append(header, 0, sizeof(LockstepSpoolHeader));
    const SpoolBlocks empty = LOCKSTEP_TRY(spoolBlocks(header, Progress()));
    const uint64_t headerSize = std::min<uint64_t>(empty.header.header_bytes, kMaxHeader_bytes);
    if (headerSize > header.size()) file.append(header, header.size(), headerSize - header.size());
    SpoolAccount account;
    uint64_t at = header.size();
    while (at + kHead <= file.size()) {
        // Checks the block as if the file contained only this block.
        std::string bytes = header;
        LockstepSpoolBlock head = {};
        if (!file.append(bytes, at, kHead)) break;
        std::memcpy(&head, bytes.data() + header.size(), kHead);
        const bool isBlock =
            head.magic == LOCKSTEP_SPOOL_BLOCK_MAGIC && head.stored_bytes <= kMaxStored_bytes;
        if (!isBlock) {
            ++account.damaged;
            break;
        }
        if (!file.append(bytes, at + kHead, head.stored_bytes)) break; // truncated, or still being written
        const auto alone = spoolBlocks(bytes, Progress());
        if (alone && alone->blocks.size() == 1)
            noteBlock(alone->blocks.front(), account);
        else
            ++account.damaged;
        at += kHead + head.stored_bytes;
    }
    std::string end;
    if (file.size() >= kEnd) file.append(end, file.size() - kEnd, kEnd);
    account.isEnded = end.ends_with(std::string_view(LOCKSTEP_SPOOL_END_MAGIC, 8));
    return account;
}

std::string ownBootId()
{
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(file, id);
    return id;
}

std::string ownHostName()
{
    std::array<char, 256> name = {};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Processes of another host, or of a container with its own process IDs, cannot be checked.
enum class WriterState { runs, isGone, isElsewhere };

WriterState stateOf(const SpoolWriterFacts& writer)
{
    const bool isHere = writer.pid > 0 && !writer.bootId.empty() && writer.bootId == ownBootId() &&
                        writer.host == ownHostName();
    if (!isHere) return WriterState::isElsewhere;
    return runsHere(writer.pid) ? WriterState::runs : WriterState::isGone;
}

std::string wholeText(const SpoolAccount& account)
{
    return std::to_string(account.records) +
           (account.records == 1 ? " block of records is intact" : " blocks of records are intact");
}

void examineOpenSpool(FoundReport& report, const SpoolAccount& account)
{
    const std::string process = "process " + std::to_string(account.writer.pid);
    switch (stateOf(account.writer)) {
    case WriterState::runs:
        report.isFlushing = true;
        report.writer = account.writer.pid;
        report.reason = "still being written by " + process;
        break;
    case WriterState::isGone:
        report.isFinal = true;
        report.reason = process + " ended before it could finish its report; " + wholeText(account) +
                        ", the last 250 ms may be missing";
        break;
    case WriterState::isElsewhere:
        report.reason = "has no index: still being written, or its process was killed; " + wholeText(account);
        break;
    }
}

} // namespace

bool runsHere(int64_t pid)
{
    if (pid <= 0 || pid > INT32_MAX) return false; // the file may contain any value
    return ::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
}

void examineSpool(FoundReport& report, Examination examination)
{
    report.kind = "capture spool";
    if (examination == Examination::kindOnly) return;
    const auto account = accountOf(SpoolBytes(report.path));
    if (!account) {
        report.reason = account.error().message;
        return;
    }
    report.isComplete = account->isEnded;
    report.step = account->step;
    report.exitStatus = account->exitStatus;
    if (!account->isEnded) {
        examineOpenSpool(report, *account);
    } else if (account->damaged > 0) {
        report.reason = "damaged: " + std::to_string(account->damaged) + " of its blocks cannot be read; " +
                        wholeText(*account);
    }
}

} // namespace lockstep::agent
