// SPDX-License-Identifier: Apache-2.0
#include "core/readers/text_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "core/base/wide_text.h"

namespace lockstep {

namespace {

constexpr size_t kStoredBlock = 256 * 1024;

// An open file descriptor that is read at increasing positions.
class StoredFile {
  public:
    explicit StoredFile(int fd) : m_fd(fd) {}
    StoredFile(StoredFile&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1)), m_position(other.m_position)
    {
    }
    StoredFile& operator=(StoredFile&&) = delete;
    ~StoredFile()
    {
        if (m_fd >= 0) ::close(m_fd);
    }

    Result<size_t> read(char* out, size_t size)
    {
        size_t got = 0;
        while (got < size) {
            const ssize_t step = ::pread(m_fd, out + got, size - got, static_cast<off_t>(m_position));
            if (step < 0 && errno == EINTR) continue;
            if (step < 0)
                return makeError(ErrorKind::io, std::string("cannot read: ") + std::strerror(errno));
            if (step == 0) break;
            got += static_cast<size_t>(step);
            m_position += static_cast<uint64_t>(step);
        }
        return got;
    }
    uint64_t position() const { return m_position; }
    // Returns "byte 17 of 4096": the place where a stream breaks off, which is `unused` bytes before the
    // position.
    std::string locationText(uint64_t unused) const
    {
        struct stat status = {};
        const auto size = ::fstat(m_fd, &status) == 0 ? static_cast<uint64_t>(status.st_size) : m_position;
        return "byte " + std::to_string(m_position - unused) + " of " + std::to_string(size);
    }
    void setPosition(uint64_t position) { m_position = position; }

  private:
    int m_fd;
    uint64_t m_position = 0;
};

class PlainSource final : public TextSource {
  public:
    explicit PlainSource(StoredFile file) : m_file(std::move(file)) {}
    Result<size_t> read(char* out, size_t size) override { return m_file.read(out, size); }
    Status skip(uint64_t size) override
    {
        m_file.setPosition(m_file.position() + size);
        return {};
    }
    uint64_t storedPosition() const override { return m_file.position(); }

  private:
    StoredFile m_file;
};

class GzipSource final : public TextSource {
  public:
    explicit GzipSource(StoredFile file) : m_file(std::move(file)), m_block(kStoredBlock)
    {
        inflateInit2(&m_stream, kDetectHeader);
    }
    ~GzipSource() override { inflateEnd(&m_stream); }

    Result<size_t> read(char* out, size_t size) override
    {
        m_stream.next_out = reinterpret_cast<Bytef*>(out);
        m_stream.avail_out = static_cast<uInt>(size);
        while (m_stream.avail_out > 0 && !m_isDone) {
            if (m_stream.avail_in == 0 && !LOCKSTEP_TRY(refill())) {
                m_isDone = true;
                if (!m_betweenMembers) m_defect = "the gzip stream is cut short";
                break;
            }
            if (m_trailer_bytes > 0) {
                const uInt passed = std::min(m_trailer_bytes, m_stream.avail_in);
                m_stream.next_in += passed;
                m_stream.avail_in -= passed;
                m_trailer_bytes -= passed;
                continue;
            }
            if (m_betweenMembers && !startsMember()) {
                m_isDone = true; // zero padding or other bytes after the last member
                break;
            }
            if (m_betweenMembers) addPoint(true);
            m_betweenMembers = false;
            const uInt room = m_stream.avail_out;
            const int code = inflate(&m_stream, Z_BLOCK);
            m_text_bytes += room - m_stream.avail_out;
            if (code == Z_STREAM_END) {
                endMember();
            } else if (code == Z_OK && isBetweenBlocks()) {
                addPoint(false);
            } else if (code != Z_OK && code != Z_BUF_ERROR) {
                m_isDone = true;
                m_defect = "the gzip stream is damaged at " + m_file.locationText(m_stream.avail_in) + " (" +
                           (m_stream.msg != nullptr ? m_stream.msg : "?") + ")";
            }
        }
        return size - m_stream.avail_out;
    }
    uint64_t storedPosition() const override { return m_file.position() - m_stream.avail_in; }

  private:
    static constexpr int kDetectHeader = 15 + 32, kWithoutHeader = -15; // windowBits as defined by zlib
    static constexpr uInt kTrailer_bytes = 8;
    static constexpr size_t kWindow_bytes = 32 * 1024;

