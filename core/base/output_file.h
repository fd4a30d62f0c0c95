// SPDX-License-Identifier: Apache-2.0
// OutputFile: a file that appears completely or not at all. Until commit() it has no name if the file system
// supports that (O_TMPFILE), so nothing remains if the program is killed. Elsewhere the bytes go to a hidden
// file next to it, ".NAME.PID-N.part", which the object removes; the next program that writes NAME removes
// the leftovers of killed programs. An existing file with that name is not changed until commit().
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

class OutputFile {
  public:
    // Creates the file. The file gets the mode of the file that it replaces, otherwise `mode` minus the
    // umask. It is private by default, because exports contain names of code, arguments and hosts. A symbolic
    // link is preserved, and its target is replaced. Returns io if the folder is not writable.
    static Result<OutputFile> create(const std::filesystem::path& path, unsigned mode = 0600);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    // Writes through a buffer. commit() reports the first failure.
    void write(std::string_view bytes);
    // Syncs the bytes, moves the file to its name, then syncs the folder. If it returns io, nothing has
    // changed.
    Status commit();

  private:
    OutputFile() = default;
    // Returns a path under which this process can open the file before commit().
    std::string openName() const;
    bool openUnnamed(unsigned mode);
    bool openHidden(unsigned mode);
    void removeLeftovers() const;
    std::filesystem::path hiddenName(int attempt) const;
    bool moveToPath();
    void flush();
    void writeUnbuffered(std::string_view left);

    std::filesystem::path m_path;
    std::filesystem::path m_hidden; // empty while the file has no name
    int m_file = -1;
    std::string m_buffer;
    int m_failure = 0; // errno of the first failed write
};

} // namespace lockstep
