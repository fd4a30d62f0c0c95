// SPDX-License-Identifier: Apache-2.0
// SlurmRemote: a node of a running Slurm job, reached from the login node by a step of the job itself (srun
// --overlap): the way that works where nodes take no ssh. Its disks are the node's own. Gone when the job is.
#pragma once

#include "core/remote/remote.h"

namespace lockstep {

// Name of the steps made here, which a stopped job does not signal.
inline constexpr std::string_view kSlurmStepName = "lockstep-watch";

// srun's words when there is no job any more: its nodes are out of reach, its shared disks are not.
bool isJobGone(std::string_view errorText);

class SlurmRemote : public Remote {
  public:
    // component: the node's part of a heterogeneous job, -1 for other jobs.
    SlurmRemote(std::shared_ptr<const Remote> login, std::string job, std::string node, int component = -1);

    std::string name() const override { return "node " + m_node + " of job " + m_job; }
    std::vector<std::string> localWords(std::string_view shellText) const override;
    LinkFailure linkFailure(int code, std::string_view errorText) const override;
    std::string linkFailureText(LinkFailure failure, std::string_view errorText) const override;

  private:
    std::shared_ptr<const Remote> m_login;
    std::string m_job, m_node;
    int m_component;
};

} // namespace lockstep
