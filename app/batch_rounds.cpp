// SPDX-License-Identifier: Apache-2.0
#include "app/batch_rounds.h"

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "core/base/mapped_file.h"
#include "core/base/memory_budget.h"
#include "core/batch/slurm_array.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr size_t kReportsOfSlurmTask = 32; // where the plan says nothing
constexpr size_t kTasksOfCore = 4;         // of local tasks likewise: they end at about the same time
constexpr size_t kMostTasksOfArray = 1000; // what Slurm takes unless it is told otherwise
constexpr uint64_t kLeastMemory_bytes = uint64_t(64) << 20;

size_t coresHere()
{
    return std::max(1U, std::thread::hardware_concurrency());
}

// The last line of a log, for a message.
std::string lastLineOf(const fs::path& log)
{
    const auto file = MappedFile::open(log);
    if (!file) return {};
    std::string_view text = file->text();
    while (!text.empty() && text.back() == '\n')
        text.remove_suffix(1);
    const size_t line = text.rfind('\n');
    return std::string(text.substr(line == text.npos ? 0 : line + 1));
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

Status BatchRounds::takeOver(const FoundReports& found, const std::string& planDigest)
{
    if (m_plan.launcher == BatchLauncher::slurm) LOCKSTEP_TRY(followEarlierArray());
    std::optional<BatchTasks> before;
    if (auto tasks = m_folder.readTasks()) before = *std::move(tasks);
    std::error_code failed;
    m_tasks = {thisProgram(), planDigest, fs::current_path(failed), {}, {}};
    for (size_t i = 0; i < found.reports.size(); ++i)
        m_tasks.inputs.push_back(batchInput(found.reports[i], found.files[i].memory_bytes));
    m_states.assign(m_tasks.inputs.size(), {});
    lookAtResults();
    for (BatchState& state : m_states)
        state.isOfBefore = state.result.has_value();
    tellWhatIsThere(before);
    removeStrangers();
    return {};
}

Status BatchRounds::followEarlierArray()
{
    const auto file = MappedFile::open(m_folder.jobFile());
    if (!file) return {};
    const auto said = objectFromJson(file->text(), "the job");
    std::error_code ignored;
    const SlurmArray array(said ? textAt(*said, "job") : std::string());
    const auto left = array.job().empty() ? Result<std::vector<SlurmTaskState>>() : array.underWay(m_stop);
    if (left && !left->empty()) {
        m_console.notice("job " + array.job() + " of an earlier start still has " +
                         countText(left->size(), "task", "tasks") + " under way: waiting for it");
        LOCKSTEP_TRY(array.follow(
            m_stop, [this](const std::string& text) { m_console.notice(text); }, [](size_t) {}));
    }
    if (!left) m_console.notice("job " + array.job() + " of an earlier start: " + left.error().message);
    fs::remove(m_folder.jobFile(), ignored);
    return {};
}

void BatchRounds::tellWhatIsThere(const std::optional<BatchTasks>& before)
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
        m_console.detail(input.path.string() + ": changed since the last start: it is read again");
    }
    const auto kept = static_cast<size_t>(std::ranges::count_if(m_states, &BatchState::isOfBefore));
    if (before->planDigest != m_tasks.planDigest) m_console.notice("the plan changed since the last start");
    if (before->program != m_tasks.program)
        m_console.notice("the last start was of " + before->program + ", and this is " + m_tasks.program +
                         ": its results are not taken");
    m_console.notice("going on with an earlier start: of " + countText(m_states.size(), "report", "reports") +
                     " " + std::to_string(kept) + " are done, " + std::to_string(changed) + " changed, " +
                     std::to_string(added) + " are new");
}

// What lies among the results and is of no report as it is now.
void BatchRounds::removeStrangers() const
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

