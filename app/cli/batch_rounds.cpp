// SPDX-License-Identifier: Apache-2.0
#include "app/cli/batch_rounds.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <thread>

#include "core/base/mapped_file.h"
#include "core/base/memory_budget.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr size_t kReportsOfSlurmTask = 32; // default, unless the plan sets a number
constexpr size_t kTasksOfCore = 4;         // default for local tasks; several per core balance the load
constexpr size_t kMaxTasksOfArray = 1000;  // below the default of MaxArraySize, 1001
constexpr uint64_t kMinMemory_bytes = uint64_t(64) << 20;

size_t coresHere()
{
    return std::max(1U, std::thread::hardware_concurrency());
}

std::string contentOf(const fs::path& log)
{
    const auto file = MappedFile::open(log);
    return file ? std::string(file->text()) : std::string();
}

std::string countText(size_t count, const char* one, const char* many)
{
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

} // namespace

BatchRounds::BatchRounds(const BatchPlan& plan, const CommandLine& line, const BatchFolder& folder,
                         Console& console, std::stop_token stop)
    : m_plan(plan), m_line(line), m_folder(folder), m_console(console), m_stop(std::move(stop))
{
}

Status BatchRounds::loadEarlierResults(const FoundReports& found, const std::string& planDigest)
{
    if (m_plan.launcher == BatchLauncher::slurm) LOCKSTEP_TRY(followEarlierArray());
    std::optional<BatchTasks> before;
    if (auto tasks = m_folder.readTasks()) before = *std::move(tasks);
    std::error_code failed;
    m_tasks = {thisProgram(), planDigest, fs::current_path(failed), {}, {}};
    for (size_t i = 0; i < found.reports.size(); ++i)
        m_tasks.inputs.push_back(batchInput(found.reports[i], found.files[i].memory_bytes));
    m_states.assign(m_tasks.inputs.size(), {});
    scanResults();
    for (BatchState& state : m_states)
        state.isFromEarlierRun = state.result.has_value();
    reportEarlierResults(before);
    removeUnknownFiles();
    return {};
}

SlurmArray::ReportStatus BatchRounds::statusReporter()
{
    return [this](const std::string& text) { m_console.notice(text); };
}

Status BatchRounds::followEarlierArray()
{
    auto record = LOCKSTEP_TRY(readSlurmRecord(m_folder.jobFile()));
    if (!record) return {};
    SlurmArray array(*std::move(record), m_folder.jobFile(), statusReporter());
    const Status waited = waitForEarlierArray(array);
    if (waited) {
        array.forget();
    } else if (waited.error().kind == ErrorKind::canceled) {
        endArray(array);
    } else {
        return tl::make_unexpected(withContext(waited.error(), "the Slurm job of an earlier launch"));
    }
    return waited;
}

Status BatchRounds::waitForEarlierArray(SlurmArray& array)
{
    if (array.job().empty() && !LOCKSTEP_TRY(array.find(m_stop))) return {};
    bool isStated = false;
    return array.follow(m_stop, [&](size_t left) {
        if (left > 0 && !isStated)
            m_console.notice("job " + array.job() + " of an earlier launch still has unfinished tasks (" +
                             std::to_string(left) + "); waiting for it");
        isStated = true;
        return true;
    });
}

void BatchRounds::reportEarlierResults(const std::optional<BatchTasks>& before)
{
    if (!before) return;
    std::map<fs::path, InputStamp> stamps;
    for (const BatchInput& input : before->inputs)
        stamps.emplace(input.path, input.stamp);
    size_t changed = 0, added = 0;
    for (const BatchInput& input : m_tasks.inputs) {
        const auto old = stamps.find(input.path);
        added += old == stamps.end() ? 1 : 0;
        if (old == stamps.end() || old->second == input.stamp) continue;
        ++changed;
        m_console.detail(input.path.string() + ": changed since the last start; reading it again");
    }
    const auto reused = static_cast<size_t>(std::ranges::count_if(m_states, &BatchState::isFromEarlierRun));
    if (before->planDigest != m_tasks.planDigest) m_console.notice("the plan changed since the last start");
    if (before->program != m_tasks.program)
        m_console.notice("the last start was by " + before->program + ", but this is " + m_tasks.program +
                         "; its results are not used");
    m_console.notice("continuing an earlier launch: " + countText(m_states.size(), "report", "reports") +
                     ", of which " + std::to_string(reused) + " done, " + std::to_string(changed) +
                     " changed, " + std::to_string(added) + " new");
}

