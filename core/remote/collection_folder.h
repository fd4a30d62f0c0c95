// SPDX-License-Identifier: Apache-2.0
// CollectionFolder is the local folder for a run's collected files. It is the only place where a path from a
// host becomes a local path. Paths from hosts are untrusted: whatever a host lists, nothing is created
// outside the folder, no symbolic link in the folder is followed, and only files of this run are replaced.
// Folders have mode 0700, files 0600. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

class CollectionFolder {
  public:
    // Opens the folder, and creates it if necessary. A link in the given path is followed, because the user
    // chose the path. runId is the run that is being collected. Errors: io.
    static Result<CollectionFolder> open(const std::filesystem::path& desired, std::string runId);
    CollectionFolder(CollectionFolder&& other) noexcept;
    CollectionFolder& operator=(CollectionFolder&&) = delete;
    ~CollectionFolder();

    // Returns the place for a host's file, FOLDER/HOST/PATH-ON-THE-HOST followed by the suffix. Returns
    // invalid in the same cases as confinedPath(), or if the path is too long for this machine.
    Result<std::filesystem::path> placeOf(std::string_view host, std::string_view hostPath,
                                          std::string_view ending = {}) const;
    // Returns the part file, which receives the data until it is complete, and creates its folder. The name
    // is a digest, so it does not contain text from the host. Errors: io.
    Result<std::filesystem::path> partOf(std::string_view host, std::string_view hostPath,
                                         std::string_view ending = {}) const;
    // Moves a complete part to its place and returns the final path. An existing file is kept, unless it is
    // ownFile (a file that this run wrote before). If the existing file has the same bytes, the part is
    // deleted; otherwise the part goes to FOLDER/RUN/HOST/... Returns io if a link or another object is in
    // the way, or if both places are taken.
    Result<std::filesystem::path> moveIntoPlace(const std::filesystem::path& part,
                                                const std::filesystem::path& place,
                                                const std::filesystem::path& ownFile) const;
    // Removes the folder for part files if it is empty.
    void removePartsFolder() const;

  private:
    CollectionFolder(std::filesystem::path folder, std::string runId, int fd);
    Result<bool> moveTo(const std::filesystem::path& part, const std::filesystem::path& place,
                        bool mayReplace) const;

    std::filesystem::path m_folder;
    std::string m_runId;
    std::string m_partsName;
    int m_fd = -1;
};

// Opens or creates a file for appending, with mode 0600. Rejects links and anything other than a regular file
// with a single hard link. The caller owns the descriptor. Errors: io.
Result<int> openPrivateFile(const std::filesystem::path& path);

} // namespace lockstep
