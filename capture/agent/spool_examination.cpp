// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/spool_examination.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>

#include <unistd.h>

#include "core/base/json_fields.h"
#include "core/base/mapped_file.h"
#include "core/readers/capture_spool/spool_blocks.h"

namespace lockstep::agent {

namespace {

struct SpoolWriterFacts {
    std::string host, bootId;
    int64_t pid = 0;
};

SpoolWriterFacts writerOf(const SpoolBlocks& spool)
{
    SpoolWriterFacts facts;
    for (const SpoolBlock& block : spool.blocks) {
        if (block.head.type != LOCKSTEP_BLOCK_META) continue;
        const Json meta = Json::parse(unpackedPayload(block).value_or(""), nullptr, false);
        facts = {textAt(meta, "host"), textAt(meta, "boot_id"), numberAt(meta, "pid").value_or(0)};
    }
    return facts;
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

// Another host's processes cannot be asked after, nor those of a container that counts its own.
enum class WriterState { runs, isGone, isElsewhere };

WriterState stateOf(const SpoolWriterFacts& writer)
{
    const bool isHere = writer.pid > 0 && !writer.bootId.empty() && writer.bootId == ownBootId() &&
                        writer.host == ownHostName();
    if (!isHere) return WriterState::isElsewhere;
    const bool runs = ::kill(static_cast<pid_t>(writer.pid), 0) == 0 || errno == EPERM;
    return runs ? WriterState::runs : WriterState::isGone;
}

// "12 blocks are whole", and what lies between them.
std::string wholeText(const SpoolBlocks& spool)
{
    const auto records = std::ranges::count_if(
        spool.blocks, [](const SpoolBlock& block) { return block.head.type == LOCKSTEP_BLOCK_RECORDS; });
    return std::to_string(records) +
           (records == 1 ? " block of records is whole" : " blocks of records are whole");
}

void judgeOpenSpool(FoundReport& report, const SpoolBlocks& spool)
{
    const SpoolWriterFacts writer = writerOf(spool);
    const std::string process = "process " + std::to_string(writer.pid);
    switch (stateOf(writer)) {
    case WriterState::runs:
        report.isFlushing = true;
        report.reason = "still being written by " + process;
        break;
    case WriterState::isGone:
        report.isFinal = true;
        report.reason = process + " was ended before it could end its report; " + wholeText(spool) +
                        ", the last 250 ms may be missing";
        break;
    case WriterState::isElsewhere:
        report.reason = "has no index: still being written, or its process was ended; " + wholeText(spool);
        break;
    }
}

} // namespace

bool isSpoolHead(std::string_view head)
{
    return isSpool(head);
}

void judgeSpool(FoundReport& report, Examination examination)
{
    report.kind = "capture spool";
    if (examination == Examination::kindOnly) return;
    const auto file = MappedFile::open(report.path);
    const auto spool = file ? spoolBlocks(file->text(), Progress()) : tl::make_unexpected(file.error());
    if (!spool) {
        report.reason = spool.error().message;
        return;
    }
    report.isComplete = spool->isEnded;
    if (!spool->isEnded) {
        judgeOpenSpool(report, *spool);
    } else if (spool->damaged > 0 || spool->missing > 0) {
        report.reason = "damaged: " + std::to_string(std::max(spool->damaged, spool->missing)) +
                        " of its blocks cannot be read; " + wholeText(*spool);
    }
}

} // namespace lockstep::agent
