// SPDX-License-Identifier: Apache-2.0
#include "core/batch/slurm_array.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "core/base/child_process.h"
#include "core/base/mapped_file.h"
#include "core/base/text.h"
#include "core/batch/batch_folder.h"
#include "core/scheduler/slurm_answers.h"
#include "core/session/shell_quote.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr int kFirstPoll_ms = 200, kMaxPoll_ms = 5'000;
// Slurm's commands themselves retry for some seconds before they give up.
constexpr int kSilentPoll_ms = 1'000;
// Time after the start of sbatch during which Slurm may still accept the array, even if sbatch failed.
// Slurm's messages time out after 10 seconds by default.
constexpr int64_t kSubmitting_s = 15;
constexpr int kMaxSubmissions = 3;
constexpr int kNotFound = 127, kNotExecutable = 126; // exit statuses of env(1)
constexpr int kTimeoutStatus = 124;                  // exit status of timeout(1)
constexpr const char* kCancelTime_s = "5";
constexpr std::string_view kTaskLine = "lockstep: task ";

int64_t epoch_s()
{
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

template<class Take>
void forEachLine(std::string_view text, Take take)
{
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        if (end > 0) take(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

bool isCommandMissing(int status)
{
    return status == kNotFound || status == kNotExecutable;
}

// Runs a Slurm command that is found through PATH. Unsets variables that restrict squeue: for example, with
// SQUEUE_STATES=RUNNING it prints nothing for a pending job.
Result<ChildExit> runSlurm(const std::vector<std::string>& words, const std::stop_token& stop)
{
    std::vector<std::string> all;
    for (const char* name : kSqueueFilters)
        all.insert(all.end(), {"-u", name});
    all.emplace_back(kSlurmTimes);
    all.insert(all.end(), words.begin(), words.end());
    return runChild("/usr/bin/env", all, stop);
}

// Returns the error of a failed command: io if the command does not exist, otherwise remote with the text
// that the command printed. name: "squeue".
tl::unexpected<Error> failureOf(const std::string& name, const ChildExit& answer)
{
    const std::string text = slurmErrorText(answer.output);
    return makeError(
        isCommandMissing(answer.status) ? ErrorKind::io : ErrorKind::remote,
        name + ": " + (text.empty() ? "exit status " + std::to_string(answer.status) + ", no output" : text));
}

// Removes --exclude and -x from the options of a plan and returns their value.
std::string takeExcluded(std::vector<std::string>& options)
{
    constexpr std::string_view kLong = "--exclude", kShort = "-x";
    std::string excluded;
    for (size_t i = 0; i < options.size();) {
        const std::string word = options[i];
        const bool isPair = word == kLong || word == kShort;
        const bool isLong = word.starts_with(std::string(kLong) + "=");
        if (!isPair && !isLong && !word.starts_with(kShort)) {
            ++i;
            continue;
        }
        const size_t count = isPair && i + 1 < options.size() ? 2 : 1;
        excluded = count == 2 ? options[i + 1] : word.substr(isLong ? kLong.size() + 1 : kShort.size());
        options.erase(options.begin() + static_cast<ptrdiff_t>(i),
                      options.begin() + static_cast<ptrdiff_t>(i + count));
    }
    return excluded;
}

// Converts Slurm's response about a task. If the program itself returned an exit status, it was not
// terminated externally.
TaskEnd taskEndFrom(size_t task, const JobAnswer& answer)
{
    TaskEnd end{task, {}, false};
    if (answer.nodeLists.size() == 1 && slurmNodesFrom(answer.nodeLists.front().second).size() == 1)
        end.host = answer.nodeLists.front().second;
    if (answer.phase != JobPhase::ended || answer.state == "COMPLETED") return end;
    const bool isExit = answer.state == "FAILED" && answer.exitStatus && !answer.signal;
    end.isDiskFull = isExit && *answer.exitStatus == kTaskDiskFull;
    end.isNodeFailure = answer.state == "NODE_FAIL";
    end.wasCut = !isExit || (*answer.exitStatus > 3 && !end.isDiskFull);
    end.outcome = slurmEndText(answer, false);
    return end;
}

} // namespace

std::string slurmTaskScript(const std::string& folder, const std::vector<std::string>& words,
                            const std::string& logStem)
{
    // The log is opened first, so that no failure goes unreported. Even if the log cannot be written, the
    // disk may still be readable.
    return "#!/bin/bash\numask 077\nexec 2> /dev/null\nexec >> " + shellQuoted(logStem) +
           "\"$SLURM_ARRAY_TASK_ID.log\" < /dev/null || exec > /dev/null\nexec 2>&1\necho " +
           shellQuoted(kTaskLine) + "\"$SLURM_ARRAY_TASK_ID on ${SLURMD_NODENAME:-$(hostname)}\"\n" +
           shellEnter(folder) + " || exit 1\n" + "[ -x " + shellQuoted(words.front()) +
           " ] || echo \"lockstep: $(hostname) cannot find \"" + shellQuoted(words.front()) + "\n" + "exec " +
           shellLine(words) + " --jobs \"${SLURM_CPUS_PER_TASK:-1}\" --batch-task \"$SLURM_ARRAY_TASK_ID\"\n";
}

std::string taskHostFromLog(std::string_view log)
{
    std::string host;
    forEachLine(log, [&host](std::string_view line) {
        const size_t on = line.find(" on ");
        if (!line.starts_with(kTaskLine) || on == line.npos) return;
        const auto nodes = slurmNodesFrom(line.substr(on + 4));
        if (nodes.size() == 1) host = nodes.front();
    });
    return host;
}

std::string lastLineOfTaskLog(std::string_view log)
{
    std::string last;
    forEachLine(log, [&last](std::string_view line) {
        last =
            line.starts_with(kTaskLine) && line.find(" on ") != line.npos ? std::string() : std::string(line);
    });
    return last;
}

std::vector<std::string> slurmArrayArguments(const SlurmRequest& requested, size_t tasks, int64_t jobs,
                                             const std::string& script, std::span<const std::string> excluded)
{
    // Unsets options in the environment that are meant for other jobs.
    std::vector<std::string> words{"env"};
    for (const char* name : {"SBATCH_ARRAY_INX", "SBATCH_REQUEUE", "SBATCH_WAIT"})
        words.insert(words.end(), {"-u", name});
    words.insert(words.end(), {"sbatch", "--parsable", "--no-requeue", "--job-name=lockstep-batch",
                               "--ntasks=1", "--output=/dev/null"});
    words.push_back("--array=0" + (tasks > 1 ? "-" + std::to_string(tasks - 1) : "") +
                    (jobs > 0 ? "%" + std::to_string(jobs) : ""));
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) words.push_back(name + value);
    };
    add("--partition=", requested.partition);
    add("--account=", requested.account);
    add("--time=", requested.time);
    std::vector<std::string> options = requested.options;
    std::string without = excluded.empty() ? std::string() : takeExcluded(options);
    for (const std::string& node : excluded)
        without += (without.empty() ? "" : ",") + node;
    words.insert(words.end(), options.begin(), options.end());
    add("--exclude=", without);
    words.push_back(script);
    return words;
}