// Those without a result that another try could bring.
std::vector<uint32_t> BatchRounds::lookAtResults()
{
    const std::vector<std::string> names = m_folder.namesOfResults(); // asks a shared disk anew
    std::vector<uint32_t> missing;
    for (uint32_t i = 0; i < m_states.size(); ++i) {
        BatchInput& input = m_tasks.inputs[i];
        BatchState& state = m_states[i];
        if (stampOf(input.path) != input.stamp) {
            m_console.notice(input.path.string() + ": changed meanwhile: it is read again");
            input = batchInput(input.path, input.memory_bytes);
        }
        const bool wasBefore = state.isOfBefore;
        state = {};
        const auto has = [&](const fs::path& file) {
            return std::ranges::binary_search(names, file.filename().string());
        };
        if (has(m_folder.resultOf(input))) {
            auto result = checkResult(m_folder, input);
            if (result) {
                state.result = *std::move(result);
                state.isOfBefore = wasBefore;
                continue;
            }
            m_console.notice(result.error().message + ": it is made again");
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
    for (int64_t attempt = 0;; ++attempt) {
        const std::vector<uint32_t> missing = lookAtResults();
        if (missing.empty()) return {};
        const bool isLastTry = attempt == m_plan.retries;
        std::error_code ignored;
        for (const uint32_t i : missing) // what a try before this one met says nothing of this one
            fs::remove(m_folder.failureOf(m_tasks.inputs[i]), ignored);
        deal(missing, isLastTry && attempt > 0);
        LOCKSTEP_TRY(m_folder.writeTasks(m_tasks));
        const std::vector<TaskEnd> ends = LOCKSTEP_TRY(runTasks());
        m_tasksRun += m_tasks.tasks.size();
        m_console.clearProgress();
        tellRound(ends, isLastTry);
        if (isLastTry) return {};
    }
}

// In the last of several tries each report has a task of its own, as far as there may be so many: one that
// brings its task down takes no other with it.
void BatchRounds::deal(const std::vector<uint32_t>& missing, bool isLastTry)
{
    const size_t count = missing.size();
    const bool isSlurm = m_plan.launcher == BatchLauncher::slurm;
    size_t tasks =
        isSlurm ? (count + kReportsOfSlurmTask - 1) / kReportsOfSlurmTask : coresHere() * kTasksOfCore;
    if (m_plan.tasks > 0) tasks = static_cast<size_t>(m_plan.tasks);
    if (m_plan.reportsPerTask > 0) {
        const auto each = static_cast<size_t>(m_plan.reportsPerTask);
        tasks = (count + each - 1) / each;
    }
    if (isLastTry) tasks = std::max(tasks, std::min(count, kMostTasksOfArray));
    std::vector<uint64_t> sizes;
    for (const uint32_t i : missing)
        sizes.push_back(m_tasks.inputs[i].stamp.size_bytes);
    m_tasks.tasks = dealTasks(sizes, tasks);
    for (auto& task : m_tasks.tasks) {
        for (uint32_t& i : task)
            i = missing[i];
    }
}

// share: how many such tasks have this machine's memory together.
std::vector<std::string> BatchRounds::taskWords(size_t share) const
{
    std::error_code failed;
    // By name for other machines; here also where that file was replaced meanwhile.
    const fs::path self = "/proc/self/exe";
    const bool isHere = m_plan.launcher == BatchLauncher::local;
    std::vector<std::string> words{isHere ? self.string() : fs::read_symlink(self, failed).string()};
    const uint64_t all_bytes = m_line.memoryLimit_bytes > 0 ? m_line.memoryLimit_bytes
                               : share > 1                  ? machineMemory_bytes() / 10 * 7
                                                            : 0;
    const uint64_t own_bytes = std::max(all_bytes / std::max<size_t>(share, 1), kLeastMemory_bytes);
    if (all_bytes > 0) words.insert(words.end(), {"--memory-limit", std::to_string(own_bytes)});
    if (!m_line.disk.folder.empty()) words.insert(words.end(), {"--cache", m_line.disk.folder.string()});
    if (m_line.disk.most_bytes)
        words.insert(words.end(), {"--cache-limit", std::to_string(*m_line.disk.most_bytes)});
    if (m_line.disk.comparesContent) words.insert(words.end(), {"--cache-check", "content"});
    words.push_back(m_folder.path().string()); // absolute: never taken for an option
    return words;
}

Result<std::vector<TaskEnd>> BatchRounds::runTasks()
{
    return m_plan.launcher == BatchLauncher::slurm ? runInSlurm() : runHere();
}

Result<std::vector<TaskEnd>> BatchRounds::runHere()
{
    const size_t cores = coresHere();
    const size_t wanted = m_plan.jobs > 0 ? static_cast<size_t>(m_plan.jobs) : cores;
    const size_t atATime = std::min(wanted, m_tasks.tasks.size());
    std::vector<std::string> words = taskWords(atATime);
    words.insert(words.end(),
                 {"--jobs", std::to_string(std::max<size_t>(1, cores / atATime)), "--batch-task"});
    std::vector<TaskProcess> processes;
    for (size_t task = 0; task < m_tasks.tasks.size(); ++task) {
        processes.push_back({task, words, m_folder.logOf(task)});
        processes.back().words.push_back(std::to_string(task));
    }
    size_t done = 0;
    m_console.progress("tasks done:", done, processes.size());
    return runProcesses(processes, atATime, m_stop,
                        [&](const TaskEnd&) { m_console.progress("tasks done:", ++done, processes.size()); });
}

Result<std::vector<TaskEnd>> BatchRounds::runInSlurm()
{
    const std::string script = m_folder.scriptFile().string();
    const std::string logs = (m_folder.path() / "log" / "task-").string();
    LOCKSTEP_TRY(writeBatchFile(script, slurmTaskScript(m_tasks.folder.string(), taskWords(1), logs)));
    std::vector<size_t> numbers(m_tasks.tasks.size());
    for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = i;
    const SlurmArray array =
        LOCKSTEP_TRY(SlurmArray::submit(slurmArrayWords(m_plan.slurm, numbers, m_plan.jobs, script), m_stop));
    LOCKSTEP_TRY(writeBatchFile(m_folder.jobFile(), jsonPage(Json{{"job", array.job()}})));
    m_console.notice("job " + array.job() + ": " + countText(numbers.size(), "task", "tasks"));
    const Status followed = array.follow(
        m_stop, [this](const std::string& text) { m_console.notice(text); },
        [&](size_t left) {
            m_console.progress("tasks done:", numbers.size() - std::min(left, numbers.size()),
                               numbers.size());
        });
    std::error_code ignored;
    if (!followed) array.cancel(); // nobody waits for it any more
    fs::remove(m_folder.jobFile(), ignored);
    LOCKSTEP_TRY(followed);
    std::vector<TaskEnd> ends;
    for (const size_t task : numbers)
        ends.push_back(array.endOf(task));
    return ends;
}

// Names the tasks that left something undone, and what is lost for good.
void BatchRounds::tellRound(const std::vector<TaskEnd>& ends, bool isLastTry)
{
    std::error_code ignored;
    for (const TaskEnd& end : ends) {
        for (const uint32_t i :
             m_tasks.tasks[end.task]) { // what a task meets that is ended may be its own end
            if (end.wasCut) fs::remove(m_folder.failureOf(m_tasks.inputs[i]), ignored);
        }
    }
    const std::vector<uint32_t> missing = lookAtResults();
    for (const TaskEnd& end : ends) {
        size_t undone = 0;
        for (const uint32_t i : m_tasks.tasks[end.task]) {
            if (!std::ranges::binary_search(missing, i)) continue;
            ++undone;
            BatchState& state = m_states[i];
            if (state.error) continue;
            const std::string log = lastLineOf(m_folder.logOf(end.task));
            const std::string why = !end.outcome.empty() ? end.outcome : "it left no result";
            state.isLost = true;
            state.error = Error{ErrorKind::io, m_tasks.inputs[i].path.string() + ": not read: task " +
                                                   std::to_string(end.task) + " of the batch: " + why +
                                                   (log.empty() ? "" : " (" + log + ")")};
        }
        if (undone == 0) continue;
        m_console.failure("task " + std::to_string(end.task) + " left " + std::to_string(undone) +
                          " of its " + countText(m_tasks.tasks[end.task].size(), "report", "reports") +
                          " undone" + (end.outcome.empty() ? "" : ": " + end.outcome) +
                          (isLastTry ? "; it was the last try" : "; it is tried again"));
    }
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
