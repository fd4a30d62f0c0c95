// SPDX-License-Identifier: Apache-2.0
// TempDir is a folder that its destructor removes with all its content.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <cstdlib>

namespace lockstep::test {

class TempDir {
  public:
    explicit TempDir(const std::filesystem::path& below = std::filesystem::temp_directory_path())
    {
        std::string name = (below / "lockstep-test-XXXXXX").string();
        if (::mkdtemp(name.data()) != nullptr) m_path = name;
    }
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    ~TempDir()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }

    const std::filesystem::path& path() const { return m_path; }
    // Writes a file into the folder and returns its path.
    std::filesystem::path write(const std::filesystem::path& name, std::string_view bytes) const
    {
        std::filesystem::create_directories((m_path / name).parent_path());
        std::ofstream(m_path / name, std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return m_path / name;
    }

  private:
    std::filesystem::path m_path;
};

inline std::string contentOf(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the number of entries of a folder, without the folder itself.
inline size_t filesIn(const std::filesystem::path& folder)
{
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

} // namespace lockstep::test
