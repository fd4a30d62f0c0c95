// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/libc_probe.h"

#include <array>
#include <fstream>
#include <iterator>

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargest_bytes = 64u << 20; // the C library has only some MB; larger files are not read

// The library contains "GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36."
std::string versionIn(const fs::path& library)
{
    std::error_code error;
    if (!fs::is_regular_file(library, error) || fs::file_size(library, error) > kLargest_bytes) return {};
    std::ifstream file(library, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const size_t banner = bytes.find("GNU C Library");
    const std::string_view marker = "release version ";
    const size_t at = banner == std::string::npos ? banner : bytes.find(marker, banner);
    if (at == std::string::npos || at - banner > 200) return {};
    const std::string rest = bytes.substr(at + marker.size(), 16);
    std::string version = rest.substr(0, rest.find_first_not_of("0123456789."));
    while (version.ends_with('.'))
        version.pop_back();
    return version;
}

bool hasMuslLoader(const fs::path& folder)
{
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (at->path().filename().string().starts_with("ld-musl-")) return true;
    }
    return false;
}

} // namespace

LibcFound probeLibc(const fs::path& root)
{
    constexpr std::array<const char*, 7> kPlaces{
        "lib64",     "lib/x86_64-linux-gnu",     "lib/aarch64-linux-gnu",
        "usr/lib64", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu",
        "usr/lib"};
    std::error_code error;
    bool isThere = false;
    for (const char* const place : kPlaces) {
        const fs::path library = root / place / "libc.so.6";
        if (!fs::exists(library, error)) continue;
        isThere = true;
        if (std::string version = versionIn(library); !version.empty()) return {"glibc", std::move(version)};
    }
    if (isThere) return {"glibc", ""};
    return {hasMuslLoader(root / "lib") ? "musl" : "", ""};
}

} // namespace lockstep::agent