// Removes results of reports that are no longer inputs.
void BatchRounds::removeUnknownFiles() const
{
    std::set<std::string> own;
    for (const BatchInput& input : m_tasks.inputs) {
        own.insert(m_folder.resultOf(input).filename().string());
        own.insert(m_folder.failureOf(input).filename().string());
    }
    std::error_code ignored;
    for (const std::string& name : m_folder.namesOfResults()) {
        if (!own.contains(name)) fs::remove(m_folder.reports() / name, ignored);
    }
}

// Updates the states from the results on disk. Returns the reports without a result that a retry could read.
std::vector<uint32_t> BatchRounds::scanResults()
{
    // Also updates the listing of a folder on a shared disk.
    const std::vector<std::string> names = m_folder.namesOfResults();
    std::vector<uint32_t> missing;
    for (uint32_t i = 0; i < m_states.size(); ++i) {
        BatchInput& input = m_tasks.inputs[i];
        BatchState& state = m_states[i];
        if (stampOf(input.path) != input.stamp) {
            m_console.notice(input.path.string() + ": changed meanwhile; reading it again");
            input = batchInput(input.path, input.memory_bytes);
        }
        const bool wasBefore = state.isFromEarlierRun;
        state = {};
        const auto has = [&](const fs::path& file) {
            return std::ranges::binary_search(names, file.filename().string());
        };
        if (has(m_folder.resultOf(input))) {
            auto result = checkResult(m_folder, input);
            if (result) {
                state.result = *std::move(result);
                state.isFromEarlierRun = wasBefore;
                continue;
            }
            m_console.notice(result.error().message + "; rebuilding this result");
            std::error_code ignored;
            fs::remove(m_folder.resultOf(input), ignored);
        }
        const auto failure = has(m_folder.failureOf(input)) ? readFailure(m_folder, input) : std::nullopt;
        if (failure) {
            state.error = failure->error;
            state.host = failure->host;
        }
        if (!failure || !failure->isFinal()) missing.push_back(i);
    }
    return missing;
}

Status BatchRounds::run()
{
    const Status done = runRounds();
    if (!done && isDiskFull(m_folder, done.error()))
        return tl::make_unexpected(fullDisk(done.error().message));
    return done;
}

Status BatchRounds::runRounds()
{
    for (int64_t attempt = 0;; ++attempt) {
        const std::vector<uint32_t> missing = scanResults();
        if (missing.empty()) return {};
        const bool isLastAttempt = attempt == m_plan.retries;
        std::error_code ignored;
        for (const uint32_t i : missing) // so that failures from an earlier attempt are ignored
            fs::remove(m_folder.failureOf(m_tasks.inputs[i]), ignored);
        m_handledFailures.clear();
        deal(missing, taskCount(missing.size(), isLastAttempt && attempt > 0));
        LOCKSTEP_TRY(m_folder.writeTasks(m_tasks));
        std::vector<TaskEnd> ends = LOCKSTEP_TRY(runTasks());
        m_tasksRun += m_tasks.tasks.size();
        m_console.clearProgress();
        const bool isFull = std::ranges::any_of(ends, &TaskEnd::isDiskFull);
        if (isFull || hasFoundFullDisk()) return tl::make_unexpected(fullDisk({}));
        reportRound(std::move(ends), isLastAttempt);
        if (isLastAttempt) return {};
    }
}

size_t BatchRounds::maxTasks()
{
    if (m_plan.launcher != BatchLauncher::slurm) return SIZE_MAX;
    if (!m_arrayLimit) m_arrayLimit = slurmArrayLimit(m_stop);
    return m_arrayLimit.value_or(kMaxTasksOfArray);
}

