// SPDX-License-Identifier: Apache-2.0
#include "core/remote/slurm_remote.h"

#include <algorithm>
#include <array>

#include "core/scheduler/slurm_answers.h"
#include "core/session/shell_quote.h"

namespace lockstep {

namespace {

// srun's messages after the job has ended.
constexpr std::string_view kJobGone = "the job has ended";
constexpr std::array<std::string_view, 7> kJobGoneTexts{kJobGone,
                                                        "has expired",
                                                        "Invalid job id",
                                                        "already completed",
                                                        "already completing",
                                                        "Unable to confirm allocation",
                                                        "Job has been cancelled"};

// Recognizes messages such as "Unable to confirm allocation for job 12: Unable to contact slurm controller".
// They leave open whether the job exists.
bool isControllerSilent(std::string_view errorText)
{
    return slurmFailureFrom(errorText) == SlurmFailure::noAnswer;
}

} // namespace

bool isJobGone(std::string_view errorText)
{
    if (isControllerSilent(errorText)) return false;
    return std::ranges::any_of(
        kJobGoneTexts, [errorText](std::string_view text) { return errorText.find(text) != text.npos; });
}

SlurmRemote::SlurmRemote(std::shared_ptr<const Remote> login, std::string job, std::string node,
                         int component)
    : m_login(std::move(login)), m_job(std::move(job)), m_node(std::move(node)), m_component(component)
{
}

std::vector<std::string> SlurmRemote::localCommand(std::string_view shellText) const
{
    // "12;c" is job 12 of cluster c.
    const size_t cluster = m_job.find(';');
    std::string job = " --jobid=" + shellQuoted(m_job.substr(0, cluster));
    if (cluster != std::string::npos) job += " --clusters=" + shellQuoted(m_job.substr(cluster + 1));
    if (m_component >= 0) job += " --het-group=" + std::to_string(m_component);
    return m_login->localCommand("exec srun --quiet" + job + " --export=ALL" +
                                 " --overlap --nodes=1 --ntasks=1 " + "--nodelist=" + shellQuoted(m_node) +
                                 " --job-name=" + std::string(kSlurmStepName) + " /bin/sh -c " +
                                 shellQuoted(shellText));
}

LinkFailure SlurmRemote::linkFailure(int code, std::string_view errorText) const
{
    if (code != 0 && isJobGone(errorText)) return LinkFailure::configuration;
    const LinkFailure link = m_login->linkFailure(code, errorText);
    const bool isSilent = code > 0 && link == LinkFailure::none && isControllerSilent(errorText);
    return isSilent ? LinkFailure::unreachable : link;
}

std::string SlurmRemote::linkFailureText(LinkFailure failure, std::string_view errorText) const
{
    if (isJobGone(errorText)) return std::string(kJobGone) + ", so the disks of its nodes cannot be reached";
    if (isControllerSilent(errorText)) return "Slurm does not respond: " + slurmErrorText(errorText);
    return m_login->linkFailureText(failure, errorText);
}

HelpTopic SlurmRemote::linkFailureHelp(LinkFailure failure, std::string_view errorText) const
{
    if (isJobGone(errorText)) return HelpTopic::none;
    if (isControllerSilent(errorText)) return HelpTopic::slurm;
    return m_login->linkFailureHelp(failure, errorText);
}

} // namespace lockstep
