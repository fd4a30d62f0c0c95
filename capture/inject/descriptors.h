// SPDX-License-Identifier: Apache-2.0
// Opens files inside the program's process without interfering with the program's descriptors. A program
// expects its next file to get the lowest free number (this is how 0, 1 and 2 are replaced), and many
// programs close every low number at startup. Descriptors of the library are therefore 512 or higher if
// RLIMIT_NOFILE allows it, and never 0, 1 or 2. A descriptor number alone does not prove that the descriptor
// still belongs to the library, so compare fileIdentity() before writing to or closing a stored descriptor.
// Any thread, also in a signal handler, except for readFile(), which allocates.
//
// A separate descriptor table for the writer (CLOSE_RANGE_UNSHARE) would avoid these problems, but CUPTI is
// also called on the writer thread and uses the driver's descriptors.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::capture {

// Identifies the file that a descriptor refers to.
struct FileIdentity {
    uint64_t device = 0;
    uint64_t inode = 0;
    bool isRegular = false;
    uint64_t size_bytes = 0;
    uint64_t links = 0; // number of hard links; 0 = removed while open

    bool isSameFile(const FileIdentity& other) const noexcept
    {
        return device == other.device && inode == other.inode;
    }
};

// Returns nullopt if the descriptor is closed.
std::optional<FileIdentity> fileIdentity(int descriptor) noexcept;

// Calls open() with O_CLOEXEC, O_NOCTTY and O_NONBLOCK (ignored by regular files; prevents blocking on a
// FIFO). Returns a descriptor that the caller must close, or -1 with errno set.
int openHigh(const char* path, int flags, mode_t mode = 0) noexcept;

// Closes a stored descriptor, unless the program has already closed it and uses its number for another file.
void closeOwn(int descriptor, const FileIdentity& identity) noexcept;

// Returns the first `limit_bytes` of a regular file (including files in /proc), or "" if there is no such
// file. May throw std::bad_alloc.
std::string readFile(const char* path, size_t limit_bytes);

} // namespace lockstep::capture
