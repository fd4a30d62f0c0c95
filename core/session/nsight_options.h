// SPDX-License-Identifier: Apache-2.0
// What `nsys profile` takes: the options that matter for training runs, their values, defaults and the
// versions that have them, and the options that frameworks set by themselves. From NVIDIA's user guide of
// 2026 and its version notes; what a host's own nsys lists (NsysFacts::options) wins over this table.
// Immutable; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/session_config.h"

namespace lockstep {

// Release by year and number, e.g. {2025, 6} for "2025.6.1.190".
struct NsysVersion {
    int year = 0;
    int number = 0;

    friend auto operator<=>(const NsysVersion&, const NsysVersion&) = default;
};

// Empty when the text does not begin with YEAR.NUMBER.
std::optional<NsysVersion> nsysVersion(std::string_view text);

enum class NsightValueKind : uint8_t {
    choice, // one of `values`
    list,   // comma-separated, each of `values`; any when values is empty
    whole,  // a whole number
    text    // anything
};

struct NsightOptionRule {
    std::string_view name;   // long name without dashes
    std::string_view letter; // Ray's and nsys' one-letter form, or ""
    NsightValueKind kind;
    std::string_view values; // separated by blanks
    std::string_view defaultValue;
    NsysVersion since{};          // first release that has it
    NsysVersion until{};          // last release that has it; {0, 0} = still there
    std::string_view replacement; // the newer name, or ""
    std::string_view remark;
};

std::span<const NsightOptionRule> nsightOptionRules();
// By long name or letter, or nullptr.
const NsightOptionRule* findNsightRule(std::string_view name);
// The options a nsys of this version has, in the table's order; all when the version is not known.
std::vector<const NsightOptionRule*> nsightRulesFor(std::optional<NsysVersion> version);
// Why the value does not fit the option, or "". Checks only what the table knows.
std::string nsightValueProblem(const NsightOptionRule& rule, std::string_view value,
                               std::optional<NsysVersion> version);

// `repeat-shutdown:12` -> 12; empty for other modes.
std::optional<int64_t> repeatCount(std::string_view captureRangeEnd);

// The value of `output` or `o`, whichever is there; "" where neither is, or without a value.
std::string nsysOutput(const NsightOptions& options);
// PCRE of the file names that an output option gives, without folder and ".nsys-rep": %p, %h and %q{RANK}
// become the groups pid, host and rank, other tokens any text. Quotes around the name (Ray's own has them)
// are left out.
std::string nsysNamePattern(std::string_view output);

// Options as nsys words: "--name=value", one-letter names as "-n" "value".
std::vector<std::string> nsysWords(const NsightOptions& options);

} // namespace lockstep
