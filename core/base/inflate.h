// Whole-buffer decompression with a ceiling, for formats that wrap a payload in gzip, zlib or zstd. The
// ceiling is what makes a small hostile file harmless: work stops at the first byte beyond it. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

struct Inflated {
    std::string bytes;
    bool isComplete = true; // false: the stream was cut or broken, bytes holds what came before
};

// gzip (all members one after another) or zlib, told apart by the header. unsupported when more than
// limit_bytes come out, corrupt when not even the header can be read.
Result<Inflated> inflated(std::string_view compressed, size_t limit_bytes);
// One or more zstd frames, same errors.
Result<Inflated> unzstd(std::string_view compressed, size_t limit_bytes);
// What inflated() or unzstd() gives when the bytes begin like gzip or zstd; the bytes themselves otherwise.
Result<Inflated> uncompressed(std::string_view bytes, size_t limit_bytes);

} // namespace lockstep
