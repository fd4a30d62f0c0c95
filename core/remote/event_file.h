// SPDX-License-Identifier: Apache-2.0
// EventFile is this machine's copy of one host's event log: lines are appended whole or not at all, up to a
// size, and only while the disk has room to spare: the agent of a run on this machine keeps a reserve on the
// same disk to record the run's end. Lines that are not stored are counted. Owned by HostRun; any one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

class EventFile {
  public:
    // Free bytes below which nothing is appended.
    static constexpr uint64_t kSpare_bytes = 4 << 20;

    EventFile() = default;
    EventFile(const EventFile&) = delete;
    EventFile& operator=(const EventFile&) = delete;
    ~EventFile();

    // Opens or creates the file and passes each whole line to takeLine; an unfinished last line is cut off,
    // since the host sends that event again. io.
    Status open(const std::filesystem::path& path, const std::function<void(std::string_view)>& takeLine);
    // False where the line was not stored; problem() has the reason. most_bytes: of the whole file.
    bool append(std::string_view line, uint64_t most_bytes);

    uint64_t bytes() const { return m_bytes; }
    uint64_t notStored() const { return m_notStored; } // lines
    const std::string& problem() const { return m_problem; }

  private:
    bool hasRoom();
    bool refuse(std::string why);

    int m_fd = -1;
    std::filesystem::path m_path;
    uint64_t m_bytes = 0; // of whole lines
    uint64_t m_notStored = 0;
    std::string m_problem;
    bool m_hasRoom = true;
    uint64_t m_sinceLook_bytes = 0;
    std::chrono::steady_clock::time_point m_nextLook;
};

} // namespace lockstep
