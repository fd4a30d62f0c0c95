// SPDX-License-Identifier: Apache-2.0
// Whole-buffer decompression with a ceiling, for formats that wrap a payload in gzip, zlib or zstd. The
// ceiling is what makes a small hostile file harmless: work stops at the first byte beyond it. Any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/growing_bytes.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace lockstep {

struct Inflated {
    GrowingBytes bytes;
    bool isComplete = true; // false: the stream was cut or broken, bytes holds what came before
};

// gzip (all members one after another) or zlib, told apart by the header. unsupported when more than
// limit_bytes come out, corrupt when not even the header can be read, canceled.
Result<Inflated> inflated(std::string_view compressed, size_t limit_bytes, const Progress& progress);
// One or more zstd frames, same errors.
Result<Inflated> unzstd(std::string_view compressed, size_t limit_bytes, const Progress& progress);
// True where the bytes begin like gzip or zstd.
bool isCompressed(std::string_view bytes);
// The most that a trace of that many packed bytes may unpack to. They pack about 20 to 1: what goes further
// is none, whatever it claims.
constexpr size_t unpackLimit_bytes(size_t packed_bytes)
{
    return packed_bytes * 256 + (size_t(64) << 20);
}
// What inflated() or unzstd() gives; bytes must be compressed.
Result<Inflated> uncompressed(std::string_view bytes, size_t limit_bytes, const Progress& progress);

} // namespace lockstep
