// SPDX-License-Identifier: Apache-2.0
// NsightRelease: a version of Nsight Systems, as its reports and its programs spell it. Pure functions.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

struct NsightRelease {
    int major = 0; // the year
    int minor = 0;
    int patch = 0;

    friend auto operator<=>(const NsightRelease&, const NsightRelease&) = default;
};

// The first "2025.3.1" or "2025@3@1" in a text, whatever follows it; empty when there is none. The patch may
// be missing.
std::optional<NsightRelease> findNsysVersion(std::string_view text);
// "2025.3.1".
std::string versionText(const NsightRelease& version);

} // namespace lockstep
