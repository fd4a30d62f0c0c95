// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <zlib.h>
#include <zstd.h>

#include "core/base/wide_text.h"
#include "core/readers/reader.h"

namespace lockstep {

namespace {

std::string inflateHead(const std::string& head)
{
    z_stream stream = {};
    if (inflateInit2(&stream, 15 + 32) != Z_OK) return {};
    std::string text(FileSniff::kHead, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(head.data()));
    stream.avail_in = static_cast<uInt>(head.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    // for a truncated or corrupt stream, this yields the data before the fault
    inflate(&stream, Z_SYNC_FLUSH);
    text.resize(stream.total_out);
    inflateEnd(&stream);
    return text;
}

std::string unzstdHead(const std::string& head)
{
    ZSTD_DStream* const stream = ZSTD_createDStream();
    std::string text(FileSniff::kHead, '\0');
    ZSTD_inBuffer in{head.data(), head.size(), 0};
    ZSTD_outBuffer out{text.data(), text.size(), 0};
    while (in.pos < in.size && out.pos < out.size) {
        if (ZSTD_isError(ZSTD_decompressStream(stream, &out, &in))) break;
    }
    text.resize(out.pos);
    ZSTD_freeDStream(stream);
    return text;
}

} // namespace

FileSniff sniffOf(const std::filesystem::path& path, uint64_t size_bytes, std::string head, std::string tail)
{
    FileSniff sniff;
    sniff.path = path;
    sniff.size_bytes = size_bytes;
    sniff.head = std::move(head);
    sniff.tail = std::move(tail);
    if (sniff.head.starts_with("\x1F\x8B")) {
        sniff.text = inflateHead(sniff.head);
    } else if (sniff.head.starts_with("\x28\xB5\x2F\xFD")) {
        sniff.text = unzstdHead(sniff.head);
    } else {
        sniff.text = sniff.head;
    }
    if (const WideEncoding encoding = wideEncodingOf(sniff.text); encoding != WideEncoding::none) {
        std::string text;
        WideDecoder(encoding).decode(sniff.text, text);
        sniff.text = std::move(text);
    }
    return sniff;
}

Result<FileSniff> sniffFile(const std::filesystem::path& path)
{
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (error == std::errc::permission_denied)
        return makeError(ErrorKind::io, path.string() + ": cannot read: " + error.message());
    if (!std::filesystem::exists(status))
        return makeError(ErrorKind::notFound, path.string() + ": no such file");
    if (std::filesystem::is_directory(status)) {
        std::filesystem::directory_iterator(path, error);
        return makeError(ErrorKind::io,
                         path.string() + (error ? ": cannot list the folder: " + error.message()
                                                : std::string(": a folder, not a file")));
    }
    if (!std::filesystem::is_regular_file(status))
        return makeError(ErrorKind::io, path.string() + ": not a regular file");
    std::ifstream file(path, std::ios::binary);
    if (!file) return makeError(ErrorKind::io, path.string() + ": cannot open: " + std::strerror(errno));
    const uint64_t size_bytes = std::filesystem::file_size(path, error);
    const auto take = [&](uint64_t from, uint64_t size) {
        std::string bytes(size, '\0');
        file.seekg(static_cast<std::streamoff>(from));
        file.read(bytes.data(), static_cast<std::streamsize>(size));
        bytes.resize(static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
        file.clear();
        return bytes;
    };
    std::string head = take(0, std::min<uint64_t>(size_bytes, FileSniff::kHead));
    const uint64_t tail = std::min<uint64_t>(size_bytes, 16);
    return sniffOf(path, size_bytes, std::move(head), take(size_bytes - tail, tail));
}

} // namespace lockstep
