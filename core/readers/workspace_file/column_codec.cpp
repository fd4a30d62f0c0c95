// SPDX-License-Identifier: Apache-2.0
#include "core/readers/workspace_file/column_codec.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include <zstd.h>

namespace lockstep {

namespace {

constexpr int kLevel = 1; // workspaces are saved often, and higher levels gain little on differences

// Converts a signed difference to an unsigned word and back; small magnitudes become small words.
template<class Word>
Word zigzag(Word difference)
{
    constexpr int kTop = std::numeric_limits<Word>::digits - 1;
    return static_cast<Word>(static_cast<Word>(difference << 1) ^
                             static_cast<Word>(0 - (difference >> kTop)));
}

template<class Word>
Word unzigzag(Word word)
{
    return static_cast<Word>((word >> 1) ^ static_cast<Word>(0 - (word & 1)));
}

// Computes the words of a chunk. For fromRow, 0 means the none ID, and all other words are increased by one.
template<class Word>
std::vector<Word> coded(const ColumnView& column, size_t firstRow, size_t rows)
{
    const ColumnCoding coding = column.coding;
    const std::byte* const first = column.first + firstRow * column.stride;
    std::vector<Word> words(rows);
    if (column.stride == sizeof(Word)) {
        std::memcpy(words.data(), first, rows * sizeof(Word));
    } else {
        for (size_t i = 0; i < rows; ++i)
            std::memcpy(&words[i], first + i * column.stride, sizeof(Word));
    }
    if (coding == ColumnCoding::delta) {
        Word before = 0;
        for (Word& word : words)
            word = zigzag(static_cast<Word>(word - std::exchange(before, word)));
    } else if (coding == ColumnCoding::fromRow) {
        constexpr Word kNone = std::numeric_limits<Word>::max();
        for (size_t i = 0; i < words.size(); ++i) {
            const auto row = static_cast<Word>(firstRow + i);
            words[i] = words[i] == kNone ? Word(0)
                                         : static_cast<Word>(zigzag(static_cast<Word>(row - words[i])) + 1);
        }
    }
    return words;
}

template<class Word>
void decode(std::span<Word> words, ColumnCoding coding, size_t firstRow)
{
    if (coding == ColumnCoding::delta) {
        Word value = 0;
        for (Word& word : words)
            word = value = static_cast<Word>(value + unzigzag(word));
    } else if (coding == ColumnCoding::fromRow) {
        for (size_t i = 0; i < words.size(); ++i) {
            const auto row = static_cast<Word>(firstRow + i);
            words[i] = words[i] == 0 ? std::numeric_limits<Word>::max()
                                     : static_cast<Word>(row - unzigzag(static_cast<Word>(words[i] - 1)));
        }
    }
}

template<class Narrow, class Word>
std::string narrowed(const std::vector<Word>& words)
{
    std::string out(words.size() * sizeof(Narrow), '\0');
    std::vector<Narrow> narrow(words.begin(), words.end());
    std::memcpy(out.data(), narrow.data(), out.size());
    return out;
}

uint8_t widthFor(uint64_t largest)
{
    const auto bytes = static_cast<unsigned>((std::bit_width(largest) + 7) / 8);
    return static_cast<uint8_t>(std::bit_ceil(std::max(bytes, 1u)));
}

template<class Word>
std::string narrowedTo(uint8_t width, const std::vector<Word>& words)
{
    switch (width) {
    case 1:
        return narrowed<uint8_t>(words);
    case 2:
        return narrowed<uint16_t>(words);
    case 4:
        return narrowed<uint32_t>(words);
    default:
        return narrowed<uint64_t>(words);
    }
}

// Returns byte 0 of every word, then byte 1 of every word, ...
std::string inPlanes(const std::string& words, size_t width)
{
    std::string planes(words.size(), '\0');
    const size_t rows = words.size() / width;
    for (size_t plane = 0; plane < width; ++plane) {
        for (size_t i = 0; i < rows; ++i)
            planes[plane * rows + i] = words[i * width + plane];
    }
    return planes;
}

template<class Word>
void joinPlanes(std::span<Word> words, const std::byte* raw, size_t width)
{
    std::ranges::fill(words, Word(0));
    for (size_t plane = 0; plane < width; ++plane) {
        const std::byte* const bytes = raw + plane * words.size();
        for (size_t i = 0; i < words.size(); ++i) {
            words[i] = static_cast<Word>(words[i] |
                                         static_cast<Word>(std::to_integer<Word>(bytes[i]) << (8 * plane)));
        }
    }
}

bool isInPlanes(ColumnCoding coding)
{
    return coding >= ColumnCoding::plainPlanes;
}

ColumnCoding withoutPlanes(ColumnCoding coding)
{
    constexpr auto kFirst = static_cast<uint8_t>(ColumnCoding::plainPlanes);
    return isInPlanes(coding) ? static_cast<ColumnCoding>(static_cast<uint8_t>(coding) - kFirst) : coding;
}

ColumnCoding withPlanes(ColumnCoding coding)
{
    constexpr auto kFirst = static_cast<uint8_t>(ColumnCoding::plainPlanes);
    return static_cast<ColumnCoding>(static_cast<uint8_t>(coding) + kFirst);
}

std::string compressed(const std::string& raw)
{
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    std::string body(ZSTD_compressBound(raw.size()), '\0');
    const size_t size = ZSTD_compress2(context, body.data(), body.size(), raw.data(), raw.size());
    ZSTD_freeCCtx(context);
    // Compression cannot fail with this bound. If it did, the empty body would be reported as corrupt.
    body.resize(ZSTD_isError(size) ? 0 : size);
    body.shrink_to_fit();
    return body;
}

template<class Word>
PackedChunk pack(const ColumnView& column, size_t firstRow, size_t rows)
{
    const std::vector<Word> words = coded<Word>(column, firstRow, rows);
    PackedChunk out;
    ColumnChunk& chunk = out.chunk;
    chunk.rows = static_cast<uint32_t>(words.size());
    chunk.coding = column.coding;
    chunk.width = widthFor(words.empty() ? 0 : *std::ranges::max_element(words));
    const std::string raw = narrowedTo(chunk.width, words);
    if (chunk.width > 1) chunk.coding = withPlanes(column.coding);
    out.body = compressed(chunk.width > 1 ? inPlanes(raw, chunk.width) : raw);
    return out;
}

template<class Word, class Narrow>
void widen(std::span<Word> words, const std::byte* narrow)
{
    for (size_t i = 0; i < words.size(); ++i) {
        Narrow word;
        std::memcpy(&word, narrow + i * sizeof(Narrow), sizeof(Narrow));
        words[i] = static_cast<Word>(word);
    }
}

// `raw` points to the words themselves if they have full width in the chunk and are not stored as planes;
// otherwise it points to a separate buffer.
template<class Word>
void unpack(std::span<Word> words, const std::byte* raw, const ColumnChunk& chunk, size_t firstRow)
{
    const bool isDirect = raw == reinterpret_cast<const std::byte*>(words.data());
    if (isInPlanes(chunk.coding))
        joinPlanes(words, raw, chunk.width);
    else if (isDirect) {
    } else if (chunk.width == 1)
        widen<Word, uint8_t>(words, raw);
    else if (chunk.width == 2)
        widen<Word, uint16_t>(words, raw);
    else if (chunk.width == 4)
        widen<Word, uint32_t>(words, raw);
    decode(words, withoutPlanes(chunk.coding), firstRow);
}

// Decodes into the memory of the column. If the words of the column are not contiguous, decodes into a
// scratch buffer first.
template<class Word>
Status unpackWords(const ColumnChunk& chunk, size_t firstRow, const ColumnSpace& out)
{
    // at most 1 MB, so that it stays in the cache; reused by this worker
    thread_local std::vector<std::byte> scratch;
    thread_local std::vector<Word> separate;
    const bool isStrided = out.stride != sizeof(Word);
    if (isStrided) separate.resize(out.rows);
    const std::span<Word> words(isStrided ? separate.data() : reinterpret_cast<Word*>(out.first), out.rows);
    const size_t raw_bytes = out.rows * chunk.width;
    const bool isDirect = chunk.width == sizeof(Word) && !isInPlanes(chunk.coding);
    if (!isDirect) scratch.resize(raw_bytes);
    std::byte* const raw = isDirect ? reinterpret_cast<std::byte*>(words.data()) : scratch.data();
    const size_t got = ZSTD_decompress(raw, raw_bytes, chunk.body.data(), chunk.body.size());
    if (ZSTD_isError(got) || got != raw_bytes)
        return makeError(ErrorKind::corrupt, "a chunk cannot be decompressed");
    unpack(words, raw, chunk, firstRow);
    for (size_t i = 0; isStrided && i < out.rows; ++i)
        std::memcpy(out.first + i * out.stride, &words[i], sizeof(Word));
    return {};
}

} // namespace

PackedChunk packChunk(const ColumnView& column, size_t part)
{
    const size_t firstRow = part * kChunkRows;
    const size_t rows = std::min<size_t>(kChunkRows, column.rows - firstRow);
    switch (column.width) {
    case 1:
        return pack<uint8_t>(column, firstRow, rows);
    case 2:
        return pack<uint16_t>(column, firstRow, rows);
    case 4:
        return pack<uint32_t>(column, firstRow, rows);
    default:
        return pack<uint64_t>(column, firstRow, rows);
    }
}

Status unpackChunk(const ColumnChunk& chunk, size_t firstRow, const ColumnSpace& out)
{
    const bool isKnown = chunk.coding < ColumnCoding::count && chunk.width <= out.width &&
                         std::has_single_bit(chunk.width) && chunk.rows <= kChunkRows &&
                         out.rows == chunk.rows;
    if (!isKnown) return makeError(ErrorKind::corrupt, "a chunk has an invalid size or encoding");
    switch (out.width) {
    case 1:
        return unpackWords<uint8_t>(chunk, firstRow, out);
    case 2:
        return unpackWords<uint16_t>(chunk, firstRow, out);
    case 4:
        return unpackWords<uint32_t>(chunk, firstRow, out);
    default:
        return unpackWords<uint64_t>(chunk, firstRow, out);
    }
}

} // namespace lockstep
