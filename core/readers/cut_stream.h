// SPDX-License-Identifier: Apache-2.0
// The note of a report whose file is compressed, and cut or broken.
#pragma once

#include <cstddef>
#include <string>

#include "core/trace/import_notes.h"

namespace lockstep {

// unpacked_bytes: of the content before the cut.
inline void noteCutStream(ImportNotes& notes, size_t unpacked_bytes)
{
    notes.add("file.truncated", NoteSeverity::dataLoss,
              "the compressed stream is cut or broken; what came before is shown. Copy the file again",
              "byte " + std::to_string(unpacked_bytes) + " of its content");
}

} // namespace lockstep
