// SPDX-License-Identifier: Apache-2.0
// CrashReport: what the program leaves when it dies of a signal, or hangs: how, where, the last lines of its
// log, and nothing out of any file; in the state folder, its user's alone (0600). main() has them kept, the
// next start reads them. Writing one takes no memory and no lock.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/log_ring.h"
#include "core/base/result.h"
#include "core/session/config_value.h"

namespace lockstep {

// Of many only the newest are left when the next program starts.
inline constexpr size_t kMostCrashReports = 20;

struct CrashReport {
    std::filesystem::path path;
    std::string heading; // its first line: "Lockstep 0.1.0 ended by SIGSEGV, 2026-01-02 03:04:05 UTC"
    bool isHang = false; // it was ended while its window did not answer

    // The whole text.
    Result<std::string> read() const;
};

// "crashes" in userStateFolder().
std::filesystem::path crashFolder();
// Newest first; removes the oldest beyond kMostCrashReports.
std::vector<CrashReport> leftCrashReports(const std::filesystem::path& folder);
// One line for a run without a window: how many there are, where the newest is; "" for none.
std::string crashReportsLine(const std::vector<CrashReport>& reports);

// From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, an exception that nobody caught among it, leave a
// report in the folder, and then end the program as they always did. The folder is made when it is needed.
// log outlives the program; nullptr: it keeps none. A build with sanitizers leaves the signals to them.
void keepCrashReports(const std::filesystem::path& folder, const LogRing* log);
// Values that stand in no report, beside those of the environment's secrets.
void hideInCrashReports(const TextPairs& secrets);

// The report of a hang while it lasts: remove it when it is over. io.
Result<std::filesystem::path> writeHangReport(const std::filesystem::path& folder, const std::string& text);

} // namespace lockstep
