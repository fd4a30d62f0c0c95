// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/slurm_scheduler.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/agent/child_output.h"
#include "capture/agent/run_folder.h"
#include "core/base/text.h"
#include "core/scheduler/sbatch_options.h"
#include "core/scheduler/slurm_answers.h"
#include "core/session/shell_quote.h"

namespace lockstep::agent {

namespace {

namespace fs = std::filesystem;

// Slurm's commands take 9 to 18 s if the controller is down, and up to Slurm's MessageTimeout if it is slow.
constexpr double kAnswer_s = 60, kSubmit_s = 180;
// Maximum number of bytes of the job's output to copy per call.
constexpr size_t kCopied_bytes = size_t(4) << 20;
// Name of Lockstep's own job steps. core/remote/slurm_remote.h gives this name to the steps that it creates.
constexpr std::string_view kStepName = "lockstep-watch";

// Splits "12;cluster", as returned on submission, into the job ID and the option for its cluster.
std::string numberOf(const std::string& job)
{
    return job.substr(0, job.find(';'));
}

std::vector<std::string> command(const char* program, const std::string& job, std::vector<std::string> words)
{
    if (const size_t at = job.find(';'); at != std::string::npos)
        words.insert(words.begin(), {"-M", job.substr(at + 1)});
    words.insert(words.begin(), program);
    return words;
}

ChildOutput run(const std::vector<std::string>& words, double timeout_s = kAnswer_s)
{
    return childOutput(words, timeout_s, {std::string(kSlurmTimes)});
}

// Returns Slurm's error message without the name of the command and "error:".
std::string errorOf(const ChildOutput& output, const std::string& program)
{
    const std::string text = slurmErrorText(output.err);
    return output.isInTime && !text.empty() ? text : output.failureText(program);
}

template<class T>
Request<T> failed(const ChildOutput& output, const std::string& program)
{
    const std::string message = errorOf(output, program);
    const bool isRefused = output.isInTime && slurmFailureFrom(output.err) == SlurmFailure::refused;
    return isRefused || !output.isStarted ? Request<T>::refused(message) : Request<T>::noAnswer(message);
}

// Returns the command that the Linux kernel would use to start a script: the interpreter in its first line,
// with its one argument.
std::string interpreterOf(std::string_view text)
{
    std::string_view line = text.substr(2, text.find('\n') - 2);
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == line.npos) return "/bin/sh";
    line.remove_prefix(begin);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r'))
        line.remove_suffix(1);
    const size_t end = line.find_first_of(" \t");
    std::string words = shellQuoted(line.substr(0, end));
    if (end != line.npos) words += " " + shellQuoted(line.substr(line.find_first_not_of(" \t", end)));
    return words;
}

// Replaces the prefix of a path below the home folder by a reference to the home folder, because the nodes of
// a job without an environment may have a different home folder.
std::string atHome(const std::string& word)
{
    constexpr std::string_view kHome = "\"$HOME\"";
    const char* const home = std::getenv("HOME");
    if (!word.starts_with(kHome) || home == nullptr) return word;
    return shellQuoted(home) + word.substr(kHome.size());
}

std::string accountUser()
{
    const char* const name = std::getenv("USER");
    return name != nullptr && *name != '\0' ? name : std::to_string(::getuid());
}

// Adds names of secrets to the script's own --export option, which stays in effect.
void addSecretsTo(std::vector<std::string>& words, const std::string& exported,
                  const std::vector<std::string>& secrets)
{
    if (secrets.empty() || exported.empty() || exported.starts_with("ALL")) return;
    // Added by the plan, which cannot see the script.
    const auto added = std::ranges::find(words, "--export=ALL");
    if (added == words.end()) return;
    *added = "--export=" + (exported == "NONE" || exported == "NIL" ? "" : exported);
    for (const std::string& name : secrets)
        *added += (added->ends_with('=') ? "" : ",") + name;
}

// Returns the script that the wrapper runs on each node.
std::string slurmNodeScript(const SlurmJobOptions& options)
{
    const std::string watch = shellQuoted(options.stem + ".watch");
    // SIGTERM to the whole job is meant for the program, so the agent ignores it and ends with the script.
    // Steps of a job without an environment (--export=NONE) have neither PATH nor HOME.
    return "#!/bin/sh\n"
           "trap '' TERM\n"
           "PATH=\"${PATH:-/usr/local/bin:/usr/bin:/bin}\"\n"
           "HOME=\"${HOME:-$(getent passwd \"$(id -u)\" | cut -d: -f6)}\"\n"
           "LOCKSTEP_TASK=$$\n"
           "export PATH HOME LOCKSTEP_TASK\n"
           "agent=" +
           atHome(options.quotedAgentPath) + " runs=" + atHome(options.quotedRunsPath) +
           "\n"
           "exec \"$agent\" run --plan " +
           watch + " --run-dir \"$runs/$SLURMD_NODENAME\" > /dev/null\n";
}

// Returns the words before the interpreter of a user's launch script. Without the agent, the script would run
// for hours without being recorded, so the job ends instead.
std::string launchPrefix(const SlurmJobOptions& options)
{
    if (options.session.empty()) return {};
    return "\"$agent\" launch --session " + shellQuoted(options.session) + " --run " +
           shellQuoted(options.runFolder) + " -- ";
}

std::string argumentText(const SlurmJobOptions& options)
{
    std::string text;
    for (const std::string& argument : options.arguments)
        text += " " + bashQuoted(argument); // leaves references to secrets to the shell
    return text;
}

// Returns the wrapper of the user's script `text`; see SlurmScheduler.
std::string slurmWrapper(const SlurmJobOptions& options, const std::vector<std::string>& directives,
                         int components, std::string_view text)
{
    // Slurm uses the first job name that it finds, so a name that the user sets takes precedence.
    std::string script =
        "#!/bin/bash\n#SBATCH --job-name=" + shellQuoted(fs::path(options.script).filename().string()) + "\n";
    for (const std::string& directive : directives)
        script += directive + "\n";
    script += "cd \"${SLURM_SUBMIT_DIR:-.}\"\n"
              "HOME=\"${HOME:-$(getent passwd \"$(id -u)\" | cut -d: -f6)}\"; export HOME\n";
    for (const auto& [name, value] : options.environment)
        script += "export " + shellAssignment(name, value) + "\n";
    script += "b=" + shellQuoted(options.stem) + " inner=" + shellQuoted(options.script) +
              " agent=" + atHome(options.quotedAgentPath) + " hold=" + std::to_string(options.hold_s) + "\n";
    script += "if [ ! -x \"$agent\" ]; then\n"
              "  echo \"lockstep: $(hostname) cannot run $agent, so this job is not watched: set "
              "launcher.agent_folder to a folder that the login node and the nodes share\" >&2\n"
              "  hold=0\n"
              "fi\n"
              "trap : TERM\n";
    for (int component = 0; component < components; ++component) {
        const std::string number = std::to_string(component);
        const std::string group = components > 1 ? "--het-group=" + number + " " : "";
        const std::string nodes =
            components > 1 ? "$SLURM_JOB_NUM_NODES_HET_GROUP_" + number : "$SLURM_JOB_NUM_NODES";
        script += "srun --quiet --export=ALL --overlap " + group + "--nodes=\"" + nodes + "\" --ntasks=\"" +
                  nodes + "\" --ntasks-per-node=1 --job-name=" + std::string(kStepName) +
                  " /bin/sh \"$b.node\" &\n";
    }
    // The stop request is for programs that the script itself started, because Slurm signals its steps.
    script += "set -m\n" + launchPrefix(options) + interpreterOf(text) + " \"$inner\"" +
              argumentText(options) +
              " &\n"
              "program=$!\n"
              "set +m\n"
              "trap 'pkill -TERM -P \"$program\"' USR2\n"
              "while :; do\n"
              "  wait \"$program\"\n"
              "  code=$?\n"
              "  kill -0 \"$program\" 2> /dev/null || break\n" // retries if a signal interrupted wait
              "done\n"
              "(umask 077; echo \"$code ${SLURM_RESTART_COUNT:-0}\" > \"$b.exit.new\") && "
              "mv \"$b.exit.new\" \"$b.exit\"\n"
              "kept=0\n"
              "while [ -n \"$(jobs -r)\" ] && [ \"$kept\" -lt 600 ]; do\n" // agents that wait for reports
              "  sleep 1\n"
              "  kept=$((kept + 1))\n"
              "done\n"
              "if [ \"$hold\" -gt 0 ] && ! \"$agent\" shared-disk --plan \"$b.watch\"; then\n"
              "  echo \"lockstep: the program has ended; its nodes stay allocated for up to $hold s, until "
              "the reports on their local disks are collected\" >&2\n"
              "  kept=0\n"
              "  until [ -e \"$b.collected\" ] || [ \"$kept\" -ge \"$hold\" ]; do\n"
              "    sleep 1\n"
              "    kept=$((kept + 1))\n"
              "  done\n"
              "fi\n"
              "exit \"$code\"\n";
    return script;
}

} // namespace

