// SPDX-License-Identifier: Apache-2.0
// CrashReport is the file written when the program crashes with a signal or hangs: the reason, the stack and
// the last log lines, but no content of files. Stored in the state folder with mode 0600. main() enables the
// reports; they are offered at the next start. Writing a report allocates no memory and takes no locks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/log_ring.h"
#include "core/base/result.h"
#include "core/session/config_value.h"

namespace lockstep {

// Number of reports kept; older reports are deleted at the next start.
inline constexpr size_t kMaxCrashReports = 20;

struct CrashReport {
    std::filesystem::path path;
    // The first line of the file: "Lockstep 0.1.0 crashed with SIGSEGV, 2026-01-02 03:04:05 UTC".
    std::string heading;
    bool isHang = false; // true for a program that was killed while its window did not respond

    // Returns the complete text.
    Result<std::string> read() const;
};

// Returns the folder "crashes" in userStateFolder().
std::filesystem::path crashFolder();
// Returns the reports, newest first, and removes the oldest beyond kMaxCrashReports.
std::vector<CrashReport> pendingCrashReports(const std::filesystem::path& folder);
// Returns one line to print when the program runs without a window: the number of reports and the path of the
// newest one. "" if there are no reports.
std::string crashReportsLine(const std::vector<CrashReport>& reports);

// Makes SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT (including uncaught exceptions) write a report to the
// folder before the program terminates as usual. Creates the folder on demand. `log` must never be destroyed;
// nullptr for no log. In sanitizer builds this function does nothing, because the sanitizers handle the
// signals.
void installCrashHandler(const std::filesystem::path& folder, const LogRing* log);
// Sets values to mask in reports, in addition to the secrets in the environment.
void hideInCrashReports(const TextPairs& secrets);

// Writes the report of a hang. The caller removes it when the hang is over. Error: io.
Result<std::filesystem::path> writeHangReport(const std::filesystem::path& folder, const std::string& text);

} // namespace lockstep
