// SPDX-License-Identifier: Apache-2.0
// Journal is a folder in the state folder to which a program writes its unsaved work. The folder is removed
// when the program ends normally. The owner holds a lock, so that only journals of ended programs are offered
// to the user, and each of them by one program only. Used by the RecoveryController. One thread at a time;
// all functions may block on disk access.
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
    // Creates a journal for this program in the folder `below` ("journals" in userStateFolder()). Error: io.
    static Result<Journal> begin(const std::filesystem::path& below);
    // Locks and returns the journals of ended programs, newest first. Removes empty ones.
    static std::vector<Journal> takeAbandoned(const std::filesystem::path& below);

    Journal() = default; // constructs an object that owns no journal
    Journal(Journal&& other) noexcept { *this = std::move(other); }
    Journal& operator=(Journal&& other) noexcept
    {
        std::swap(m_folder, other.m_folder);
        std::swap(m_lock, other.m_lock);
        return *this;
    }
    // Releases the lock. The folder stays; see remove().
    ~Journal();

    bool isHeld() const { return m_lock >= 0; }
    const std::filesystem::path& folder() const { return m_folder; }
    std::filesystem::path file() const { return m_folder / "unsaved.json"; }
    // Writes the file atomically with mode 0600. Error: io.
    Status write(std::string_view text) const;
    // Removes the file. Call when nothing is unsaved. Error: io.
    Status clear() const;
    Result<std::string> read() const;
    // Removes the journal with its folder and releases the lock.
    void remove();
    // Moves an unreadable file out of the journal, so that the file is not offered again. Returns its new
    // path. Error: io.
    Result<std::filesystem::path> setAside();

  private:
    Journal(std::filesystem::path folder, int lock) : m_folder(std::move(folder)), m_lock(lock) {}

    std::filesystem::path m_folder;
    int m_lock = -1; // descriptor of the lock file
};

std::filesystem::path journalFolder();

} // namespace lockstep
