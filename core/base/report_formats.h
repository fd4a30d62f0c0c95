// SPDX-License-Identifier: Apache-2.0
// ReportFormat: the information that a file name gives about a report, one entry per format. This table is
// the only place that defines file name suffixes. Readers (core/readers/registry.cpp) refer to an entry by
// name; naming schemes, session plans, the agent on a node and the collection status of a run use it too.
// Immutable; any thread.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep {

struct ReportFormat {
    std::string_view name; // name of the format in inventories: "nsys sqlite"
    std::string_view tool; // name of the tool that records such files: "nsys"
    // Usual file suffixes, without a following ".gz" or ".zst".
    std::vector<std::string_view> suffixes;
    // Suffixes (equal to or longer than `endings`) that no other format uses. A file of only a few bytes with
    // such a name is an incomplete report.
    std::vector<std::string_view> uniqueSuffixes;
    bool impliesTool = false; // true if a suffix is enough to infer the tool
    // Name of the format in events and status files of the agent; "" if no program of a run writes such
    // files.
    std::string_view agentName;
    std::string_view reportKindName; // name from enumNames(ReportKind) that the collection status uses
};

// Suffix of workspace files.
inline constexpr std::string_view kWorkspaceSuffix = ".lockstep";
inline constexpr std::array<std::string_view, 2> kCompressionSuffixes{".gz", ".zst"};

// Returns all formats; no two formats share a suffix.
std::span<const ReportFormat> reportFormats();
// Returns the format with this name, which must exist.
const ReportFormat& formatNamed(std::string_view name);
// Returns the format whose files usually have such names, compressed or not; nullptr if there is none.
const ReportFormat* formatOfFile(std::string_view fileName);
// Returns the format that is the only one with such file names; nullptr if there is none.
const ReportFormat* formatWithUniqueSuffix(std::string_view fileName);
// Returns the format for a name that this or an earlier version of the agent uses; nullptr if the name is
// unknown.
const ReportFormat* formatOfAgentName(std::string_view word);

} // namespace lockstep
