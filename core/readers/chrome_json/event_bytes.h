// SPDX-License-Identifier: Apache-2.0
// What became of the text of the events: so that no byte between the first event and the last goes missing
// without a word. Each worker counts its own; the notes are made when all are done.
#pragma once

#include <cstdint>

#include "core/trace/import_notes.h"

namespace lockstep {

// Bytes of uncompressed text. Those of the events that are neither repaired nor lost were parsed.
struct EventBytes {
    uint64_t repaired = 0; // of events that had to be repaired before they could be parsed
    uint64_t lost = 0;     // of stretches that make no event
    uint64_t stretches = 0;
    uint64_t firstLost = UINT64_MAX; // where the first lost stretch begins

    void lose(uint64_t offset, uint64_t size);
    void merge(const EventBytes& other);
};

// Adds the note events.lost where there is a loss: counted in stretches, with all bytes in its text. total:
// bytes from the first event to the last, with what separates them.
void noteLostBytes(const EventBytes& bytes, uint64_t total, ImportNotes& notes);

} // namespace lockstep
