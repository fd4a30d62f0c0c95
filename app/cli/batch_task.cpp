// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <mutex>

#include "app/cli/batch_command.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "core/batch/batch_result.h"
#include "core/batch/task_processes.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

// Reads the reports of one task in parallel, within the memory budget, and releases each of them once its
// result is stored. Stops at the first result that does not fit on the disk, because the others would fail in
// the same way.
class BatchTask {
  public:
    BatchTask(const CommandLine& line, const Workers& workers, MemoryBudget& memory)
        : m_line(line), m_console(line.isQuiet, line.isVerbose), m_memory(memory),
          m_folder(line.inputs.front()), m_progress(m_interrupt.stopToken(), {}, workers)
    {
    }

    int run()
    {
        const Status done = runSteps();
        if (m_interrupt.wasRequested()) {
            m_console.failure("task " + std::to_string(m_line.batchTask) + ": interrupted");
            return exitStatus::kInterrupted;
        }
        if (!done) {
            m_console.failure(done.error().message);
            return exitStatus::kUsage;
        }
        if (m_isDiskFull) return kTaskDiskFull;
        if (m_failed == 0) return exitStatus::kComplete;
        return m_made > 0 ? exitStatus::kPart : exitStatus::kNothing;
    }

  private:
    Status runSteps()
    {
        const BatchTasks list = LOCKSTEP_TRY(m_folder.readTasks());
        if (list.program != thisProgram())
            return makeError(ErrorKind::unsupported, "the task list was written by " + list.program +
                                                         ", but this is " + thisProgram() +
                                                         "; nothing was done");
        if (m_line.batchTask >= list.tasks.size())
            return makeError(ErrorKind::invalid,
                             "no task " + std::to_string(m_line.batchTask) +
                                 "; number of tasks in the batch: " + std::to_string(list.tasks.size()));
        std::error_code failed;
        fs::current_path(list.folder, failed);
        if (failed)
            return makeError(ErrorKind::io,
                             list.folder.string() + ": cannot change to this folder: " + failed.message());
        std::vector<const BatchInput*> waiting;
        for (const uint32_t input : list.tasks[m_line.batchTask]) {
            if (!checkResult(m_folder, list.inputs[input])) waiting.push_back(&list.inputs[input]);
        }
        while (!waiting.empty() && !hasToEnd()) {
            std::vector<const BatchInput*> left = makeSome(waiting);
            if (left.size() == waiting.size()) {
                for (const BatchInput* const input :
                     left) // no input is being read, so no memory will become available
                    leaveNoRoom(*input);
                break;
            }
            waiting = std::move(left);
        }
        return {};
    }

    bool hasToEnd() const { return m_progress.isCanceled() || m_isDiskFull; }

    // Returns the inputs that did not fit into memory.
    std::vector<const BatchInput*> makeSome(const std::vector<const BatchInput*>& waiting)
    {
        std::mutex mutex;
        std::vector<const BatchInput*> left;
        m_progress.workers().run(waiting.size(), [&](size_t i, size_t) {
            if (hasToEnd()) return;
            auto room = m_memory.room(waiting[i]->memory_bytes, waiting[i]->path.string());
            if (room) return make(*waiting[i], *std::move(room));
            const std::scoped_lock lock(mutex);
            left.push_back(waiting[i]);
        });
        return left;
    }

    Status makeWithinMemory(const BatchInput& input, const Progress& progress)
    {
        try {
            return makeResult(m_folder, input, m_line.batchTask, progress);
        } catch (const std::bad_alloc&) {
            Error error{ErrorKind::io, input.path.string() + ": not enough memory to read this report"};
            writeFailure(m_folder, input, {error, batchHost(), m_line.batchTask});
            return tl::make_unexpected(std::move(error));
        }
    }

    void make(const BatchInput& input, MemoryBudget::Reservation room)
    {
        const Progress progress(m_progress.stopToken(), {}, m_progress.workers(), std::move(room.place));
        const Status made = makeWithinMemory(input, progress);
        if (made) {
            ++m_made;
            return;
        }
        ++m_failed;
        if (isDiskFull(m_folder, made.error())) m_isDiskFull = true;
        if (made.error().kind != ErrorKind::canceled) m_console.failure(input.path, made.error());
    }

    void leaveNoRoom(const BatchInput& input)
    {
        auto room = m_memory.room(input.memory_bytes, input.path.string());
        if (room) return make(input, *std::move(room));
        ++m_failed;
        m_console.failure(input.path, room.error());
        writeFailure(m_folder, input, {room.error(), batchHost(), m_line.batchTask});
    }

    const CommandLine& m_line;
    Console m_console;
    MemoryBudget& m_memory;
    const BatchFolder m_folder;
    Interrupt m_interrupt;
    Progress m_progress;
    std::atomic<size_t> m_made = 0, m_failed = 0;
    std::atomic<bool> m_isDiskFull = false;
};

} // namespace

int runBatchTask(const CommandLine& line, const Workers& workers, MemoryBudget& memory)
{
    return BatchTask(line, workers, memory).run();
}

} // namespace lockstep
