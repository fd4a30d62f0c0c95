// SPDX-License-Identifier: Apache-2.0
// ReportFormat: what the name of a report file tells before anybody looks into it: one line a format, the
// only place that knows endings. A reader's line (core/readers/registry.cpp) refers to it by its name; naming
// schemes, session plans, the agent on a node and a run's ledger ask here. Immutable; any thread.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep {

struct ReportFormat {
    std::string_view name; // the word in inventories: "nsys sqlite"
    std::string_view tool; // what records them, in a word: "nsys"
    // How their names usually end, without the ".gz" or ".zst" that may follow.
    std::vector<std::string_view> endings;
    // Those, or longer ones, that nothing else has: a file of a few bytes so named was to become such a
    // report.
    std::vector<std::string_view> ownEndings;
    bool tellsTool = false; // its endings alone are enough to guess the tool
    // The agent's word for such a file on a node, which events and ledgers keep; "" = no program of a run
    // writes them.
    std::string_view foundAs;
    std::string_view forecastAs; // the word of wordsOf(ReportKind) that the ledger takes them for
};

// What may stand behind a format's own ending: every reader of text or records undoes it.
inline constexpr std::string_view kWorkspaceEnding = ".lockstep";
inline constexpr std::array<std::string_view, 2> kPackedEndings{".gz", ".zst"};

// No two have an ending in common.
std::span<const ReportFormat> reportFormats();
// The name must be one of reportFormats().
const ReportFormat& formatNamed(std::string_view name);
// The format whose files usually are named so, packed or not; nullptr where none is.
const ReportFormat* formatOfFile(std::string_view fileName);
// The same for names that nothing else has.
const ReportFormat* formatOwning(std::string_view fileName);
// As the agent of this or an earlier version tells of it; nullptr for a word that no format has.
const ReportFormat* formatFoundAs(std::string_view word);
// Without the endings of packing.
std::string_view withoutPacking(std::string_view fileName);

} // namespace lockstep
