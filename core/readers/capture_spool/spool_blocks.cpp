// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/spool_blocks.h"

#include <cstddef>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

namespace lockstep {

namespace {

constexpr std::string_view kMagic(LOCKSTEP_SPOOL_MAGIC, 8);
constexpr std::string_view kBlockMagic("LBLK", 4);

bool isEnd(std::string_view rest)
{
    return rest.size() >= sizeof(LockstepSpoolEnd) &&
           rest.substr(offsetof(LockstepSpoolEnd, magic), 8) == LOCKSTEP_SPOOL_END_MAGIC;
}

} // namespace

bool isSpool(std::string_view head)
{
    return head.starts_with(kMagic);
}

std::optional<SpoolBlock> intactBlockAt(std::string_view file, uint64_t offset)
{
    SpoolBlock block;
    if (offset > file.size() || file.size() - offset < sizeof block.head) return {};
    std::memcpy(&block.head, file.data() + offset, sizeof block.head);
    const LockstepSpoolBlock& head = block.head;
    const std::string_view rest = file.substr(offset + sizeof head);
    if (head.magic != LOCKSTEP_SPOOL_BLOCK_MAGIC || head.stored_bytes > rest.size() ||
        head.raw_bytes > LOCKSTEP_SPOOL_BLOCK_LIMIT)
        return {};
    block.offset = offset;
    block.payload = rest.substr(0, head.stored_bytes);
    const uint64_t ofHead = XXH3_64bits(&head, offsetof(LockstepSpoolBlock, checksum));
    const uint64_t checksum = XXH3_64bits_withSeed(block.payload.data(), block.payload.size(), ofHead);
    return checksum == head.checksum ? std::optional(block) : std::nullopt;
}

Result<LockstepSpoolHeader> spoolHeader(std::string_view file)
{
    LockstepSpoolHeader header = {};
    if (file.size() < sizeof header) {
        return makeError(ErrorKind::corrupt,
                         "a Lockstep capture cut off within its first 64 bytes; nothing can be recovered",
                         HelpTopic::truncatedFile);
    }
    std::memcpy(&header, file.data(), sizeof header);
    if (!isSpool(file)) return makeError(ErrorKind::corrupt, "not a Lockstep capture");
    if (header.major > LOCKSTEP_SPOOL_MAJOR) {
        return makeError(ErrorKind::unsupported, "a Lockstep capture in format " +
                                                     std::to_string(header.major) +
                                                     ", written by a newer version of Lockstep");
    }
    if (XXH3_64bits(&header, offsetof(LockstepSpoolHeader, checksum)) != header.checksum ||
        header.header_bytes < sizeof header)
        return makeError(ErrorKind::corrupt, "a Lockstep capture with a corrupt header");
    return header;
}

Result<SpoolBlocks> spoolBlocks(std::string_view file, const Progress& progress)
{
    const LockstepSpoolHeader header = LOCKSTEP_TRY(spoolHeader(file));
    return spoolBlocksFrom(file, header.header_bytes, 0, progress);
}

Result<SpoolBlocks> spoolBlocksFrom(std::string_view file, uint64_t begin, uint64_t sequence,
                                    const Progress& progress)
{
    SpoolBlocks found;
    found.header = LOCKSTEP_TRY(spoolHeader(file));
    for (uint64_t at = begin; at < file.size();) {
        LOCKSTEP_TRY(progress.check());
        const bool isBehindIndex =
            !found.blocks.empty() && found.blocks.back().head.type == LOCKSTEP_BLOCK_INDEX;
        if (isBehindIndex && isEnd(file.substr(at))) {
            found.isEnded = true;
            break;
        }
        if (const auto block = intactBlockAt(file, at)) {
            if (block->head.sequence > sequence) found.missing += block->head.sequence - sequence;
            sequence = block->head.sequence + 1;
            found.blocks.push_back(*block);
            at += sizeof block->head + block->head.stored_bytes;
            continue;
        }
        uint64_t next = file.find(kBlockMagic, at + 1);
        while (next != std::string_view::npos && !intactBlockAt(file, next))
            next = file.find(kBlockMagic, next + 1);
        if (next == std::string_view::npos) {
            found.cut_bytes = file.size() - at;
            break;
        }
        if (found.damaged++ == 0) found.firstDamage = at;
        found.damaged_bytes += next - at;
        at = next;
    }
    return found;
}

uint64_t unpackedSpool_bytes(std::string_view file)
{
    const auto header = spoolHeader(file);
    uint64_t bytes = 0;
    for (uint64_t at = header ? header->header_bytes : file.size(); at < file.size();) {
        LockstepSpoolBlock head;
        if (file.size() - at < sizeof head) break;
        std::memcpy(&head, file.data() + at, sizeof head);
        if (head.magic != LOCKSTEP_SPOOL_BLOCK_MAGIC || head.raw_bytes > LOCKSTEP_SPOOL_BLOCK_LIMIT) break;
        bytes += head.raw_bytes;
        at += sizeof head + head.stored_bytes;
    }
    return bytes;
}

std::optional<std::string> unpackedPayload(const SpoolBlock& block)
{
    if ((block.head.flags & LOCKSTEP_BLOCK_IS_ZSTD) == 0) return std::string(block.payload);
    std::string raw(block.head.raw_bytes, '\0');
    const size_t size = ZSTD_decompress(raw.data(), raw.size(), block.payload.data(), block.payload.size());
    if (ZSTD_isError(size) != 0 || size != raw.size()) return {};
    return raw;
}

} // namespace lockstep
