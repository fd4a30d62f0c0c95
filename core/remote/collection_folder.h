// SPDX-License-Identifier: Apache-2.0
// CollectionFolder: the folder of this machine that a run's files are collected into, and the only way by
// which a name that a host gave becomes a path here. Such names are hostile: whatever a host lists, nothing
// is made outside the folder, no symbolic link in it is followed, and no file is replaced that this run did
// not put there. Folders are made with mode 0700, files with 0600. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

// The relative path that a path on a host has here: no "." parts, no doubled or leading slashes. invalid,
// with the reason: it is empty or names a folder, has a part "..", a control character or a part of more than
// 255 bytes, or lies where devices and the kernel's own files are (/dev but for /dev/shm, /proc, /sys).
Result<std::filesystem::path> confinedPath(std::string_view hostPath);

class CollectionFolder {
  public:
    // Makes the folder where it is not there; a link that leads to it was the user's own wish and is
    // followed. runId: of the run that collects. io.
    static Result<CollectionFolder> open(const std::filesystem::path& wished, std::string runId);
    CollectionFolder(CollectionFolder&& other) noexcept;
    CollectionFolder& operator=(CollectionFolder&&) = delete;
    ~CollectionFolder();

    // Where a host's file is put: FOLDER/HOST/PATH-ON-THE-HOST and the ending. invalid as confinedPath(), or
    // longer than a path may be here.
    Result<std::filesystem::path> placeOf(std::string_view host, std::string_view hostPath,
                                          std::string_view ending = {}) const;
    // The file that what comes from there is written into until it is whole; the folder that holds it is
    // made. Neither depends on a host's words: the name is a digest. io.
    Result<std::filesystem::path> partOf(std::string_view host, std::string_view hostPath,
                                         std::string_view ending = {}) const;
    // Moves a whole part to its place and answers with the path it has there. A file that is there already
    // stays, unless it is ownFile (what this run put there before); if it has the very bytes of the part,
    // the part goes instead, else the part's place is FOLDER/RUN/HOST/... io: a link or something else is in
    // the way, or both places are taken.
    Result<std::filesystem::path> settle(const std::filesystem::path& part,
                                         const std::filesystem::path& place,
                                         const std::filesystem::path& ownFile) const;
    // The folder of parts goes when nothing waits in it.
    void tidy() const;

  private:
    CollectionFolder(std::filesystem::path folder, std::string runId, int fd);
    Result<bool> moveTo(const std::filesystem::path& part, const std::filesystem::path& place,
                        bool mayReplace) const;

    std::filesystem::path m_folder;
    std::string m_runId;
    std::string m_partsName;
    int m_fd = -1;
};

// Opens a file of ours for appending, made with mode 0600: never through a link, never anything but a regular
// file of one name. The descriptor is the caller's. io.
Result<int> openOwnFile(const std::filesystem::path& path);

} // namespace lockstep
