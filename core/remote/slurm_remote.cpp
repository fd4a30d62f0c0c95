// SPDX-License-Identifier: Apache-2.0
#include "core/remote/slurm_remote.h"

#include <algorithm>
#include <array>

#include "core/session/shell_quote.h"

namespace lockstep {

namespace {

// What srun says when there is no job any more to make a step of.
constexpr std::string_view kJobGone = "the job has ended";
constexpr std::array<std::string_view, 7> kGone{kJobGone,
                                                "has expired",
                                                "Invalid job id",
                                                "already completed",
                                                "already completing",
                                                "Unable to confirm allocation",
                                                "Job has been cancelled"};

} // namespace

bool isJobGone(std::string_view errorText)
{
    return std::ranges::any_of(
        kGone, [errorText](std::string_view text) { return errorText.find(text) != text.npos; });
}

SlurmRemote::SlurmRemote(std::shared_ptr<const Remote> login, std::string job, std::string node)
    : m_login(std::move(login)), m_job(std::move(job)), m_node(std::move(node))
{
}

std::vector<std::string> SlurmRemote::localWords(std::string_view shellText) const
{
    return m_login->localWords("exec srun --quiet --jobid=" + shellQuoted(m_job) +
                               " --overlap --nodes=1 --ntasks=1 " + "--nodelist=" + shellQuoted(m_node) +
                               " --job-name=" + std::string(kSlurmStepName) + " /bin/sh -c " +
                               shellQuoted(shellText));
}

LinkFailure SlurmRemote::linkFailure(int code, std::string_view errorText) const
{
    if (code != 0 && isJobGone(errorText)) return LinkFailure::configuration;
    return m_login->linkFailure(code, errorText);
}

std::string SlurmRemote::linkFailureText(LinkFailure failure, std::string_view errorText) const
{
    if (isJobGone(errorText)) return std::string(kJobGone) + ", and with it the way to its node's disks";
    return m_login->linkFailureText(failure, errorText);
}

} // namespace lockstep
