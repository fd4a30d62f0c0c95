// SPDX-License-Identifier: Apache-2.0
// Everything a trace file says about one slice, read again from the file at the byte where its object begins.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

// Keys of the object first, then the entries of args; numbers and nested values as written, texts unescaped.
// corrupt when the file is not the one that was read. A compressed file is unpacked up to the object.
Result<SliceDetails> chromeSliceDetails(const Report& report, SliceId slice);

// The same for the text of one object; empty when it is no object even after repair.
std::optional<SliceDetails> detailsOfObject(std::string_view object);

} // namespace lockstep
