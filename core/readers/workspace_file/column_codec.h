// SPDX-License-Identifier: Apache-2.0
// Encodes a column of plain values as compressed chunks. If the values increase, their differences are
// stored. Words have as few bytes as the chunk needs. They are stored as planes (all lowest bytes first, then
// the next ones), because high bytes rarely differ. The result is compressed with zstd, with a checksum.
// Chunks are independent of each other, so they are encoded and decoded in parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

// How the stored words of a chunk are computed from the values.
enum class ColumnCoding : uint8_t {
    plain, // the values themselves
    delta, // zigzag-encoded difference from the previous value (from 0 for the first value)
    // zigzag-encoded (row - value), for IDs of nearby rows (parents); the none ID is encoded separately
    fromRow,
    plainPlanes, // like plain, but stored as planes: byte 0 of every word, then byte 1, ...
    deltaPlanes,
    fromRowPlanes,
    count
};

inline constexpr uint32_t kChunkRows = 1u << 17;

struct ColumnChunk {
    uint32_t rows = 0;
    ColumnCoding coding = ColumnCoding::plain;
    uint8_t width = 0;     // bytes per word before zstd: 1, 2, 4 or 8
    std::string_view body; // one zstd frame, not owned
};

// A chunk that owns its body.
struct PackedChunk {
    ColumnChunk chunk; // chunk with an empty body
    std::string body;
};

// One column of 1-, 2-, 4- or 8-byte values, which are read as unsigned words at a distance of `stride`
// bytes.
struct ColumnView {
    const std::byte* first = nullptr;
    size_t rows = 0;
    uint8_t width = 1;
    // coding of the column; chunks with wider words use the ...Planes variant
    ColumnCoding coding = ColumnCoding::plain;
    size_t stride = 1;
};

// Memory for the values of a chunk.
struct ColumnSpace {
    std::byte* first = nullptr; // address of the chunk's first row
    size_t rows = 0;            // number of rows in the chunk
    uint8_t width = 1;
    size_t stride = 1;
};

// Encodes chunk number `part` of the column, i.e. the rows [part * kChunkRows, ...).
PackedChunk packChunk(const ColumnView& column, size_t part);
// Decodes the values of a chunk to `out`. Returns corrupt if the chunk does not contain exactly the expected
// number of rows.
Status unpackChunk(const ColumnChunk& chunk, size_t firstRow, const ColumnSpace& out);

} // namespace lockstep
