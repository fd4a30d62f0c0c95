// SPDX-License-Identifier: Apache-2.0
// SpoolLosses adds up what a capture states that it lost: LOST records, and the totals in its SUMMARY. The
// larger of both counts holds: LOST records can be missing themselves, a SUMMARY is only in a file that was
// finished. One worker's; note() when all blocks are read.
#pragma once

#include <cstdint>
#include <map>

#include "core/base/json_fields.h"
#include "core/base/time.h"
#include "core/readers/capture_spool/spool_records.h"
#include "core/trace/import_notes.h"

namespace lockstep {

class SpoolLosses {
  public:
    // For a part of a file: what LOST records of earlier parts counted, by LockstepSpoolLoss.
    void begin(const std::map<uint64_t, uint64_t>& earlier) { m_earlier = earlier; }

    void take(const SpoolRecord& lost);
    void takeSummary(const Json& summary);
    // One note for each reason, with the time from `begin` on in which records are missing, and their share
    // of all records, of which `read` were read.
    void note(ImportNotes& notes, TraceTime begin, uint64_t read) const;
    // Adds what the LOST records counted.
    void addTo(std::map<uint64_t, uint64_t>& counts) const;

  private:
    struct Loss {
        uint64_t placed = 0;               // by LOST records
        uint64_t total = 0;                // by SUMMARY
        int64_t first_ns = 0, last_ns = 0; // 0 and 0: not known

        void extend(int64_t from_ns, int64_t to_ns);
    };

    std::map<uint64_t, Loss> m_losses; // by LockstepSpoolLoss
    std::map<uint64_t, uint64_t> m_earlier;
};

} // namespace lockstep
