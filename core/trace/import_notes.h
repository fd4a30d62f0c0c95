// SPDX-License-Identifier: Apache-2.0
// ImportNotes: the problems found while reading one report, counted by kind, each with its first example. A
// problem never stops the import: the row is skipped or used as far as possible, and the problem is counted
// here. Not thread-safe: each worker fills its own object, and the reader merges these.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

enum class NoteSeverity : uint8_t {
    info,    // information; nothing is missing
    warning, // something was repaired, or is shown in a way that a user may not expect
    dataLoss // rows that exist in the file, or existed in the run, are not shown
};

std::string_view noteSeverityName(NoteSeverity severity);

struct ImportNote {
    std::string kind; // stable identifier for scripts, e.g. "nvtx.end_before_start"
    NoteSeverity severity = NoteSeverity::warning;
    uint64_t count = 0;
    std::string text;    // one sentence for users: the problem and how it was handled
    std::string example; // first occurrence: "NVTX_EVENTS row 17", "byte 120394"

    // Returns true for a recording that was cut short: everything up to its last record is complete, and only
    // what follows may be missing. Depends on `kind` only, so it also holds for stored reports.
    bool isAtEnd() const;
    // Returns true if the note reports that the recorded process failed; `example` is then a short form of
    // `text`: "exit status 1".
    bool isFailure() const;

    friend bool operator==(const ImportNote&, const ImportNote&) = default;
};

class ImportNotes {
  public:
    // Counts a problem of `kind`. The first call determines text and example.
    void add(std::string_view kind, NoteSeverity severity, std::string_view text, std::string_view example,
             uint64_t count = 1);
    // Adds the counts of `other`, including text and example for kinds that are new here.
    void merge(const ImportNotes& other);
    bool hasDataLoss() const;
    // Returns the notes in order of first occurrence.
    const std::vector<ImportNote>& all() const { return m_notes; }

  private:
    std::vector<ImportNote> m_notes;
};

// Merges the notes of workers that shared one file. Used by readers whose workers take the next part of a
// file as soon as they are free. Returns, for each kind, the total count and the example with the lowest
// position ("byte 120394", "row 17"), with kinds in the order of these positions. The result does not depend
// on how the work was distributed.
ImportNotes mergedNotes(std::span<const ImportNotes* const> workers);

} // namespace lockstep
