// SPDX-License-Identifier: Apache-2.0
// Joins the halves of rows that the file states apart: B with E by the stack of their thread, b with e (and S
// with F, their older form) by category, id, scope and process, then by name. Halves may come in any order;
// time decides, and place in the file between equal times. A pure function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/readers/chrome_json/event_rows.h"

namespace lockstep {

// A half with its names and lanes on common ground: thread and lane as the caller numbers them, name a
// report's id.
struct PairedRow {
    SliceRow row;
    uint32_t lane = 0;
};

// The rows that come of the halves (reordered). A begin without an end stays open until captureEnd_ns; an end
// without a begin is left out. Both are counted in notes.
std::vector<PairedRow> pairHalves(std::span<HalfRow> halves, int64_t captureEnd_ns, ImportNotes& notes);

} // namespace lockstep