    Status resume(const PackedPoint& point) override
    {
        m_file.setPosition(point.stored_bytes - (point.bits > 0 ? 1 : 0));
        m_text_bytes = point.text_bytes;
        if (point.isBegin) return {};
        char before = 0;
        if (point.bits > 0) {
            LOCKSTEP_TRY(m_file.read(&before, 1));
        }
        m_isWithoutHeader = true;
        m_betweenMembers = false;
        inflateReset2(&m_stream, kWithoutHeader);
        if (point.bits > 0)
            inflatePrime(&m_stream, point.bits, static_cast<unsigned char>(before) >> (8 - point.bits));
        inflateSetDictionary(&m_stream, reinterpret_cast<const Bytef*>(point.window.data()),
                             static_cast<uInt>(point.window.size()));
        return {};
    }
    bool startsMember() const { return *m_stream.next_in == 0x1F; }
    void endMember()
    {
        m_betweenMembers = true;
        if (std::exchange(m_isWithoutHeader, false)) m_trailer_bytes = kTrailer_bytes;
        inflateReset2(&m_stream, kDetectHeader);
    }
    // Returns true after any block except the last block of a member.
    bool isBetweenBlocks() const { return (m_stream.data_type & (128 | 64)) == 128; }
    void addPoint(bool isBegin)
    {
        if (!m_index.needsPointAt(m_text_bytes)) return;
        PackedPoint point{m_text_bytes, storedPosition(), 0, isBegin};
        if (!isBegin) {
            point.bits = static_cast<uint8_t>(m_stream.data_type & 7);
            uInt size = kWindow_bytes;
            point.window.resize(size);
            inflateGetDictionary(&m_stream, reinterpret_cast<Bytef*>(point.window.data()), &size);
            point.window.resize(size);
        }
        m_index.add(std::move(point));
    }
    Result<bool> refill()
    {
        const size_t got = LOCKSTEP_TRY(m_file.read(m_block.data(), m_block.size()));
        m_stream.next_in = reinterpret_cast<Bytef*>(m_block.data());
        m_stream.avail_in = static_cast<uInt>(got);
        return got > 0;
    }

    StoredFile m_file;
    std::vector<char> m_block;
    z_stream m_stream = {};
    uint64_t m_text_bytes = 0;
    uInt m_trailer_bytes = 0; // trailer size of a member at whose middle reading started
    bool m_isWithoutHeader = false;
    bool m_betweenMembers = false;
    bool m_isDone = false;
};

class ZstdSource final : public TextSource {
  public:
    explicit ZstdSource(StoredFile file)
        : m_file(std::move(file)), m_block(kStoredBlock), m_stream(ZSTD_createDStream(), ZSTD_freeDStream)
    {
    }

    Result<size_t> read(char* out, size_t size) override
    {
        ZSTD_outBuffer output{out, size, 0};
        while (output.pos < output.size && !m_isDone) {
            if (m_input.pos == m_input.size) {
                const size_t got = LOCKSTEP_TRY(m_file.read(m_block.data(), m_block.size()));
                m_input = {m_block.data(), got, 0};
            }
            const bool isLast = m_input.size == 0;
            const size_t before = output.pos;
            const size_t code = ZSTD_decompressStream(m_stream.get(), &output, &m_input);
            if (ZSTD_isError(code)) {
                m_defect = "the zstd stream is damaged at " +
                           m_file.locationText(m_input.size - m_input.pos) + " (" + ZSTD_getErrorName(code) +
                           ")";
                m_isDone = true;
            } else if (isLast && output.pos == before) {
                if (!m_frameDone) m_defect = "the zstd stream is cut short";
                m_isDone = true;
            } else {
                m_frameDone = code == 0;
                m_text_bytes += output.pos - before;
                if (m_frameDone && m_index.needsPointAt(m_text_bytes))
                    m_index.add({m_text_bytes, storedPosition(), 0, true});
            }
        }
        return output.pos;
    }
    uint64_t storedPosition() const override { return m_file.position() - (m_input.size - m_input.pos); }

  private:
    Status resume(const PackedPoint& point) override
    {
        m_file.setPosition(point.stored_bytes);
        m_text_bytes = point.text_bytes;
        return {};
    }

