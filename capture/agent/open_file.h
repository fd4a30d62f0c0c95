// SPDX-License-Identifier: Apache-2.0
// OpenFile reads parts of a file that another process may write, truncate or replace, so it must not be
// memory-mapped. Opening never blocks, not even for a pipe. One thread.
#pragma once

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace lockstep::agent {

class OpenFile {
  public:
    explicit OpenFile(const std::filesystem::path& path)
        : m_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK))
    {
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile()
    {
        if (m_fd >= 0) ::close(m_fd);
    }

    bool isOpen() const { return m_fd >= 0; }
    // Returns the available bytes, at most `size`.
    std::string at(uint64_t offset, size_t size) const
    {
        std::string bytes(size, '\0');
        size_t done = 0;
        while (m_fd >= 0 && done < size) {
            const ssize_t got =
                ::pread(m_fd, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            done += static_cast<size_t>(got);
        }
        bytes.resize(done);
        return bytes;
    }

  private:
    int m_fd = -1;
};

} // namespace lockstep::agent
