// SPDX-License-Identifier: Apache-2.0
// SlurmRemote is a node of a running Slurm job, reached from the login node through a step of the job (srun
// --overlap). This also works if nodes do not accept ssh. It has access to the node's own disks. It stops
// working when the job ends.
#pragma once

#include "core/remote/remote.h"

namespace lockstep {

// Name of these steps; the agent does not signal them when it stops a job.
inline constexpr std::string_view kSlurmStepName = "lockstep-watch";

// Returns whether the error text reports that the job has ended. Its nodes are then unreachable, but shared
// disks are still accessible.
bool isJobGone(std::string_view errorText);

class SlurmRemote : public Remote {
  public:
    // `component` is the node's component of a heterogeneous job, or -1 for other jobs.
    SlurmRemote(std::shared_ptr<const Remote> login, std::string job, std::string node, int component = -1);

    std::string name() const override { return "node " + m_node + " of job " + m_job; }
    std::vector<std::string> localCommand(std::string_view shellText) const override;
    LinkFailure linkFailure(int code, std::string_view errorText) const override;
    std::string linkFailureText(LinkFailure failure, std::string_view errorText) const override;
    HelpTopic linkFailureHelp(LinkFailure failure, std::string_view errorText) const override;

  private:
    std::shared_ptr<const Remote> m_login;
    std::string m_job, m_node;
    int m_component;
};

} // namespace lockstep
