// SPDX-License-Identifier: Apache-2.0
// EventFile is this machine's copy of one host's event log. Lines are appended completely or not at all, up
// to a maximum size. Nothing is appended if the disk has too little spare room, because the agent of a run on
// this machine keeps a reserve on the same disk to record the run's end. Lines that are not stored are
// counted. Owned by HostRun; used by one thread at a time.
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

    // Opens or creates the file and passes each complete line to handleLine. An incomplete last line is
    // removed, because the host sends that event again. Errors: io.
    Status open(const std::filesystem::path& path, const std::function<void(std::string_view)>& handleLine);
    // Returns false if the line was not stored; problem() then returns the reason. max_bytes is the maximum
    // size of the file.
    bool append(std::string_view line, uint64_t max_bytes);

    uint64_t bytes() const { return m_bytes; }
    uint64_t notStored() const { return m_notStored; } // Returns the number of lines that were not stored.
    const std::string& problem() const { return m_problem; }

  private:
    bool hasRoom();
    bool reject(std::string why);

    int m_fd = -1;
    std::filesystem::path m_path;
    uint64_t m_bytes = 0; // size of complete lines
    uint64_t m_notStored = 0;
    std::string m_problem;
    bool m_hasRoom = true;
    uint64_t m_sinceCheck_bytes = 0;
    std::chrono::steady_clock::time_point m_nextCheck;
};

} // namespace lockstep