SlurmQueue slurmQueueFrom(std::string_view output)
{
    SlurmQueue queue;
    std::map<std::string, size_t, std::less<>> reasons;
    forEachLine(output, [&](std::string_view line) {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        const size_t blank = line.find(' '), first = line.find('|');
        const size_t second = first == line.npos ? line.npos : line.find('|', first + 1);
        if (second == line.npos || blank > first) return;
        const auto count = parseInt(line.substr(0, blank));
        if (!count || *count <= 0) return;
        queue.left += static_cast<size_t>(*count);
        if (slurmPhase(line.substr(blank + 1, first - blank - 1)) != JobPhase::pending) return;
        queue.pending += static_cast<size_t>(*count);
        reasons[std::string(line.substr(first + 1, second - first - 1))] += static_cast<size_t>(*count);
        const auto start_s = parseInt(line.substr(second + 1));
        if (start_s) queue.expectedStart_s = std::min(queue.expectedStart_s.value_or(*start_s), *start_s);
    });
    const auto most = std::ranges::max_element(reasons, {}, &decltype(reasons)::value_type::second);
    if (most != reasons.end()) queue.reason = most->first;
    return queue;
}

std::string slurmQueueText(const std::string& job, const SlurmQueue& queue, int64_t now_s)
{
    if (queue.pending == 0 || queue.reason.empty() || queue.reason == "None") return {};
    std::string text = "job " + job + ": " + std::to_string(queue.pending) +
                       (queue.pending == 1 ? " task is" : " tasks are") +
                       " pending: " + slurmPendingText(job, queue.reason);
    // A held job keeps an outdated estimate.
    if (queue.expectedStart_s && !queue.reason.starts_with("JobHeld"))
        text += "; expected start " + clockText(*queue.expectedStart_s, now_s);
    return text;
}

