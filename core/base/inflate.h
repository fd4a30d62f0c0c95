// SPDX-License-Identifier: Apache-2.0
// Whole-buffer decompression with a size limit, for formats that wrap a payload in gzip, zlib or zstd. The
// limit makes small hostile files harmless, because decompression stops at the first byte beyond it. Any
// thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/growing_bytes.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace lockstep {

struct Inflated {
    GrowingBytes bytes;
    // False if the stream is truncated or corrupt; `bytes` then contains the data before the fault.
    bool isComplete = true;
};

// Decompresses gzip data (all members) or zlib data, as indicated by the header. Returns unsupported if the
// output exceeds limit_bytes, corrupt if the header cannot be read, or canceled.
Result<Inflated> inflated(std::string_view compressed, size_t limit_bytes, const Progress& progress);
// Decompresses one or more zstd frames. Returns the same errors as inflated().
Result<Inflated> unzstd(std::string_view compressed, size_t limit_bytes, const Progress& progress);
// Returns true if the bytes start like gzip or zstd data.
bool isCompressed(std::string_view bytes);
// Returns the largest plausible decompressed size of a trace that has `packed_bytes` bytes when compressed.
// Traces compress about 20 to 1, so anything beyond this size is not a trace.
constexpr size_t unpackLimit_bytes(size_t packed_bytes)
{
    return packed_bytes * 256 + (size_t(64) << 20);
}
// Calls inflated() or unzstd(); `bytes` must be compressed.
Result<Inflated> uncompressed(std::string_view bytes, size_t limit_bytes, const Progress& progress);

} // namespace lockstep
