// SPDX-License-Identifier: Apache-2.0
#include "core/base/inflate.h"

#include <algorithm>
#include <memory>

#include <zlib.h>
#include <zstd.h>

namespace lockstep {

namespace {

constexpr size_t kFirstOutput = 64 * 1024;
constexpr size_t kStep = 1024 * 1024; // output bytes between two progress checks

Error tooLarge(size_t limit_bytes)
{
    return {ErrorKind::unsupported, "decompresses to more than " + std::to_string(limit_bytes) + " bytes"};
}

// Makes room for more output after `used` bytes. Returns false if the limit is reached or no memory is
// available.
bool grow(GrowingBytes& out, size_t used, size_t limit_bytes)
{
    if (used < out.size()) return true;
    if (out.size() > limit_bytes) return false;
    return out.resize(std::min(std::max(kFirstOutput, out.size() * 2), limit_bytes + 1));
}

struct EndInflate {
    void operator()(z_stream* stream) const
    {
        inflateEnd(stream);
        delete stream;
    }
};

} // namespace

Result<Inflated> inflated(std::string_view compressed, size_t limit_bytes, const Progress& progress)
{
    constexpr size_t kSlice = size_t(1) << 30; // avail_in has only 32 bits
    std::unique_ptr<z_stream, EndInflate> stream(new z_stream());
    if (inflateInit2(stream.get(), 15 + 32) != Z_OK)
        return makeError(ErrorKind::io, "zlib cannot be initialized");
    Inflated out;
    size_t used = 0, taken = 0;
    bool ended = false;
    while (grow(out.bytes, used, limit_bytes)) {
        LOCKSTEP_TRY(progress.check());
        const size_t give = std::min(compressed.size() - taken, kSlice);
        const size_t room = std::min(out.bytes.size() - used, kStep);
        stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data() + taken));
        stream->avail_in = static_cast<uInt>(give);
        stream->next_out = reinterpret_cast<Bytef*>(out.bytes.data() + used);
        stream->avail_out = static_cast<uInt>(room);
        const int state = ::inflate(stream.get(), Z_NO_FLUSH);
        taken += give - stream->avail_in;
        used += room - stream->avail_out;
        ended = state == Z_STREAM_END;
        const bool another = ended && compressed.substr(taken).starts_with("\x1F\x8B");
        if (another) inflateReset(stream.get());
        if ((ended && !another) || (state != Z_OK && !ended)) break;
    }
    if (used > limit_bytes) return tl::make_unexpected(tooLarge(limit_bytes));
    if (used == 0 && !ended) return makeError(ErrorKind::corrupt, "the compressed stream cannot be read");
    out.bytes.resize(used);
    out.isComplete = ended;
    return out;
}

Result<Inflated> unzstd(std::string_view compressed, size_t limit_bytes, const Progress& progress)
{
    const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                          ZSTD_freeDStream);
    Inflated out;
    size_t used = 0, left = 1;
    ZSTD_inBuffer in{compressed.data(), compressed.size(), 0};
    while (grow(out.bytes, used, limit_bytes)) {
        LOCKSTEP_TRY(progress.check());
        ZSTD_outBuffer room{out.bytes.data(), std::min(out.bytes.size(), used + kStep), used};
        left = ZSTD_decompressStream(stream.get(), &room, &in);
        const bool stuck = room.pos == used && in.pos == in.size;
        used = room.pos;
        if (ZSTD_isError(left) || stuck || (left == 0 && in.pos == in.size)) break;
    }
    if (used > limit_bytes) return tl::make_unexpected(tooLarge(limit_bytes));
    if (used == 0 && left != 0) return makeError(ErrorKind::corrupt, "the compressed stream cannot be read");
    out.bytes.resize(used);
    out.isComplete = left == 0;
    return out;
}

bool isCompressed(std::string_view bytes)
{
    return bytes.starts_with("\x1F\x8B") || bytes.starts_with("\x28\xB5\x2F\xFD");
}

Result<Inflated> uncompressed(std::string_view bytes, size_t limit_bytes, const Progress& progress)
{
    return bytes.starts_with("\x1F\x8B") ? inflated(bytes, limit_bytes, progress)
                                         : unzstd(bytes, limit_bytes, progress);
}

} // namespace lockstep
