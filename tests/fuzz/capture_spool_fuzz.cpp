// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a capture, and as the records inside a block with a valid checksum: the result is an
// error or a valid report.
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "core/readers/capture_spool/capture_spool_reader.h"
#include "core/readers/workspace_file/stored_report.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "capture/format/spool_format.h"

namespace {

std::string spoolAround(std::string_view payload)
{
    LockstepSpoolHeader header = {};
    std::memcpy(header.magic, LOCKSTEP_SPOOL_MAGIC, sizeof header.magic);
    header.major = LOCKSTEP_SPOOL_MAJOR;
    header.header_bytes = sizeof header;
    header.checksum = XXH3_64bits(&header, offsetof(LockstepSpoolHeader, checksum));
    LockstepSpoolBlock block = {};
    block.magic = LOCKSTEP_SPOOL_BLOCK_MAGIC;
    block.type = LOCKSTEP_BLOCK_RECORDS;
    block.stored_bytes = block.raw_bytes = static_cast<uint32_t>(payload.size());
    const uint64_t ofHead = XXH3_64bits(&block, offsetof(LockstepSpoolBlock, checksum));
    block.checksum = XXH3_64bits_withSeed(payload.data(), payload.size(), ofHead);
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
    bytes.append(reinterpret_cast<const char*>(&block), sizeof block);
    return bytes.append(payload);
}

void readSoundly(std::string_view bytes)
{
    using namespace lockstep;
    const auto report = readCaptureSpool(bytes, {}, Progress());
    if (report && !checkReport(**report, Workers())) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    readSoundly(bytes);
    if (size <= LOCKSTEP_SPOOL_BLOCK_LIMIT) readSoundly(spoolAround(bytes));
    return 0;
}
