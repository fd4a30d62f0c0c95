// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <sstream>

#include <unistd.h>

#include "app/cli/batch_command.h"
#include "app/cli/cli.h"
#include "app/cli/crash_report.h"
#include "app/cli/export_command.h"
#include "app/cli/help_text.h"
#include "app/cli/import_command.h"
#include "app/cli/output_target.h"
#include "app/cli/plan_command.h"
#include "app/run/demo_command.h"
#include "app/run/record_command.h"
#include "app/run/remove_runs_command.h"
#include "app/run/resolve_command.h"
#include "app/run/run_command.h"
#include "core/base/memory_budget.h"
#include "core/base/private_file.h"
#include "core/base/text.h"
#include "core/base/workers.h"
#include "core/sql/sql_table.h"

#ifdef LOCKSTEP_HAS_WINDOW
#include "app/window/picture_export.h"
#include "app/window/window_main.h"
#endif

namespace {

using namespace lockstep;

int printPlan(const CommandLine& line)
{
    std::optional<std::filesystem::path> facts;
    if (!line.hostFacts.empty()) facts = line.hostFacts;
    if (::isatty(STDOUT_FILENO) != 1)
        return planCommand(line.session, facts, line.isStrict, std::cout, std::cerr);
    // In a file, the commands are unchanged. On a terminal, control characters in a session must not take
    // effect.
    std::ostringstream plan;
    const int status = planCommand(line.session, facts, line.isStrict, plan, std::cerr);
    std::cout << printable(plan.str(), "\n\t");
    return status;
}

int openWindow(int argc, char** argv, const CommandLine& line, std::shared_ptr<DemoRun> demo = {})
{
#ifdef LOCKSTEP_HAS_WINDOW
    // Only the leases of reports count against the limit, not images and widgets.
    MemoryBudget memory(
        {line.memoryLimit_bytes, "close reports, raise the limit, or load the report anyway", {}});
    std::vector<std::filesystem::path> inputs(line.inputs.begin(), line.inputs.end());
    if (demo != nullptr) inputs.clear(); // the argument is the folder of the demo
    return runWindow(argc, argv, inputs, Workers::ofMachine(line.jobs), memory, line.disk, std::move(demo));
#else
    static_cast<void>(argc), static_cast<void>(argv), static_cast<void>(line), static_cast<void>(demo);
    std::fputs("lockstep: this build has no window; use --export (see lockstep --help)\n", stderr);
    return exitStatus::kUsage;
#endif
}

DrawPicture pictures()
{
#ifdef LOCKSTEP_HAS_WINDOW
    return drawTimeline;
#else
    return {};
#endif
}

// Returns the memory budget for a run without a window. Data beyond the limit is stored on disk.
MemoryBudget memoryBudget(const CommandLine& line)
{
    const uint64_t usual_bytes = machineMemory_bytes() / 10 * 7;
    auto disk = line.disk;
    if (disk.folder.empty()) disk.folder = userCacheFolder() / "columns";
    return MemoryBudget({line.memoryLimit_bytes > 0 ? line.memoryLimit_bytes : usual_bytes,
                         "raise --memory-limit or give fewer inputs", privateMemory_bytes,
                         std::make_shared<SpillFolder>(std::move(disk))});
}

int exportFiles(const CommandLine& line)
{
    MemoryBudget memory = memoryBudget(line);
    return runExport(line, pictures(), Workers::ofMachine(line.jobs), memory);
}

int exportPrepared(const CommandLine& line, const PreparedInputs& prepared)
{
    MemoryBudget memory = memoryBudget(line);
    return runExport(line, pictures(), Workers::ofMachine(line.jobs), memory, &prepared);
}

int makeBatchTask(const CommandLine& line)
{
    MemoryBudget memory = memoryBudget(line);
    return runBatchTask(line, Workers::ofMachine(line.jobs), memory);
}

// Returns true if a window can be opened. With --screenshot, returns true and lets Qt report why a window
// cannot be opened.
bool hasDisplay(const CommandLine& line)
{
#ifdef LOCKSTEP_HAS_WINDOW
    const auto isSet = [](const char* name) {
        const char* const value = std::getenv(name);
        return value != nullptr && *value != '\0';
    };
    return !line.screenshot.empty() || isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") ||
           isSet("QT_QPA_PLATFORM");
#else
    return static_cast<void>(line), false;
#endif
}

// Runs the demo in the given folder, otherwise in the user's cache.
int showDemo(int argc, char** argv, const CommandLine& line)
{
    auto demo =
        DemoRun::prepare(line.inputs.empty() ? demoFolder() : std::filesystem::path(line.inputs.front()));
    if (!demo) {
        std::fprintf(stderr, "lockstep: %s\n", printable(demo.error().message).c_str());
        return exitStatus::kNothing;
    }
    if (hasDisplay(line)) return openWindow(argc, argv, line, *std::move(demo));
    return demoInFiles(argc, argv, line, Workers::ofMachine(line.jobs), **demo, pictures() != nullptr,
                       exportFiles);
}

// Makes the fonts of a self-contained installation available, for systems without fonts. Call before
// fontconfig is initialized.
void useOwnFonts()
{
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto fonts = self.parent_path().parent_path() / "etc/fonts/fonts.conf";
    const bool isOwn = std::filesystem::exists(self.parent_path() / "qt.conf", error);
    if (isOwn && std::filesystem::exists(fonts, error)) ::setenv("FONTCONFIG_FILE", fonts.c_str(), 0);
}

// Returns true for headless commands that a user starts and waits for; false for batch tasks, whose output no
// user is watching.
bool isWork(Task task)
{
    return task == Task::exportFiles || task == Task::batch || task == Task::run || task == Task::attach;
}

void reportCrashes()
{
    const std::string message = crashReportsLine(pendingCrashReports(crashFolder()));
    if (!message.empty()) std::fprintf(stderr, "lockstep: %s\n", printable(message).c_str());
}

int runProgram(int argc, char** argv)
{
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() == 3 && arguments[0] == kSweepDemo) return sweepDemo(arguments[1], arguments[2]);
    const Result<CommandLine> line = parseCommandLine(arguments);
    if (!line) {
        std::fprintf(stderr, "lockstep: %s\n", printable(line.error().message).c_str());
        return exitStatus::kUsage;
    }
    if (const Status allowed = checkNamedOutput(*line); !allowed) {
        std::fprintf(stderr, "lockstep: %s\n", printable(allowed.error().message).c_str());
        return exitStatus::kUsage;
    }
    returnLargeBlocks();
    installCrashHandler(crashFolder(), nullptr);
    useOwnFonts();
    if (isWork(line->task) && !line->isQuiet) reportCrashes();
    switch (line->task) {
    case Task::help:
        std::fputs(helpText().c_str(), stdout);
        return exitStatus::kComplete;
    case Task::version:
        std::fputs(versionText().c_str(), stdout);
        return exitStatus::kComplete;
    case Task::sqlSchema:
        std::fputs(sqlSchemaText().c_str(), stdout);
        return exitStatus::kComplete;
    case Task::exportFiles:
        return exportFiles(*line);
    case Task::batch:
        return runBatch(*line, exportPrepared);
    case Task::batchTask:
        return makeBatchTask(*line);
    case Task::demo:
        return showDemo(argc, argv, *line);
    case Task::plan:
        return line->isResolved ? resolvePlan(argc, argv, *line) : printPlan(*line);
    case Task::importText:
        return importCommand(line->session, line->output, line->values, line->isQuiet, std::cin, std::cout,
                             std::cerr);
    case Task::attach:
        if (line->isLive) return openWindow(argc, argv, *line);
        return runHeadless(argc, argv, *line, Workers::ofMachine(line->jobs));
    case Task::removeRuns:
        return removeRuns(argc, argv, *line);
    case Task::record:
        return recordServers(argc, argv, *line);
    case Task::run:
    case Task::stop:
        return runHeadless(argc, argv, *line, Workers::ofMachine(line->jobs));
    case Task::window:
        break;
    }
    return openWindow(argc, argv, *line);
}

} // namespace

int main(int argc, char** argv)
{
    try {
        return runProgram(argc, argv);
    } catch (const std::bad_alloc&) {
        std::fputs("lockstep: not enough memory\n", stderr);
        return exitStatus::kNothing;
    }
}
