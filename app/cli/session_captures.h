// SPDX-License-Identifier: Apache-2.0
// SessionCaptures determines the training step of a process's n-th capture from the session file stored with
// the reports. Reads each folder once. Any thread.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "core/session/session_config.h"
#include "core/trace/report.h"

namespace lockstep {

class SessionCaptures {
  public:
    // Returns the step of a report with a capture index, for ReportIdentity::planned; otherwise an identity
    // without known parts. Looks for the session file (YAML with the key lockstep_session) in the report's
    // folder and the three folders above it, and uses the nearest folder that contains exactly one session.
    // If the session's roles make different numbers of captures per step, a report of unknown role gets no
    // step.
    Identity plannedFor(const Report& report);

  private:
    std::optional<SessionConfig> sessionIn(const std::filesystem::path& folder);

    std::mutex m_mutex;
    std::map<std::filesystem::path, std::optional<SessionConfig>> m_sessions; // keyed by folder
};

// Returns the step that `session` assigns to a report with this identity; the step is unknown if the report
// has no capture index.
Identity plannedBySession(const SessionConfig& session, const Identity& report,
                          const std::string& sessionName);

} // namespace lockstep
