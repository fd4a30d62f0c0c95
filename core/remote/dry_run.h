// SPDX-License-Identifier: Apache-2.0
// DryRun runs the launch script of a session on its hosts without starting the training: where the script
// would start it, the command is recorded, and the script continues as if the training had succeeded.
// Everything else that the script does happens, so the user must agree first. Used by `lockstep --plan
// --resolve` and by the session page. Belongs to the thread that created it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <QObject>

#include "core/remote/run.h"
#include "core/session/script_launch.h"

namespace lockstep {

class DryRun : public QObject {
    Q_OBJECT

  public:
    // Starts from the event loop. Secrets have the values of the session or of this program's environment.
    // Errors: those of dryRunPlan().
    static Result<std::unique_ptr<DryRun>> create(const SessionConfig& config,
                                                  std::span<const HostFacts> facts, RunOptions options);
    ~DryRun() override;

    // Stops the scripts. finished() follows.
    void cancel();

    // Valid after finished(): the launches in host order and, on a host, in the order of the script.
    const std::vector<RecordedLaunch>& launches() const { return m_launches; }
    // What failed: a host that did not respond, a script that ended with an error. One message per host.
    const std::vector<std::string>& problems() const { return m_problems; }

  signals:
    // One line of output of a script.
    void outputArrived(const std::string& host, const std::string& line);
    void finished();

  private:
    struct Part {
        HostPlan plan;
        std::string runDir;
        std::unique_ptr<AgentClient> client;
        std::vector<RecordedLaunch> launches;
        std::string problem;
        uint64_t lastSeq = 0;
    };
    DryRun(LaunchPlan plan, RunOptions options);
    void begin(size_t part);
    void take(size_t part, const RunEvent& event);
    void end(size_t part, const Status& status);

    LaunchPlan m_plan;
    RunOptions m_options;
    std::vector<Part> m_parts;
    size_t m_ended = 0;
    std::vector<RecordedLaunch> m_launches;
    std::vector<std::string> m_problems;
};

} // namespace lockstep
