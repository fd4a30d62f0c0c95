// SPDX-License-Identifier: Apache-2.0
// NsightRelease: a version of Nsight Systems as written by its reports and programs. Pure functions.
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

// Returns the first version such as "2025.3.1" or "2025@3@1" in a text, or nullopt. The patch number may be
// missing.
std::optional<NsightRelease> findNsysVersion(std::string_view text);
// Returns "2025.3.1".
std::string versionText(const NsightRelease& version);

} // namespace lockstep
