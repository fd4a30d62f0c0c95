// SPDX-License-Identifier: Apache-2.0
// A column of plain values as compressed chunks: differences where the values rise, in as few bytes as the
// chunk needs, all lowest bytes first, then all next ones: high bytes hardly differ and low ones do not hide
// it. Then zstd with a checksum. Chunks are independent, so they are packed and unpacked in
// parallel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
    uint8_t width = 0; // bytes a word before zstd: 1, 2, 4 or 8
    std::string body;  // one zstd frame
};

// One column of 1-, 2-, 4- or 8-byte values, seen as unsigned words. rows = bytes.size() / width.
struct ColumnView {
    std::span<const std::byte> bytes;
    uint8_t width = 1;
    ColumnCoding coding = ColumnCoding::plain; // the chunks of wider words become ...Planes

    size_t rows() const { return bytes.size() / width; }
};

// Rows [part * kChunkRows, ...) of the column.
ColumnChunk packChunk(const ColumnView& column, size_t part);
// Writes the chunk's values to `out`, which is rows * width bytes, width being the column's. corrupt when the
// chunk does not hold exactly that.
Status unpackChunk(const ColumnChunk& chunk, uint8_t width, size_t firstRow, std::span<std::byte> out);

} // namespace lockstep