std::optional<size_t> slurmArrayLimitFrom(std::string_view output)
{
    std::optional<size_t> limit;
    for (const std::string_view key : {"MaxArraySize", "max_array_tasks"}) {
        const size_t at = output.find(key);
        const size_t digits = at == output.npos ? at : output.find_first_not_of(" =", at + key.size());
        if (digits == output.npos) continue;
        const auto number = parseInt(output.substr(digits, output.find_first_of(" ,\n", digits) - digits));
        if (number && *number > 0) limit = std::min(limit.value_or(SIZE_MAX), static_cast<size_t>(*number));
    }
    return limit;
}

std::optional<size_t> slurmArrayLimit(const std::stop_token& stop)
{
    const auto answer = runSlurm({"scontrol", "show", "config"}, stop);
    return answer && answer->status == 0 ? slurmArrayLimitFrom(answer->output) : std::nullopt;
}

Status writeSlurmRecord(const fs::path& file, const SlurmRecord& record)
{
    return writeBatchFile(file, indentedJson(Json{{"job", record.job},
                                                  {"cluster", record.cluster},
                                                  {"script", jsonNameOf(record.script)},
                                                  {"since_s", record.since_s}}));
}

Result<std::optional<SlurmRecord>> readSlurmRecord(const fs::path& file)
{
    std::error_code failed;
    if (!fs::exists(file, failed) && !failed) return std::optional<SlurmRecord>();
    const auto unreadable = [&file](const std::string& why) {
        return makeError(ErrorKind::corrupt,
                         file.string() + ": " + why +
                             "; this file records the Slurm job of an earlier launch. Remove it "
                             "once squeue no longer lists that job");
    };
    const auto mapped = MappedFile::open(file);
    if (!mapped) return unreadable("cannot be read");
    const auto page = objectFromJson(mapped->text(), "the file");
    if (!page) return unreadable(page.error().message);
    const auto script = pathOfJsonName(textAt(*page, "script"));
    SlurmRecord record{textAt(*page, "job"), textAt(*page, "cluster"),
                       script ? script->string() : std::string(), numberAt(*page, "since_s").value_or(0)};
    const bool isJob = record.job.empty() ? !record.script.empty() : isSlurmJobId(record.job);
    const bool isCluster = record.cluster.empty() || slurmNodesFrom(record.cluster).size() == 1;
    if (!isJob || !isCluster) return unreadable("not a valid job record");
    return std::optional(std::move(record));
}

SlurmArray::SlurmArray(SlurmRecord record, fs::path file, ReportStatus reportStatus)
    : m_record(std::move(record)), m_file(std::move(file)), m_reportStatus(std::move(reportStatus)),
      m_lastAnswer_s(epoch_s())
{
}

// Adds the cluster of a federation to one of Slurm's commands.
std::vector<std::string> SlurmArray::onCluster(std::vector<std::string> words) const
{
    if (!m_record.cluster.empty()) words.insert(words.begin() + 1, "--clusters=" + m_record.cluster);
    return words;
}