// Returns the number of tasks for a round. In the last of several attempts, each report gets its own task (up
// to kMaxTasksOfArray tasks), so that a report that crashes its task does not affect others.
size_t BatchRounds::taskCount(size_t reports, bool isLastAttempt)
{
    const bool isSlurm = m_plan.launcher == BatchLauncher::slurm;
    size_t tasks =
        isSlurm ? (reports + kReportsOfSlurmTask - 1) / kReportsOfSlurmTask : coresHere() * kTasksOfCore;
    if (m_plan.tasks > 0) tasks = static_cast<size_t>(m_plan.tasks);
    if (m_plan.reportsPerTask > 0) {
        const auto each = static_cast<size_t>(m_plan.reportsPerTask);
        tasks = (reports + each - 1) / each;
    }
    if (isLastAttempt) tasks = std::max(tasks, std::min(reports, kMaxTasksOfArray));
    tasks = std::min(tasks, reports);
    const size_t limit = maxTasks();
    if (tasks > limit)
        m_console.notice("Slurm allows at most " + countText(limit, "task", "tasks") +
                         " per array; combining " + std::to_string(tasks) + " tasks into " +
                         std::to_string(limit));
    return std::min(tasks, limit);
}

void BatchRounds::deal(const std::vector<uint32_t>& missing, size_t tasks)
{
    std::vector<uint64_t> sizes;
    for (const uint32_t i : missing)
        sizes.push_back(m_tasks.inputs[i].stamp.size_bytes);
    m_tasks.tasks = distributeTasks(sizes, tasks);
    for (auto& task : m_tasks.tasks) {
        for (uint32_t& i : task)
            i = missing[i];
    }
}

// Returns the command line of a task. share: number of tasks that share the memory of this machine.
std::vector<std::string> BatchRounds::taskArguments(size_t share) const
{
    std::error_code failed;
    // Tasks on other machines need the name of the program file. On this machine, /proc/self/exe works even
    // if the file was replaced meanwhile.
    const fs::path self = "/proc/self/exe";
    const bool isHere = m_plan.launcher == BatchLauncher::local;
    std::vector<std::string> words{isHere ? self.string() : fs::read_symlink(self, failed).string()};
    const uint64_t all_bytes = m_line.memoryLimit_bytes > 0 ? m_line.memoryLimit_bytes
                               : share > 1                  ? machineMemory_bytes() / 10 * 7
                                                            : 0;
    const uint64_t own_bytes = std::max(all_bytes / std::max<size_t>(share, 1), kMinMemory_bytes);
    if (all_bytes > 0) words.insert(words.end(), {"--memory-limit", std::to_string(own_bytes)});
    if (!m_line.disk.folder.empty()) words.insert(words.end(), {"--cache", m_line.disk.folder.string()});
    if (m_line.disk.max_bytes)
        words.insert(words.end(), {"--cache-limit", std::to_string(*m_line.disk.max_bytes)});
    if (m_line.disk.comparesContent) words.insert(words.end(), {"--cache-check", "content"});
    words.push_back(m_folder.path().string()); // absolute, so that it is never parsed as an option
    return words;
}

Result<std::vector<TaskEnd>> BatchRounds::runTasks()
{
    return m_plan.launcher == BatchLauncher::slurm ? runInSlurm() : runHere();
}

Result<std::vector<TaskEnd>> BatchRounds::runHere()
{
    const size_t cores = coresHere();
    const size_t limit = m_plan.jobs > 0 ? static_cast<size_t>(m_plan.jobs) : cores;
    const size_t atATime = std::min(limit, m_tasks.tasks.size());
    std::vector<std::string> words = taskArguments(atATime);
    words.insert(words.end(),
                 {"--jobs", std::to_string(std::max<size_t>(1, cores / atATime)), "--batch-task"});
    std::vector<TaskProcess> processes;
    for (size_t task = 0; task < m_tasks.tasks.size(); ++task) {
        processes.push_back({task, words, m_folder.logOf(task)});
        processes.back().words.push_back(std::to_string(task));
    }
    size_t done = 0;
    bool isFull = false;
    std::stop_source ending;
    const std::stop_callback interrupted(m_stop, [&ending] { ending.request_stop(); });
    m_console.progress("tasks done:", done, processes.size());
    auto ends = runProcesses(processes, atATime, ending.get_token(), [&](const TaskEnd& end) {
        m_console.progress("tasks done:", ++done, processes.size());
        isFull |= end.isDiskFull;
        if (end.isDiskFull) ending.request_stop(); // stop the other tasks, which would fail in the same way
    });
    if (isFull && !m_stop.stop_requested()) return tl::make_unexpected(fullDisk({}));
    return ends;
}

