// SPDX-License-Identifier: Apache-2.0
// Adds the note for a compressed file that is truncated or corrupt.
#pragma once

#include <cstddef>
#include <string>

#include "core/trace/import_notes.h"

namespace lockstep {

// `unpacked_bytes` is the size of the content before the position at which the stream was cut.
inline void noteCutStream(ImportNotes& notes, size_t unpacked_bytes)
{
    notes.add(
        "file.truncated", NoteSeverity::dataLoss,
        "the compressed stream is cut short or damaged; the data before the damage is shown. Copy the file again",
        "byte " + std::to_string(unpacked_bytes) + " of the decompressed content");
}

} // namespace lockstep
