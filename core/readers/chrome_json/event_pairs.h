// SPDX-License-Identifier: Apache-2.0
// Joins the halves of rows that the file records separately: B with E by thread and name, b with e
// (and S with F, their older form) by category, id, scope and process, then by name. Halves may be in any
// order; they are matched by time, and by file position for equal times. A pure function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/readers/chrome_json/event_rows.h"

namespace lockstep {

// A half-event row with IDs that are common to all workers: thread and lane as numbered by the caller, name
// as a string ID of the report.
struct PairedRow {
    SliceRow row;
    uint32_t lane = 0;
};

// Returns the paired rows; reorders `halves`. A begin without an end stays open until captureEnd_ns; an end
// without a begin is omitted. Both cases are counted in `notes`.
std::vector<PairedRow> pairHalves(std::span<HalfRow> halves, int64_t captureEnd_ns, ImportNotes& notes);

} // namespace lockstep