SlurmScheduler::SlurmScheduler(SlurmJobOptions options) : m_options(std::move(options))
{
    for (const char* name : {"SBATCH_ARRAY_INX", "SBATCH_REQUEUE", "SBATCH_WAIT"})
        ::unsetenv(name); // set for other jobs
    for (const char* name : kSqueueFilters)
        ::unsetenv(name);
}

Result<std::vector<std::string>> SlurmScheduler::prepare()
{
    std::error_code ignored;
    const std::string shown = fs::absolute(m_options.script, ignored).string();
    const auto text = readTextFile(m_options.script);
    if (!text)
        return makeError(text.error().kind, shown + ": cannot read the batch script: " +
                                                std::strerror(errno != 0 ? errno : ENOENT));
    SbatchOptions options = LOCKSTEP_TRY(watchableOptions(m_options.options, "launcher.slurm_options"));
    const SbatchScript script = LOCKSTEP_TRY(sbatchScriptFrom(*text, m_options.script));
    addSecretsTo(options.words, script.exported, m_options.secrets);
    m_words = std::move(options.words);
    LOCKSTEP_TRY(writeTextFile(file(".sbatch"),
                               slurmWrapper(m_options, script.directives, script.components, *text), 0700));
    LOCKSTEP_TRY(writeTextFile(file(".node"), slurmNodeScript(m_options), 0700));
    std::vector<std::string> notes = std::move(options.notes);
    std::ranges::copy(script.notes, std::back_inserter(notes));
    return notes;
}

