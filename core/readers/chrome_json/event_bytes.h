// SPDX-License-Identifier: Apache-2.0
// Tallies the event text, so that any loss between the first and the last event is reported. Each worker
// counts the text of its own windows; the notes are added when all workers are done.
#pragma once

#include <cstdint>

#include "core/trace/import_notes.h"

namespace lockstep {

// Byte counts of the uncompressed text. Event bytes that are neither repaired nor lost were parsed.
struct EventBytes {
    uint64_t repaired = 0;           // bytes of events that were repaired before parsing
    uint64_t lost = 0;               // bytes of sections that do not form events
    uint64_t sections = 0;           // number of lost sections
    uint64_t firstLost = UINT64_MAX; // start of the first lost section

    void addLost(uint64_t offset, uint64_t size);
    void merge(const EventBytes& other);
};

// Adds the note events.lost if there is a loss, counted in sections, with the number of bytes in the message.
// `total` is the number of bytes from the first to the last event, including separators.
void noteLostBytes(const EventBytes& bytes, uint64_t total, ImportNotes& notes);

} // namespace lockstep
