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

// The block that begins at `offset`, if a whole one does.
std::optional<SpoolBlock> blockAt(std::string_view file, uint64_t offset)
{
    SpoolBlock block;
    if (file.size() - offset < sizeof block.head) return {};
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

Result<SpoolBlocks> spoolBlocks(std::string_view file, const Progress& progress)
{
    SpoolBlocks found;
    if (file.size() < sizeof found.header) {
        return makeError(ErrorKind::corrupt,
                         "a Lockstep capture cut off in its first 64 bytes; nothing of it is left");
    }
    std::memcpy(&found.header, file.data(), sizeof found.header);
    if (found.header.major > LOCKSTEP_SPOOL_MAJOR) {
        return makeError(ErrorKind::unsupported, "a Lockstep capture of format " +
                                                     std::to_string(found.header.major) +
                                                     ", written by a later version than this one");
    }
    if (XXH3_64bits(&found.header, offsetof(LockstepSpoolHeader, checksum)) != found.header.checksum ||
        found.header.header_bytes < sizeof found.header)
        return makeError(ErrorKind::corrupt, "a Lockstep capture with a damaged header");
    uint64_t sequence = 0;
    for (uint64_t at = found.header.header_bytes; at < file.size();) {
        LOCKSTEP_TRY(progress.check());
        const bool isBehindIndex =
            !found.blocks.empty() && found.blocks.back().head.type == LOCKSTEP_BLOCK_INDEX;
        if (isBehindIndex && isEnd(file.substr(at))) {
            found.isEnded = true;
            break;
        }
        if (const auto block = blockAt(file, at)) {
            if (block->head.sequence > sequence) found.missing += block->head.sequence - sequence;
            sequence = block->head.sequence + 1;
            found.blocks.push_back(*block);
            at += sizeof block->head + block->head.stored_bytes;
            continue;
        }
        uint64_t next = file.find(kBlockMagic, at + 1);
        while (next != std::string_view::npos && !blockAt(file, next))
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

std::optional<std::string> unpackedPayload(const SpoolBlock& block)
{
    if ((block.head.flags & LOCKSTEP_BLOCK_IS_ZSTD) == 0) return std::string(block.payload);
    std::string raw(block.head.raw_bytes, '\0');
    const size_t size = ZSTD_decompress(raw.data(), raw.size(), block.payload.data(), block.payload.size());
    if (ZSTD_isError(size) != 0 || size != raw.size()) return {};
    return raw;
}

} // namespace lockstep