Request<std::string> SlurmScheduler::submit()
{
    std::vector<std::string> words{"sbatch", "--parsable"};
    std::ranges::copy(m_words, std::back_inserter(words));
    words.insert(words.end(), {"--no-requeue", file(".sbatch")});
    restoreFileMask(); // the job inherits the mask of this program
    const ChildOutput output = run(words, kSubmit_s);
    keepFilesPrivate();
    if (!output.isSuccess()) return failed<std::string>(output, "sbatch");
    const auto id = slurmJobIdFrom(output.out);
    if (!id) {
        // The job may exist nevertheless, so find() decides.
        return Request<std::string>::noAnswer("sbatch printed no job ID: " +
                                              printable(output.out + output.err));
    }
    return Request<std::string>::answered(id->cluster.empty() ? id->job : id->job + ";" + id->cluster);
}

Request<std::string> SlurmScheduler::find()
{
    std::error_code ignored;
    const std::string script = fs::absolute(file(".sbatch"), ignored).lexically_normal().string();
    const ChildOutput output = run({"squeue", "-h", "-a", "-u", accountUser(), "-t", "all", "-o", "%F|%o"});
    if (!output.isSuccess()) return Request<std::string>::noAnswer(errorOf(output, "squeue"));
    return Request<std::string>::answered(slurmJobOfScript(output.out, script).value_or(""));
}

Request<JobAnswer> SlurmScheduler::queryState(const std::string& job)
{
    const std::string number = numberOf(job);
    const ChildOutput output = run(command("scontrol", job, {"show", "job", "-o", number}));
    if (output.isSuccess()) {
        if (auto answer = slurmAnswerFromScontrol(output.out))
            return Request<JobAnswer>::answered(*std::move(answer));
        return Request<JobAnswer>::noAnswer("scontrol printed no state for job " + number);
    }
    const bool isUnknown = output.isInTime && slurmFailureFrom(output.err) == SlurmFailure::unknownJob;
    if (!isUnknown) return Request<JobAnswer>::noAnswer(errorOf(output, "scontrol"));
    // Slurm forgets a job some minutes after its end (MinJobAge). Accounting, if the site uses it, does not.
    const ChildOutput accounted =
        run(command("sacct", job, {"-n", "-P", "-X", "-j", number, "-o", "State,ExitCode"}));
    if (accounted.isSuccess()) {
        if (const auto answer = slurmAnswerFromSacct(accounted.out))
            return Request<JobAnswer>::answered(*answer);
    } else if (accounted.isInTime && slurmFailureFrom(accounted.err) == SlurmFailure::noAnswer) {
        return Request<JobAnswer>::noAnswer(errorOf(accounted, "sacct"));
    }
    JobAnswer forgotten;
    forgotten.phase = JobPhase::forgotten;
    return Request<JobAnswer>::answered(forgotten);
}

