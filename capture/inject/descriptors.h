// SPDX-License-Identifier: Apache-2.0
// Opening files inside somebody else's process without getting in the way of its descriptors. A program
// expects its next file under the lowest free number (that is how 0, 1 and 2 are replaced), and many close
// every low number when they start. So what the library opens lives at 512 or higher wherever RLIMIT_NOFILE
// allows it, and never at 0, 1 or 2. A number alone does not say that a descriptor is still ours: compare
// fileIdentity() before writing to or closing one that was kept. Any thread, also in a signal handler, except
// readFile(), which allocates.
//
// A descriptor table of the writer's own (CLOSE_RANGE_UNSHARE) would need none of this, but CUPTI is called
// on that thread too, and it uses the driver's descriptors.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::capture {

// Which file a descriptor refers to.
struct FileIdentity {
    uint64_t device = 0;
    uint64_t inode = 0;
    bool isRegular = false;
    uint64_t size_bytes = 0;
    uint64_t links = 0; // names in the file system; 0: removed while it was open

    bool isSameFile(const FileIdentity& other) const noexcept
    {
        return device == other.device && inode == other.inode;
    }
};

// Nothing when the descriptor is closed.
std::optional<FileIdentity> fileIdentity(int descriptor) noexcept;

// open() with O_CLOEXEC, O_NOCTTY and O_NONBLOCK (regular files ignore the last; a FIFO does not block). A
// descriptor that the caller closes, or -1 with errno set.
int openAside(const char* path, int flags, mode_t mode = 0) noexcept;

// Closes a descriptor that was kept, unless the program closed it before and uses its number for another
// file.
void closeOwn(int descriptor, const FileIdentity& identity) noexcept;

// The first `limit_bytes` of a regular file (those of /proc are regular, too). Empty when there is no such
// file. Throws std::bad_alloc.
std::string readFile(const char* path, size_t limit_bytes);

} // namespace lockstep::capture
