// SPDX-License-Identifier: Apache-2.0
// SpoolLosses adds up the losses recorded in a capture: LOST records, and the totals in its SUMMARY. The
// larger of the two counts is used, because LOST records can themselves be missing, and only completed files
// have a SUMMARY. One worker; call note() after all blocks.
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
    // For one part of a file: sets the counts from LOST records of earlier parts, by LockstepSpoolLoss.
    void begin(const std::map<uint64_t, uint64_t>& earlier) { m_earlier = earlier; }

    void take(const SpoolRecord& lost);
    void readSummary(const Json& summary);
    // Adds one note per reason. The note contains the time range of the missing records (relative to `begin`)
    // and their fraction of all records. `read` is the number of records read.
    void note(ImportNotes& notes, TraceTime begin, uint64_t read) const;
    // Adds the counts of the LOST records to `counts`.
    void addTo(std::map<uint64_t, uint64_t>& counts) const;

  private:
    struct Loss {
        uint64_t placed = 0;               // number counted by LOST records
        uint64_t total = 0;                // number counted by SUMMARY
        int64_t first_ns = 0, last_ns = 0; // times of the first and last lost record; both 0 if unknown

        void extend(int64_t from_ns, int64_t to_ns);
    };

    std::map<uint64_t, Loss> m_losses; // by LockstepSpoolLoss
    std::map<uint64_t, uint64_t> m_earlier;
};

} // namespace lockstep
