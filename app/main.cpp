// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <iostream>
#include <sstream>

#include <unistd.h>

#include "app/cli.h"
#include "app/export_command.h"
#include "app/help_text.h"
#include "app/import_command.h"
#include "app/plan_command.h"
#include "app/run_command.h"
#include "core/base/memory_budget.h"
#include "core/base/private_file.h"
#include "core/base/text.h"
#include "core/base/workers.h"
#include "core/sql/sql_table.h"

#ifdef LOCKSTEP_HAS_WINDOW
#include "app/demo_reports.h"
#include "app/picture_export.h"
#include "app/window_main.h"
#endif

namespace {

using namespace lockstep;

int printPlan(const CommandLine& line)
{
    std::optional<std::filesystem::path> facts;
    if (!line.hostFacts.empty()) facts = line.hostFacts;
    if (::isatty(STDOUT_FILENO) != 1)
        return planCommand(line.session, facts, line.isStrict, std::cout, std::cerr);
    // A file takes the commands as they are; a terminal would obey what a session may hold.
    std::ostringstream plan;
    const int status = planCommand(line.session, facts, line.isStrict, plan, std::cerr);
    std::cout << printable(plan.str(), "\n\t");
    return status;
}

int openWindow(int argc, char** argv, const CommandLine& line)
{
#ifdef LOCKSTEP_HAS_WINDOW
    // What the process holds beside reports is pictures and widgets: leases alone count.
    MemoryBudget memory({line.memoryLimit_bytes, "close reports or raise the limit, or load it anyway", {}});
    return runWindow(argc, argv, {line.inputs.begin(), line.inputs.end()}, Workers::ofMachine(line.jobs),
                     memory, line.disk);
#else
    static_cast<void>(argc), static_cast<void>(argv), static_cast<void>(line);
    std::fputs("lockstep: this build has no window; use --export (see --help)\n", stderr);
    return exitStatus::kUsage;
#endif
}

// The window with the demo's reports, written into the folder that was named, else into the user's cache.
int openDemo(int argc, char** argv, CommandLine line)
{
#ifdef LOCKSTEP_HAS_WINDOW
    const auto folder =
        line.inputs.empty() ? demoFolder() : std::filesystem::path(line.inputs.front()) / "reports";
    const auto written = writeDemoReports(folder);
    if (!written) {
        std::fprintf(stderr, "lockstep: %s\n", printable(written.error().message).c_str());
        return exitStatus::kNothing;
    }
    // File by file: of a folder as full as this the window would ask which to open.
    line.inputs.clear();
    for (const auto& path : *written)
        line.inputs.push_back(path.string());
#endif
    return openWindow(argc, argv, line);
}

DrawPicture pictures()
{
#ifdef LOCKSTEP_HAS_WINDOW
    return drawTimeline;
#else
    return {};
#endif
}

int exportFiles(const CommandLine& line)
{
    const uint64_t usual_bytes = machineMemory_bytes() / 10 * 7;
    auto disk = line.disk;
    if (disk.folder.empty()) disk.folder = userCacheFolder() / "columns";
    MemoryBudget memory({line.memoryLimit_bytes > 0 ? line.memoryLimit_bytes : usual_bytes,
                         "raise --memory-limit or give fewer inputs", ownMemory_bytes,
                         std::make_shared<SpillFolder>(std::move(disk))});
    return runExport(line, pictures(), Workers::ofMachine(line.jobs), memory);
}

} // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const Result<CommandLine> line = parseCommandLine(arguments);
    if (!line) {
        std::fprintf(stderr, "lockstep: %s\n", printable(line.error().message).c_str());
        return exitStatus::kUsage;
    }
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
    case Task::demo:
        return openDemo(argc, argv, *line);
    case Task::plan:
        return printPlan(*line);
    case Task::importText:
        return importCommand(line->session, line->output, line->isQuiet, std::cin, std::cout, std::cerr);
    case Task::attach:
        if (line->isLive) return openWindow(argc, argv, *line);
        return runHeadless(argc, argv, *line, Workers::ofMachine(line->jobs));
    case Task::run:
    case Task::stop:
        return runHeadless(argc, argv, *line, Workers::ofMachine(line->jobs));
    case Task::window:
        break;
    }
    return openWindow(argc, argv, *line);
}
