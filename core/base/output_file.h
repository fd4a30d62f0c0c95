// SPDX-License-Identifier: Apache-2.0
// OutputFile: a file that appears whole or not at all. Until commit() its bytes have no name where the file
// system knows such files (O_TMPFILE): whatever ends the program, nothing of them stays. Elsewhere they are
// in a hidden file beside it, ".NAME.PID-N.part", which the object removes; what a killed program left of
// them, the next one that writes NAME removes. An older file of that name is untouched until commit().
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

class OutputFile {
  public:
    // The file takes the mode of the one it replaces, else `mode` less the umask: its user's alone, because
    // exports contain names of code, arguments and hosts. A link stays: what it leads to is replaced. io when
    // the folder cannot be written.
    static Result<OutputFile> create(const std::filesystem::path& path, unsigned mode = 0600);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    // Buffered. The first failure is kept and told by commit().
    void write(std::string_view bytes);
    // Bytes reach the disk, then the name, then the folder that holds it. io: nothing has changed.
    Status commit();

  private:
    OutputFile() = default;
    // A name under which this process can open the file meanwhile.
    std::string openName() const;
    bool openNameless(unsigned mode);
    bool openHidden(unsigned mode);
    void removeLeftovers() const;
    std::filesystem::path hiddenName(int attempt) const;
    bool takeName();
    void flush();
    void writeNow(std::string_view left);

    std::filesystem::path m_path;
    std::filesystem::path m_hidden; // empty while the file has no name
    int m_file = -1;
    std::string m_buffer;
    int m_failure = 0; // errno of the first failed write
};

} // namespace lockstep
