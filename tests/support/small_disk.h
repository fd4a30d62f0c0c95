// SPDX-License-Identifier: Apache-2.0
// A separate file system at a folder: small, read-only or noexec, as on real hosts.
#pragma once

#include <filesystem>
#include <string>

#include <sys/mount.h>

namespace lockstep::test {

// SmallDisk mounts a small file system at a folder for its lifetime; isMounted is false if this user may not
// mount.
class SmallDisk {
  public:
    // flags: of mount(2), MS_NOEXEC and the like.
    SmallDisk(std::filesystem::path folder, const char* size, unsigned long flags = 0)
        : m_folder(std::move(folder))
    {
        std::filesystem::create_directories(m_folder);
        const std::string options = std::string("mode=0777,size=") + size;
        isMounted = ::mount("tmpfs", m_folder.c_str(), "tmpfs", flags, options.c_str()) == 0;
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk()
    {
        if (isMounted) ::umount2(m_folder.c_str(), MNT_DETACH);
    }

    const std::filesystem::path& path() const { return m_folder; }

    bool isMounted = false;

  private:
    std::filesystem::path m_folder;
};

} // namespace lockstep::test
