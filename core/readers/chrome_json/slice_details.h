// SPDX-License-Identifier: Apache-2.0
// Reads the details of one slice of a trace file again from the file at the offset of its object.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

// Returns the keys of the object first, then the entries of args; Numbers and nested values are as written;
// strings are unescaped. Returns corrupt if the file has changed. A compressed file is decompressed up to the
// object.
Result<SliceDetails> chromeSliceDetails(const Report& report, SliceId slice);

// Returns the details of one object; nullopt if it is not an object even after repair.
std::optional<SliceDetails> detailsOfObject(std::string_view object);

} // namespace lockstep
