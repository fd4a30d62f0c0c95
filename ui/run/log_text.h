// SPDX-License-Identifier: Apache-2.0
// Text of log lines for the clipboard and for files. Pure; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <QStringList>

#include "core/base/progress.h"
#include "core/base/result.h"

namespace lockstep {

enum class LogFormat : uint8_t {
    plain,    // only the text
    withTimes // "2025-11-20T12:01:07.204Z node0 TEXT": UTC time, host and text
};

// Returns the name of a host of the run, or "" if there is no such host.
QString hostName(uint32_t host, const QStringList& hosts);

// LogWriter formats log lines.
class LogWriter {
  public:
    LogWriter(LogFormat format, const QStringList& hosts);

    // Appends a line with \n at its end. time_ns: Unix epoch. host: index in the hosts.
    void append(std::string& out, int64_t time_ns, uint32_t host, std::string_view text);

  private:
    LogFormat m_format;
    std::vector<std::string> m_hosts; // each with a blank at its end
    int64_t m_second = -1;            // the second whose text is in m_secondText
    std::string m_secondText;         // "2025-11-20T12:01:07"
};

// SavedLog is the content of a log file.
struct SavedLog {
    struct Line {
        int64_t time_ns = 0; // Unix epoch
        uint32_t host = 0;   // index in hosts
        std::string text;
    };
    QStringList hosts;
    std::vector<Line> lines;
    std::string remark; // first line of the file; empty: none
};
// Writes the file completely or not at all, with times and hosts. Errors: io, canceled.
Status saveLog(const SavedLog& log, const std::filesystem::path& path, const Progress& progress);

} // namespace lockstep
