// SPDX-License-Identifier: Apache-2.0
// A column of plain values as compressed chunks: differences where the values rise, in as few bytes as the
// chunk needs, all lowest bytes first, then all next ones: high bytes hardly differ and low ones do not hide
// it. Then zstd with a checksum. Chunks are independent, so they are packed and unpacked in
// parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

// How the words of a chunk are made from the values.
enum class ColumnCoding : uint8_t {
    plain,       // as they are
    delta,       // difference to the value before, zigzag; the first to 0
    fromRow,     // row - value, zigzag: for ids of rows nearby (parents); the none id is kept apart
    plainPlanes, // the same with the words' bytes apart: byte 0 of every word, then byte 1, ...
    deltaPlanes,
    fromRowPlanes,
    count
};

inline constexpr uint32_t kChunkRows = 1u << 17;

struct ColumnChunk {
    uint32_t rows = 0;
    ColumnCoding coding = ColumnCoding::plain;
    uint8_t width = 0;     // bytes a word before zstd: 1, 2, 4 or 8
    std::string_view body; // one zstd frame, somebody else's
};

// The same with a body of its own.
struct PackedChunk {
    ColumnChunk chunk; // its body is empty
    std::string body;
};

// One column of 1-, 2-, 4- or 8-byte values, seen as unsigned words that lie `stride` bytes apart.
struct ColumnView {
    const std::byte* first = nullptr;
    size_t rows = 0;
    uint8_t width = 1;
    ColumnCoding coding = ColumnCoding::plain; // the chunks of wider words become ...Planes
    size_t stride = 1;
};

// The same to be filled.
struct ColumnSpace {
    std::byte* first = nullptr; // of the chunk's first row
    size_t rows = 0;            // of the chunk
    uint8_t width = 1;
    size_t stride = 1;
};

// Rows [part * kChunkRows, ...) of the column.
PackedChunk packChunk(const ColumnView& column, size_t part);
// Writes the chunk's values to `out`. corrupt when the chunk does not hold exactly so many.
Status unpackChunk(const ColumnChunk& chunk, size_t firstRow, const ColumnSpace& out);

} // namespace lockstep
