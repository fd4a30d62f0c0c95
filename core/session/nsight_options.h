// SPDX-License-Identifier: Apache-2.0
// The `nsys profile` options that matter for training runs, with their values, defaults and versions, and the
// options that frameworks set themselves. Source: NVIDIA's user guide from 2026 and its version notes. The
// options that a host's own nsys lists (NsysFacts::options) take precedence over this table. Immutable.
// Thread: any.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/session_config.h"

namespace lockstep {

// A release as year and number, e.g. {2025, 6} for "2025.6.1.190".
struct NsysVersion {
    int year = 0;
    int number = 0;

    friend auto operator<=>(const NsysVersion&, const NsysVersion&) = default;
};

// Parses a version. Returns nullopt if the text does not begin with YEAR.NUMBER.
std::optional<NsysVersion> nsysVersion(std::string_view text);

enum class NsightValueKind : uint8_t {
    choice, // one of `values`
    list,   // comma-separated words, each of which is one of `values`; if values is empty, any text is valid
    whole,  // an integer
    text    // any text
};

struct NsightOptionRule {
    std::string_view name;   // long name without dashes
    std::string_view letter; // one-letter form in Ray and nsys, or ""
    NsightValueKind kind;
    std::string_view values; // separated by spaces
    std::string_view defaultValue;
    NsysVersion since{};          // first release that supports the option
    NsysVersion until{};          // last release that supports the option; {0, 0} = still supported
    std::string_view replacement; // newer name of the option, or ""
    std::string_view remark;
};

// Finds an option by its long name or letter; nullptr if unknown.
const NsightOptionRule* findNsightRule(std::string_view name);
// Returns the options that an nsys version supports, in table order. Returns all options if the version is
// unknown.
std::vector<const NsightOptionRule*> nsightRulesFor(std::optional<NsysVersion> version);
// Returns why a value is invalid for the option, or "" if it is valid. Only the limits in the table are
// checked.
std::string nsightValueProblem(const NsightOptionRule& rule, std::string_view value,
                               std::optional<NsysVersion> version);

// Returns 12 for `repeat-shutdown:12`, and nullopt for other modes.
std::optional<int64_t> repeatCount(std::string_view captureRangeEnd);

// Returns the value of `output` or `o`, or "" if neither is set or has a value.
std::string nsysOutput(const NsightOptions& options);
// Returns a PCRE that matches the file names produced by an output option, without the folder and
// ".nsys-rep". %p, %h and %q{RANK} become the groups pid, host and rank; other tokens match any text. Quotes
// around the name, as written by Ray, are removed.
std::string nsysNamePattern(std::string_view output);

// Formats options as nsys arguments: "--name=value", and "-n" "value" for one-letter names.
std::vector<std::string> nsysArguments(const NsightOptions& options);

} // namespace lockstep
