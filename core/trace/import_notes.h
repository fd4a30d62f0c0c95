// SPDX-License-Identifier: Apache-2.0
// ImportNotes: the flaws met while reading one report, counted by kind with the first example. A flaw never
// stops reading: the row is kept as far as it makes sense, or skipped, and counted here. Not thread-safe:
// each worker fills its own and the reader merges them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

enum class NoteSeverity : uint8_t {
    info,    // worth knowing, nothing is missing
    warning, // something was repaired, or is not shown as a user may expect
    dataLoss // rows exist in the file, or existed in the run, that are not shown
};

std::string_view noteSeverityName(NoteSeverity severity);

struct ImportNote {
    std::string kind; // stable word for scripts, e.g. "nvtx.end_before_start"
    NoteSeverity severity = NoteSeverity::warning;
    uint64_t count = 0;
    std::string text;    // one sentence for people; what was done about it
    std::string example; // where it was first met: "NVTX_EVENTS row 17", "byte 120394"

    friend bool operator==(const ImportNote&, const ImportNote&) = default;
};

class ImportNotes {
  public:
    // Counts one more flaw of `kind`; text and example are kept from the first call.
    void add(std::string_view kind, NoteSeverity severity, std::string_view text, std::string_view example,
             uint64_t count = 1);
    // Adds the other's counts; its examples are used for kinds that are new here.
    void merge(const ImportNotes& other);
    bool hasDataLoss() const;
    // In order of first occurrence.
    const std::vector<ImportNote>& all() const { return m_notes; }

  private:
    std::vector<ImportNote> m_notes;
};

} // namespace lockstep
