// SPDX-License-Identifier: Apache-2.0
// SessionCaptures: what a saved session that lies with the reports says about them: which training step the
// n-th capture of a process holds. Reads each folder once; any thread.
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
    // The step of a report with a capture index, for ReportIdentity::planned; else nothing is known in it.
    // The session file (YAML with the key lockstep_session) is looked for in the report's folder and the
    // three above it; the nearest folder that has exactly one decides. Where the roles of a session take
    // different numbers of captures a step, a report of unknown role gets no step.
    Identity plannedFor(const Report& report);

  private:
    std::optional<SessionConfig> sessionIn(const std::filesystem::path& folder);

    std::mutex m_mutex;
    std::map<std::filesystem::path, std::optional<SessionConfig>> m_sessions; // by folder
};

// The step that `session` gives a report of this identity; unknown without a capture index.
Identity plannedBySession(const SessionConfig& session, const Identity& report,
                          const std::string& sessionName);

} // namespace lockstep