Result<SlurmArray> BatchRounds::submitArray()
{
    const std::string logs = (m_folder.path() / "log" / "task-").string();
    for (;;) {
        const fs::path script = m_folder.newScriptFile();
        LOCKSTEP_TRY(
            writeBatchFile(script, slurmTaskScript(m_tasks.folder.string(), taskArguments(1), logs)));
        SlurmArray array({{}, {}, script.string(), 0}, m_folder.jobFile(), statusReporter());
        const Status submitted =
            array.submit(slurmArrayArguments(m_plan.slurm, m_tasks.tasks.size(), m_plan.jobs, script.string(),
                                             m_nodes.excluded()),
                         m_stop);
        if (submitted) return array;
        const Error& error = submitted.error();
        if (error.kind != ErrorKind::remote) {
            endArray(array);
            return tl::make_unexpected(error);
        }
        array.forget();
        if (error.message.find("Invalid job array specification") != std::string::npos &&
            m_tasks.tasks.size() > 1) {
            LOCKSTEP_TRY(shrinkArray(error.message));
        } else if (!m_nodes.excluded().empty()) {
            m_console.notice("Slurm rejected the tasks without the excluded nodes (" + error.message +
                             "); submitting them for all nodes");
            m_nodes.allowAll();
        } else {
            return tl::make_unexpected(error);
        }
    }
}

Status BatchRounds::shrinkArray(const std::string& why)
{
    std::vector<uint32_t> missing;
    for (const auto& task : m_tasks.tasks)
        missing.insert(missing.end(), task.begin(), task.end());
    std::ranges::sort(missing);
    const size_t before = m_tasks.tasks.size();
    m_arrayLimit = before / 2;
    m_console.notice("Slurm rejected an array of " + countText(before, "task", "tasks") + " (" + why +
                     "); submitting " + std::to_string(*m_arrayLimit) + " instead");
    deal(missing, *m_arrayLimit);
    return m_folder.writeTasks(m_tasks);
}

Result<std::vector<TaskEnd>> BatchRounds::runInSlurm()
{
    SlurmArray array = LOCKSTEP_TRY(submitArray());
    const size_t count = m_tasks.tasks.size();
    m_console.notice("job " + array.job() + ": " + countText(count, "task", "tasks"));
    bool isFull = false;
    const Status followed = array.follow(m_stop, [&](size_t left) {
        m_console.progress("tasks done:", count - std::min(left, count), count);
        isFull = hasFoundFullDisk();
        return !isFull;
    });
    if (!followed) {
        m_console.clearProgress();
        endArray(array); // end the array, because nothing waits for it anymore
        return tl::make_unexpected(isFull ? fullDisk({}) : followed.error());
    }
    array.forget();
    return endsOf(array);
}

// Queries Slurm only about tasks that left a report without a result.
Result<std::vector<TaskEnd>> BatchRounds::endsOf(SlurmArray& array)
{
    const std::vector<std::string> names = m_folder.namesOfResults();
    std::vector<TaskEnd> ends;
    for (size_t task = 0; task < m_tasks.tasks.size(); ++task) {
        const bool isDone = std::ranges::all_of(m_tasks.tasks[task], [&](uint32_t i) {
            return std::ranges::binary_search(names,
                                              m_folder.resultOf(m_tasks.inputs[i]).filename().string());
        });
        ends.push_back(isDone ? TaskEnd{task, {}, false} : LOCKSTEP_TRY(array.endOf(task, m_stop)));
    }
    return ends;
}

// Cancels the array. Keeps the stored record of the array, so that the next invocation waits until Slurm has
// ended it.
void BatchRounds::endArray(SlurmArray& array)
{
    if (const Status canceled = array.cancel(); !canceled) m_console.failure(canceled.error().message);
}

// Checks the failures that tasks of this round recorded. Each failure is checked only once.
bool BatchRounds::hasFoundFullDisk()
{
    const std::vector<std::string> names = m_folder.namesOfResults();
    for (const auto& task : m_tasks.tasks) {
        for (const uint32_t i : task) {
            const BatchInput& input = m_tasks.inputs[i];
            const std::string name = m_folder.failureOf(input).filename().string();
            if (!std::ranges::binary_search(names, name) || !m_handledFailures.insert(i).second) continue;
            const auto failure = readFailure(m_folder, input);
            if (failure && isDiskFull(m_folder, failure->error)) return true;
        }
    }
    return false;
}

