// EventLog: the append-only account of a run. One writer (the supervisor), any number of readers. An event is one JSON
// object a line: {"seq", "t_ns", "kind", ...}; seq counts from 1 without gaps, t_ns is Unix-epoch ns of the node's clock.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"

namespace lockstep::agent {

class EventLog {
  public:
    // Continues an existing log: takes up its numbering, and ends a line that a killed writer left unfinished.
    static Result<EventLog> open(const std::filesystem::path& path);

    EventLog(EventLog&& other) noexcept;
    EventLog& operator=(EventLog&&) = delete;
    ~EventLog();

    // Numbers, stamps and appends. When the disk is full the event is kept in memory and written with a later one.
    void add(const char* kind, nlohmann::json fields);
    // Tries again to write what the disk refused. True when nothing is pending.
    bool flush();
    uint64_t lastSeq() const { return m_seq; }

  private:
    explicit EventLog(int fd) : m_fd(fd) {}

    int m_fd = -1;
    uint64_t m_seq = 0;
    std::deque<std::string> m_pending; // whole lines, oldest first
    size_t m_pendingOffset = 0;        // bytes of the first that are on disk already
};

// Reads a log from its beginning while it grows. Gives whole lines only.
class EventReader {
  public:
    explicit EventReader(std::filesystem::path path) : m_path(std::move(path)) {}
    // The next line with seq >= from, without its newline; empty when there is none yet.
    std::string next(uint64_t from);

  private:
    std::filesystem::path m_path;
    std::ifstream m_file;
    std::string m_partial;
};

// The "seq" of an event line, 0 when it has none. Looks at the text only.
uint64_t seqOfLine(std::string_view line);
// Unix-epoch ns now.
int64_t wallClock_ns();

} // namespace lockstep::agent
