// OutputFile: a file that appears whole or not at all. Bytes go to a temporary name beside it; commit()
// renames. When the object ends without commit(), the temporary file is removed and an older file of that
// name is untouched.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

class OutputFile {
  public:
    // io when the folder cannot be written.
    static Result<OutputFile> create(const std::filesystem::path& path);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    // Buffered. The first failure is kept and told by commit().
    void write(std::string_view bytes);
    // Bytes reach the disk, then the name. io: nothing has changed.
    Result<bool> commit();

  private:
    OutputFile() = default;
    void flush();

    std::filesystem::path m_path;
    std::filesystem::path m_temporary;
    int m_file = -1;
    std::string m_buffer;
    int m_failure = 0; // errno of the first failed write
};

} // namespace lockstep