    StoredFile m_file;
    uint64_t m_text_bytes = 0;
    std::vector<char> m_block;
    std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> m_stream;
    ZSTD_inBuffer m_input = {nullptr, 0, 0};
    bool m_frameDone = true;
    bool m_isDone = false;
};

// Converts the text of another source. It has no index, because positions in the converted text differ from
// those in the source.
class WideSource final : public TextSource {
  public:
    WideSource(std::unique_ptr<TextSource> source, WideEncoding encoding)
        : m_source(std::move(source)), m_decoder(encoding), m_block(kStoredBlock)
    {
    }

    Result<size_t> read(char* out, size_t size) override
    {
        size_t done = 0;
        while (done < size) {
            if (m_at == m_text.size() && !LOCKSTEP_TRY(refill())) break;
            const size_t count = std::min(size - done, m_text.size() - m_at);
            std::memcpy(out + done, m_text.data() + m_at, count);
            m_at += count;
            done += count;
        }
        return done;
    }
    uint64_t storedPosition() const override { return m_source->storedPosition(); }

  private:
    Result<bool> refill()
    {
        m_text.clear();
        m_at = 0;
        while (m_text.empty()) {
            const size_t got = LOCKSTEP_TRY(m_source->read(m_block.data(), m_block.size()));
            if (got == 0) {
                m_defect = m_source->defect();
                if (m_defect.empty() && m_decoder.isCut()) m_defect = "the text ends within a character";
                return false;
            }
            m_decoder.decode({m_block.data(), got}, m_text);
        }
        return true;
    }

    std::unique_ptr<TextSource> m_source;
    WideDecoder m_decoder;
    std::vector<char> m_block;
    std::string m_text;
    size_t m_at = 0; // in m_text
};

Result<std::unique_ptr<TextSource>> openBytes(const std::filesystem::path& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        const ErrorKind kind = errno == ENOENT ? ErrorKind::notFound : ErrorKind::io;
        return makeError(kind, path.string() + ": cannot open: " + std::strerror(errno));
    }
    StoredFile file(fd);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    std::array<char, 4> magic = {};
    LOCKSTEP_TRY(file.read(magic.data(), magic.size()));
    file.setPosition(0);
    const std::string_view head(magic.data(), magic.size());
    if (head.starts_with("\x1F\x8B")) return std::unique_ptr<TextSource>(new GzipSource(std::move(file)));
    if (head.starts_with("\x28\xB5\x2F\xFD"))
        return std::unique_ptr<TextSource>(new ZstdSource(std::move(file)));
    return std::unique_ptr<TextSource>(new PlainSource(std::move(file)));
}

} // namespace

Status TextSource::skip(uint64_t size)
{
    std::vector<char> scratch(static_cast<size_t>(std::min<uint64_t>(size, 1024 * 1024)));
    while (size > 0) {
        const size_t got =
            LOCKSTEP_TRY(read(scratch.data(), static_cast<size_t>(std::min<uint64_t>(size, scratch.size()))));
        if (got == 0) break;
        size -= got;
    }
    return {};
}

Status TextSource::resume(const PackedPoint&)
{
    return {};
}

Result<std::unique_ptr<TextSource>> TextSource::openAt(const std::filesystem::path& path, uint64_t text_bytes,
                                                       const PackedIndex* index)
{
    auto source = LOCKSTEP_TRY(open(path));
    const PackedPoint* const point = index != nullptr ? index->before(text_bytes) : nullptr;
    if (point != nullptr) {
        LOCKSTEP_TRY(source->resume(*point));
    }
    LOCKSTEP_TRY(source->skip(text_bytes - (point != nullptr ? point->text_bytes : 0)));
    return source;
}

Result<std::unique_ptr<TextSource>> TextSource::open(const std::filesystem::path& path)
{
    auto peeked = LOCKSTEP_TRY(openBytes(path));
    std::array<char, 4> head = {};
    const size_t got = LOCKSTEP_TRY(peeked->read(head.data(), head.size()));
    auto source = LOCKSTEP_TRY(openBytes(path)); // reads again from the start
    const WideEncoding encoding = wideEncodingOf({head.data(), got});
    if (encoding == WideEncoding::none) return source;
    return std::unique_ptr<TextSource>(new WideSource(std::move(source), encoding));
}

} // namespace lockstep
