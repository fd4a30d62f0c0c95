// SPDX-License-Identifier: Apache-2.0
// Journal: a folder of the state folder in which one program keeps what it has not saved, and which goes with
// its orderly end. Whoever holds it has it locked: what a program that still runs keeps, nobody else is
// offered; what one that was killed left, one other is. Made by a window's RecoveryController. One thread at
// a time; everything here may wait for the disk.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

class Journal {
  public:
    // A new one of this program, in `below` ("journals" in userStateFolder()). io.
    static Result<Journal> begin(const std::filesystem::path& below);
    // Those whose programs are gone, newest first; empty ones are removed on the way.
    static std::vector<Journal> takeLeft(const std::filesystem::path& below);

    Journal() = default; // holds none
    Journal(Journal&& other) noexcept { *this = std::move(other); }
    Journal& operator=(Journal&& other) noexcept
    {
        std::swap(m_folder, other.m_folder);
        std::swap(m_lock, other.m_lock);
        return *this;
    }
    // Lets go of the folder, which stays: see remove().
    ~Journal();

    bool isHeld() const { return m_lock >= 0; }
    const std::filesystem::path& folder() const { return m_folder; }
    std::filesystem::path file() const { return m_folder / "unsaved.json"; }
    // Whole or not at all, 0600. io.
    Status write(std::string_view text) const;
    // Nothing is unsaved. io.
    Status clear() const;
    Result<std::string> read() const;
    // With its folder; nothing of it is left.
    void remove();
    // What cannot be read is not offered again: it is now the file that is returned. io.
    Result<std::filesystem::path> setAside();

  private:
    Journal(std::filesystem::path folder, int lock) : m_folder(std::move(folder)), m_lock(lock) {}

    std::filesystem::path m_folder;
    int m_lock = -1; // the locked file in it
};

std::filesystem::path journalFolder();

} // namespace lockstep