// Waits after a remote error, and reports only the first of several consecutive errors. Returns all other
// errors.
Status SlurmArray::waitForAnswer(const Error& error, const std::stop_token& stop)
{
    if (stop.stop_requested()) return makeError(ErrorKind::canceled, "canceled");
    if (error.kind != ErrorKind::remote) return tl::make_unexpected(error);
    if (!m_isSilent)
        m_reportStatus("Slurm has not responded since " + clockText(m_lastAnswer_s, epoch_s()) + " (" +
                       error.message + "); " +
                       (m_record.job.empty() ? "it is not yet known whether the job was submitted"
                                             : "waiting for its response about job " + m_record.job));
    m_isSilent = true;
    if (!pause(stop, kSilentPoll_ms)) return makeError(ErrorKind::canceled, "canceled");
    return {};
}

void SlurmArray::noteAnswer()
{
    if (m_isSilent) m_reportStatus("Slurm is responding again");
    m_isSilent = false;
    m_lastAnswer_s = epoch_s();
}

Status SlurmArray::submit(const std::vector<std::string>& words, const std::stop_token& stop)
{
    for (int attempt = 1;; ++attempt) {
        m_record.since_s = epoch_s();
        LOCKSTEP_TRY(writeSlurmRecord(m_file, m_record));
        const ChildExit answer = LOCKSTEP_TRY(runSlurm(words, stop));
        const auto id = answer.status == 0 ? slurmJobIdFrom(answer.output) : std::nullopt;
        if (id) {
            m_record.job = id->job;
            m_record.cluster = id->cluster;
            noteAnswer();
            return writeSlurmRecord(m_file, m_record);
        }
        const Error error = failureOf("sbatch", answer).value();
        const bool isRefused =
            answer.status != 0 && slurmFailureFrom(answer.output) != SlurmFailure::noAnswer;
        if (isRefused) return makeError(ErrorKind::remote, error.message);
        // Exit status 0 without an ID means that a site-specific wrapper prints other text.
        if (answer.status != 0) LOCKSTEP_TRY(waitForAnswer(error, stop));
        if (LOCKSTEP_TRY(find(stop))) return {};
        if (attempt == kMaxSubmissions || answer.status == 0)
            return makeError(ErrorKind::remote, error.message);
    }
}

Result<bool> SlurmArray::find(const std::stop_token& stop)
{
    // The lines of other jobs are dropped by the shell command, because a user may have thousands of jobs.
    static const char* const kLook =
        "squeue -a -h --me -t all -o '%F|%o' | { grep -F -e \"$1\" || [ $? -eq 1 ]; }";
    for (;;) {
        const auto answer = runSlurm({"bash", "-o", "pipefail", "-c", kLook, "bash", m_record.script}, stop);
        if (!answer) return tl::make_unexpected(answer.error());
        if (answer->status != 0) {
            LOCKSTEP_TRY(waitForAnswer(failureOf("squeue", *answer).value(), stop));
            continue;
        }
        noteAnswer();
        if (auto job = slurmJobOfScript(answer->output, m_record.script)) {
            m_record.job = *std::move(job);
            LOCKSTEP_TRY(writeSlurmRecord(m_file, m_record));
            return true;
        }
        if (epoch_s() - m_record.since_s >= kSubmitting_s) return false;
        if (!pause(stop, kSilentPoll_ms)) return makeError(ErrorKind::canceled, "canceled");
    }
}

void SlurmArray::forget() const
{
    std::error_code ignored;
    fs::remove(m_file, ignored);
    // Prevents an edited record from causing other files to be removed.
    const fs::path script = m_record.script;
    if (script.parent_path() == m_file.parent_path() && script.extension() == ".sh")
        fs::remove(script, ignored);
}

Result<SlurmQueue> SlurmArray::queue(const std::stop_token& stop) const
{
    // The lines are counted by sort and uniq, because an array may have a million tasks, and running tasks
    // need not be distinguished.
    static const char* const kCount = "\"$@\" | sed '/^PENDING/!s/|.*/||/' | sort | uniq -c";
    std::vector<std::string> words{"bash", "-o", "pipefail", "-c", kCount, "bash"};
    std::ranges::copy(onCluster({"squeue", "-a", "-h", "-r", "-j", m_record.job, "-o", "%T|%r|%S"}),
                      std::back_inserter(words));
    const ChildExit answer = LOCKSTEP_TRY(runSlurm(words, stop));
    if (answer.status == 0) return slurmQueueFrom(answer.output);
    if (slurmFailureFrom(answer.output) == SlurmFailure::unknownJob) return SlurmQueue();
    return failureOf("squeue", answer);
}