// why: the message that reported the full disk; may be empty.
Error BatchRounds::fullDisk(const std::string& why) const
{
    const std::string quota = std::strerror(EDQUOT);
    const auto done = std::ranges::count_if(
        m_folder.namesOfResults(), [](const std::string& name) { return name.ends_with(".lockstep"); });
    return {ErrorKind::io, m_folder.path().string() + ": disk full (" +
                               (why.find(quota) != why.npos ? quota : std::strerror(ENOSPC)) + "); " +
                               std::to_string(done) + " of " +
                               countText(m_states.size(), "report", "reports") +
                               " are done and kept. Free space on that disk, or set 'output' to a folder on "
                               "another disk, then start the batch again"};
}

// Returns the node of a task, as known from Slurm, from a result or failure of the task, or from its log.
std::string BatchRounds::hostOf(const TaskEnd& end) const
{
    if (!end.host.empty()) return end.host;
    for (const uint32_t i : m_tasks.tasks[end.task]) {
        if (m_states[i].result) return m_states[i].result->host;
        if (!m_states[i].host.empty()) return m_states[i].host;
    }
    return taskHostFromLog(contentOf(m_folder.logOf(end.task)));
}

// Prints the tasks that did not finish all their reports, and the reports that are permanently lost.
void BatchRounds::reportRound(std::vector<TaskEnd> ends, bool isLastAttempt)
{
    std::error_code ignored;
    for (const TaskEnd& end : ends) {
        for (const uint32_t i :
             m_tasks.tasks[end.task]) { // a failure may have been caused by the end of the task itself
            if (end.wasCut) fs::remove(m_folder.failureOf(m_tasks.inputs[i]), ignored);
        }
    }
    const std::vector<uint32_t> missing = scanResults();
    for (TaskEnd& end : ends) {
        end.host = hostOf(end);
        const size_t undone = noteUnfinished(end, missing);
        using Outcome = NodeHistory::Outcome;
        m_nodes.add(end.host, end.isNodeFailure ? Outcome::nodeFailed
                              : undone > 0      ? Outcome::failed
                                                : Outcome::succeeded);
        if (undone == 0) continue;
        const bool isNodeKnown = m_plan.launcher == BatchLauncher::slurm && !end.host.empty();
        m_console.failure("task " + std::to_string(end.task) + (isNodeKnown ? " on " + end.host : "") +
                          " did not finish " + std::to_string(undone) + " of its " +
                          countText(m_tasks.tasks[end.task].size(), "report", "reports") +
                          (end.outcome.empty() ? "" : ": " + end.outcome) +
                          (isLastAttempt ? "; no more retries" : "; retrying"));
    }
    if (m_plan.launcher != BatchLauncher::slurm || isLastAttempt || missing.empty()) return;
    for (const std::string& sentence : m_nodes.exclude())
        m_console.notice(sentence);
}

// Returns for how many reports of the task the result is missing. Adds a reason to each of these reports that
// has none.
size_t BatchRounds::noteUnfinished(const TaskEnd& end, const std::vector<uint32_t>& missing)
{
    size_t undone = 0;
    for (const uint32_t i : m_tasks.tasks[end.task]) {
        if (!std::ranges::binary_search(missing, i)) continue;
        ++undone;
        BatchState& state = m_states[i];
        if (state.error) continue;
        const std::string log = lastLineOfTaskLog(contentOf(m_folder.logOf(end.task)));
        const std::string why = !end.outcome.empty() ? end.outcome : "it produced no result";
        state.isLost = true;
        state.host = end.host;
        state.error = Error{ErrorKind::io, m_tasks.inputs[i].path.string() + ": not read: task " +
                                               std::to_string(end.task) + " of the batch: " + why +
                                               (log.empty() ? "" : " (" + log + ")")};
    }
    return undone;
}

void BatchRounds::forget(size_t input)
{
    std::error_code ignored;
    fs::remove(m_folder.resultOf(m_tasks.inputs[input]), ignored);
}

size_t BatchRounds::changedInputs() const
{
    return static_cast<size_t>(std::ranges::count_if(
        m_tasks.inputs, [](const BatchInput& input) { return stampOf(input.path) != input.stamp; }));
}

} // namespace lockstep
