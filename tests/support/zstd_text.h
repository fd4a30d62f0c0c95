// SPDX-License-Identifier: Apache-2.0
// Text as a zstd frame.
#pragma once

#include <string>
#include <string_view>

#include <zstd.h>

namespace lockstep::test {

inline std::string zstdOf(std::string_view text)
{
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

} // namespace lockstep::test