Status SlurmArray::follow(const std::stop_token& stop, const std::function<bool(size_t left)>& counted)
{
    std::string lastText;
    for (int poll_ms = kFirstPoll_ms;; poll_ms = std::min(poll_ms * 3 / 2, kMaxPoll_ms)) {
        const auto left = queue(stop);
        if (!left) {
            LOCKSTEP_TRY(waitForAnswer(left.error(), stop));
            continue;
        }
        noteAnswer();
        if (!counted(left->left)) return makeError(ErrorKind::canceled, "canceled");
        if (left->left == 0) return {};
        const std::string text = slurmQueueText(m_record.job, *left, epoch_s());
        if (!text.empty() && text != lastText) m_reportStatus(text);
        lastText = text;
        if (!pause(stop, poll_ms)) return makeError(ErrorKind::canceled, "canceled");
    }
}

Result<TaskEnd> SlurmArray::endOf(size_t task, const std::stop_token& stop)
{
    const std::string name = m_record.job + "_" + std::to_string(task);
    for (;;) {
        const ChildExit answer =
            LOCKSTEP_TRY(runSlurm(onCluster({"scontrol", "show", "job", "-o", name}), stop));
        if (answer.status == 0) {
            noteAnswer();
            const auto job = slurmAnswerFromScontrol(answer.output);
            return job ? taskEndFrom(task, *job) : TaskEnd{task, {}, false};
        }
        if (slurmFailureFrom(answer.output) == SlurmFailure::unknownJob) break;
        LOCKSTEP_TRY(waitForAnswer(failureOf("scontrol", answer).value(), stop));
    }
    noteAnswer();
    // Slurm purges ended jobs after a few minutes. On sites without accounting, sacct fails and no more
    // information is available.
    const ChildExit answer = LOCKSTEP_TRY(
        runSlurm(onCluster({"sacct", "-n", "-P", "-X", "-j", name, "-o", "State,ExitCode"}), stop));
    const auto job = answer.status == 0 ? slurmAnswerFromSacct(answer.output) : std::nullopt;
    return job ? taskEndFrom(task, *job) : TaskEnd{task, {}, false};
}

Status SlurmArray::cancel()
{
    const std::vector<std::string> within{"timeout", "-k", "1", kCancelTime_s};
    const auto run = [&](std::vector<std::string> words) {
        words.insert(words.begin(), within.begin(), within.end());
        return runSlurm(words, {});
    };
    const auto failureText = [](const std::string& name, const ChildExit& answer) {
        return answer.status == kTimeoutStatus
                   ? name + ": Slurm did not respond within " + kCancelTime_s + " seconds"
                   : failureOf(name, answer).value().message;
    };
    if (m_record.job.empty()) {
        const ChildExit answer =
            LOCKSTEP_TRY(run({"squeue", "-a", "-h", "--me", "-t", "all", "-o", "%F|%o"}));
        const auto job = slurmJobOfScript(answer.output, m_record.script);
        if (answer.status == 0 && !job) return {}; // the next start searches again
        if (!job)
            return makeError(ErrorKind::remote,
                             failureText("squeue", answer) +
                                 "; the tasks may have been submitted. The next start looks "
                                 "for them");
        m_record.job = *job;
        LOCKSTEP_TRY(writeSlurmRecord(m_file, m_record));
    }
    const ChildExit answer = LOCKSTEP_TRY(run(onCluster({"scancel", m_record.job})));
    if (answer.status == 0 || slurmFailureFrom(answer.output) == SlurmFailure::unknownJob) return {};
    return makeError(ErrorKind::remote, failureText("scancel", answer) + "; job " + m_record.job +
                                            " may still run. Cancel it with: scancel " + m_record.job);
}

} // namespace lockstep
