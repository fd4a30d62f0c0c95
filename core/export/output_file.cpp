#include "core/export/output_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace lockstep {

namespace {

constexpr size_t kBufferBytes = 256 * 1024;

tl::unexpected<Error> ioError(const std::filesystem::path& path, int code)
{
    return makeError(ErrorKind::io, path.string() + ": cannot write: " + std::strerror(code));
}

} // namespace

Result<OutputFile> OutputFile::create(const std::filesystem::path& path)
{
    OutputFile file;
    file.m_path = path;
    for (int attempt = 0; attempt < 100; ++attempt) {
        file.m_temporary =
            path.parent_path() / ("." + path.filename().string() + "." + std::to_string(::getpid()) + "-" +
                                  std::to_string(attempt) + ".part");
        file.m_file = ::open(file.m_temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file.m_file >= 0) return file;
        if (errno != EEXIST) break;
    }
    return ioError(path, errno);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : m_path(std::move(other.m_path)), m_temporary(std::move(other.m_temporary)),
      m_file(std::exchange(other.m_file, -1)), m_buffer(std::move(other.m_buffer)), m_failure(other.m_failure)
{
}

OutputFile::~OutputFile()
{
    if (m_file < 0) return;
    ::close(m_file);
    ::unlink(m_temporary.c_str());
}

void OutputFile::write(std::string_view bytes)
{
    m_buffer += bytes;
    if (m_buffer.size() >= kBufferBytes) flush();
}

void OutputFile::flush()
{
    std::string_view left = m_buffer;
    while (!left.empty() && m_failure == 0) {
        const ssize_t written = ::write(m_file, left.data(), left.size());
        if (written >= 0) {
            left.remove_prefix(static_cast<size_t>(written));
        } else if (errno != EINTR) {
            m_failure = errno;
        }
    }
    m_buffer.clear();
}

Result<bool> OutputFile::commit()
{
    flush();
    if (m_failure == 0 && ::fsync(m_file) != 0 && errno != EINVAL) m_failure = errno;
    if (m_failure == 0 && ::rename(m_temporary.c_str(), m_path.c_str()) != 0) m_failure = errno;
    if (m_failure != 0) return ioError(m_path, m_failure);
    ::close(m_file);
    m_file = -1;
    return true;
}

} // namespace lockstep
