// SPDX-License-Identifier: Apache-2.0
// Reads the details of one slice of a trace file again from the file at the offset of its object.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

// Returns the keys of the object first, then the entries of args; Numbers and nested values are as written;
// strings are unescaped. Returns corrupt if the file has changed. A compressed file is decompressed up to the
// object.
Result<SliceDetails> chromeSliceDetails(const Report& report, SliceId slice);

// Returns the details of the object at an offset of the uncompressed text of a file. `index` belongs to the
// file, and may be nullptr. Returns corrupt if there is no object.
Result<SliceDetails> objectDetails(const std::filesystem::path& path, uint64_t offset_bytes,
                                   const PackedIndex* index = nullptr);

// Returns the details of one object; nullopt if it is not an object even after repair.
std::optional<SliceDetails> detailsOfObject(std::string_view object);

} // namespace lockstep
