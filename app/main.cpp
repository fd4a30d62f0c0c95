#include <cstdio>
#include <iostream>

#include "app/cli.h"
#include "app/export_command.h"
#include "app/help_text.h"
#include "app/plan_command.h"

#ifdef LOCKSTEP_HAS_WINDOW
#include "app/picture_export.h"
#include "app/window_main.h"
#endif

namespace {

using namespace lockstep;

int printPlan(const CommandLine& line)
{
    std::optional<std::filesystem::path> facts;
    if (!line.hostFacts.empty()) facts = line.hostFacts;
    return planCommand(line.session, facts, std::cout, std::cerr);
}

int openWindow(int argc, char** argv, const CommandLine& line)
{
#ifdef LOCKSTEP_HAS_WINDOW
    return runWindow(argc, argv, {line.inputs.begin(), line.inputs.end()});
#else
    static_cast<void>(argc), static_cast<void>(argv), static_cast<void>(line);
    std::fputs("lockstep: this build has no window; use --export (see --help)\n", stderr);
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

} // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const Result<CommandLine> line = parseCommandLine(arguments);
    if (!line) {
        std::fprintf(stderr, "lockstep: %s\n", line.error().message.c_str());
        return exitStatus::kUsage;
    }
    switch (line->task) {
    case Task::help:
        std::fputs(helpText().c_str(), stdout);
        return exitStatus::kComplete;
    case Task::version:
        std::fputs(versionText().c_str(), stdout);
        return exitStatus::kComplete;
    case Task::exportFiles:
        return runExport(*line, pictures());
    case Task::plan:
        return printPlan(*line);
    case Task::window:
        break;
    }
    return openWindow(argc, argv, *line);
}
