// SPDX-License-Identifier: Apache-2.0
#include "core/batch/slurm_array.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/readers/nsys_report/child_process.h"
#include "core/session/shell_quote.h"

namespace lockstep {

namespace {

constexpr int kFirstLook_ms = 200, kLastLook_ms = 5'000;
constexpr int kSilentLooks = 5; // before it is told that Slurm does not answer

// "0-3,7": ascending numbers as sbatch takes them.
std::string arrayText(std::span<const size_t> tasks)
{
    std::string out;
    for (size_t i = 0; i < tasks.size();) {
        size_t last = i;
        while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1)
            ++last;
        out += (out.empty() ? "" : ",") + std::to_string(tasks[i]);
        if (last > i) out += "-" + std::to_string(tasks[last]);
        i = last + 1;
    }
    return out;
}

std::vector<std::string_view> linesOf(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        if (end > 0) lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string firstLine(std::string_view text)
{
    const auto lines = linesOf(text);
    return lines.empty() ? std::string("it says nothing") : printable(lines.front());
}

// One of Slurm's commands, wherever PATH has it.
Result<ChildExit> askSlurm(const std::vector<std::string>& words, const std::stop_token& stop)
{
    return runChild("/usr/bin/env", words, stop);
}

// The value of NAME=VALUE in what scontrol says.
std::string wordAfter(std::string_view text, std::string_view name)
{
    const size_t at = text.find(name);
    if (at == text.npos) return {};
    const std::string_view rest = text.substr(at + name.size());
    return std::string(rest.substr(0, rest.find_first_of(" \n")));
}

bool isJobId(std::string_view text)
{
    return !text.empty() && text.size() < 20 && text.find_first_not_of("0123456789") == text.npos;
}

} // namespace

std::string slurmTaskScript(const std::string& folder, const std::vector<std::string>& words,
                            const std::string& logStem)
{
    // The log first, so that nothing that fails is silent.
    return "#!/bin/bash\numask 077\nexec >> " + shellQuoted(logStem) +
           "\"$SLURM_ARRAY_TASK_ID.log\" 2>&1 < /dev/null\n" + shellEnter(folder) + " || exit 1\n" + "[ -x " +
           shellQuoted(words.front()) + " ] || echo \"lockstep: $(hostname) does not see \"" +
           shellQuoted(words.front()) + "\n" + "exec " + shellLine(words) +
           " --jobs \"${SLURM_CPUS_PER_TASK:-1}\" --batch-task \"$SLURM_ARRAY_TASK_ID\"\n";
}

std::vector<std::string> slurmArrayWords(const SlurmWish& wish, std::span<const size_t> tasks, int64_t jobs,
                                         const std::string& script)
{
    // What the environment asks for is for other jobs.
    std::vector<std::string> words{"env",
                                   "-u",
                                   "SBATCH_ARRAY_INX",
                                   "-u",
                                   "SBATCH_REQUEUE",
                                   "sbatch",
                                   "--parsable",
                                   "--no-requeue",
                                   "--job-name=lockstep-batch",
                                   "--ntasks=1",
                                   "--output=/dev/null"};
    words.push_back("--array=" + arrayText(tasks) + (jobs > 0 ? "%" + std::to_string(jobs) : ""));
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) words.push_back(name + value);
    };
    add("--partition=", wish.partition);
    add("--account=", wish.account);
    add("--time=", wish.time);
    words.insert(words.end(), wish.options.begin(), wish.options.end());
    words.push_back(script);
    return words;
}

std::optional<SlurmTaskState> slurmTaskStateFrom(std::string_view line)
{
    const size_t first = line.find('|');
    const size_t second = first == line.npos ? line.npos : line.find('|', first + 1);
    if (second == line.npos) return std::nullopt;
    const auto task = parseInt(line.substr(0, first));
    if (!task || *task < 0) return std::nullopt;
    return SlurmTaskState{static_cast<size_t>(*task), std::string(line.substr(first + 1, second - first - 1)),
                          std::string(line.substr(second + 1))};
}

Result<SlurmArray> SlurmArray::submit(const std::vector<std::string>& words, const std::stop_token& stop)
{
    const ChildExit answer = LOCKSTEP_TRY(askSlurm(words, stop));
    // Warnings may stand around it.
    for (const std::string_view line : linesOf(answer.output)) {
        const std::string_view job = line.substr(0, line.find(';')); // behind it the cluster
        if (answer.status == 0 && isJobId(job)) return SlurmArray(std::string(job));
    }
    return makeError(ErrorKind::remote, "sbatch: " + firstLine(answer.output));
}

Result<std::vector<SlurmTaskState>> SlurmArray::underWay(const std::stop_token& stop) const
{
    const ChildExit answer =
        LOCKSTEP_TRY(askSlurm({"squeue", "-h", "-r", "-j", m_job, "-o", "%K|%T|%r"}, stop));
    if (answer.status != 0) {
        if (answer.output.find("Invalid job id") != std::string::npos) return std::vector<SlurmTaskState>();
        return makeError(ErrorKind::remote, "squeue: " + firstLine(answer.output));
    }
    std::vector<SlurmTaskState> out;
    for (const std::string_view line : linesOf(answer.output)) {
        if (auto state = slurmTaskStateFrom(line)) out.push_back(*std::move(state));
    }
    return out;
}

Status SlurmArray::follow(const std::stop_token& stop, const Say& say,
                          const std::function<void(size_t left)>& counted) const
{
    std::string told;
    int silent = 0;
    for (int look_ms = kFirstLook_ms;; look_ms = std::min(look_ms * 3 / 2, kLastLook_ms)) {
        const auto left = underWay(stop);
        if (stop.stop_requested()) return makeError(ErrorKind::canceled, "canceled");
        if (!left && ++silent == kSilentLooks)
            say("Slurm does not answer (" + left.error().message + "); job " + m_job +
                " goes on, and is asked for");
        if (left) {
            if (silent >= kSilentLooks) say("Slurm answers again");
            silent = 0;
            counted(left->size());
            if (left->empty()) return {};
            // A queue is no news; that nodes are gone is.
            const auto stuck = std::ranges::find_if(*left, [](const SlurmTaskState& task) {
                return task.state == "PENDING" && lowerAscii(task.reason).find("node") != std::string::npos;
            });
            if (stuck != left->end() && stuck->reason != told) {
                told = stuck->reason;
                say("job " + m_job + " waits: " + printable(told));
            }
        }
        if (!pause(stop, look_ms)) return makeError(ErrorKind::canceled, "canceled");
    }
}

TaskEnd SlurmArray::endOf(size_t task) const
{
    const std::string name = m_job + "_" + std::to_string(task);
    const auto answer = askSlurm({"scontrol", "show", "job", "-o", name}, {});
    if (!answer || answer->status != 0) return {task, {}, false};
    const std::string state = wordAfter(answer->output, "JobState="),
                      code = wordAfter(answer->output, "ExitCode=");
    if (state.empty() || state == "COMPLETED") return {task, {}, false};
    if (state != "FAILED") return {task, printable(state), true};
    const bool isOwn = code == "1:0" || code == "2:0" || code == "3:0"; // as the program's own exit statuses
    return {task, printable(state + " (exit " + code + ")"), !isOwn};
}

void SlurmArray::cancel() const
{
    static_cast<void>(askSlurm({"scancel", m_job}, {}));
}

} // namespace lockstep
