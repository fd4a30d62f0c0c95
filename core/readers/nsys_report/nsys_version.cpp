// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_report/nsys_version.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/base/words.h"

namespace lockstep {

namespace {

// Takes the digits at the front of text; nullopt if there are no digits or too many.
std::optional<int> takeNumber(std::string_view& text)
{
    size_t length = 0;
    while (length < text.size() && isDigit(text[length]))
        ++length;
    const auto number = length <= 6 ? parseInt(text.substr(0, length)) : std::nullopt;
    text.remove_prefix(length);
    return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

bool takeSeparator(std::string_view& text)
{
    if (text.empty() || (text[0] != '.' && text[0] != '@')) return false;
    text.remove_prefix(1);
    return true;
}

} // namespace

std::optional<NsightRelease> findNsysVersion(std::string_view text)
{
    while (!text.empty()) {
        text.remove_prefix(std::min(text.size(), text.find_first_of("0123456789")));
        std::string_view rest = text;
        const auto major = takeNumber(rest);
        const auto minor = major && *major >= 2000 && takeSeparator(rest) ? takeNumber(rest) : std::nullopt;
        if (minor)
            return NsightRelease{*major, *minor, takeSeparator(rest) ? takeNumber(rest).value_or(0) : 0};
        while (!text.empty() && isDigit(text[0]))
            text.remove_prefix(1);
    }
    return std::nullopt;
}

std::string versionText(const NsightRelease& version)
{
    return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
           std::to_string(version.patch);
}

} // namespace lockstep