std::vector<JobNode> SlurmScheduler::nodes(const JobAnswer& answer)
{
    std::vector<JobNode> nodes;
    for (const auto& [component, list] : answer.nodeLists) {
        const ChildOutput output = run({"scontrol", "show", "hostnames", list});
        for (std::string& name : slurmNodesFrom(output.out))
            nodes.push_back({std::move(name), component});
    }
    return nodes;
}

// Usually each program has its own job step. A script that starts its program directly has no step, so the
// wrapper then signals the program.
Request<bool> SlurmScheduler::requestEnd(const std::string& job)
{
    const ChildOutput steps =
        run(command("squeue", job, {"-h", "-a", "-s", "-j", numberOf(job), "-o", "%i %j"}));
    if (!steps.isSuccess()) return Request<bool>::noAnswer(errorOf(steps, "squeue"));
    std::vector<std::string> words{"--signal=TERM"};
    std::istringstream lines(steps.out);
    for (std::string line; std::getline(lines, line);) {
        const std::string step = line.substr(0, line.find(' '));
        const bool isOther = line.find(kStepName) != std::string::npos ||
                             step.find(".batch") != std::string::npos ||
                             step.find(".extern") != std::string::npos || step.empty();
        if (!isOther) words.push_back(step);
    }
    if (words.size() == 1) words = {"--batch", "--signal=USR2", numberOf(job)};
    const ChildOutput output = run(command("scancel", job, std::move(words)));
    if (!output.isSuccess() && slurmFailureFrom(output.err) == SlurmFailure::noAnswer)
        return Request<bool>::noAnswer(errorOf(output, "scancel"));
    return Request<bool>::answered(true);
}

Request<bool> SlurmScheduler::cancel(const std::string& job)
{
    const ChildOutput output = run(command("scancel", job, {numberOf(job)}));
    if (output.isSuccess() || slurmFailureFrom(output.err) == SlurmFailure::unknownJob)
        return Request<bool>::answered(true);
    return Request<bool>::noAnswer(errorOf(output, "scancel"));
}

std::optional<int> SlurmScheduler::programStatus(int restarts)
{
    const auto text = readTextFile(file(".exit"));
    if (!text) return std::nullopt;
    std::istringstream words(*text);
    int status = 0, start = 0;
    if (!(words >> status)) return std::nullopt;
    words >> start;
    return start >= restarts ? std::optional(status) : std::nullopt;
}

uint64_t SlurmScheduler::copyOutput(const JobAnswer& answer, uint64_t from)
{
    if (answer.outputFile.empty() || answer.outputFile == "/dev/null") return from;
    const int fd = ::open(answer.outputFile.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return from;
    struct stat now {};
    if (::fstat(fd, &now) == 0 && static_cast<uint64_t>(now.st_size) < from)
        from = 0; // Slurm truncates the output file on a requeue
    std::array<char, 65536> buffer;
    const uint64_t last = from + kCopied_bytes;
    while (from < last) {
        const ssize_t got = ::pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(from));
        if (got <= 0 || ::write(STDOUT_FILENO, buffer.data(), static_cast<size_t>(got)) != got) break;
        from += static_cast<uint64_t>(got);
    }
    ::close(fd);
    return from;
}

std::string SlurmScheduler::endText(const JobAnswer& answer, bool isStopped) const
{
    return slurmEndText(answer, isStopped);
}

std::string SlurmScheduler::pendingText(const std::string& job, const JobAnswer& answer) const
{
    return slurmPendingText(numberOf(job), answer.reason);
}

} // namespace lockstep::agent
