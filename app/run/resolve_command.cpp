// SPDX-License-Identifier: Apache-2.0
#include "app/run/resolve_command.h"

#include <iostream>
#include <sstream>

#include <QCoreApplication>
#include <QSocketNotifier>
#include <unistd.h>

#include "app/cli/console.h"
#include "app/cli/export_command.h"
#include "app/cli/interrupt.h"
#include "app/cli/plan_command.h"
#include "core/base/text.h"
#include "core/remote/dry_run.h"
#include "core/session/current_facts.h"
#include "core/session/script_launch.h"
#include "core/session/session_yaml.h"

namespace lockstep {

namespace {

// Asks on the terminal. Without one, only --yes is an agreement.
bool isAgreed(const CommandLine& line, const std::string& question)
{
    if (line.isAgreed) return true;
    if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) {
        std::cerr << "lockstep: " << question << " Use --yes to agree.\n";
        return false;
    }
    std::cerr << question << " Continue? [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

std::string questionAbout(const SessionConfig& config, const LaunchPlan& plan)
{
    std::string hosts;
    for (const HostPlan& host : plan.hosts)
        hosts += (hosts.empty() ? "" : ", ") + host.host;
    return printable("A dry run executes " + config.script + " on " + hosts +
                     ". The training is not started, but all other commands of the script run.");
}

int printResolved(const CommandLine& line, const DryRun& dryRun, Console& console)
{
    const std::vector<RecordedLaunch>& launches = dryRun.launches();
    std::optional<std::filesystem::path> facts;
    if (!line.hostFacts.empty()) facts = line.hostFacts;
    std::ostringstream text;
    const int status = planCommand(line.session, facts, line.isStrict, text, std::cerr, launches);
    std::cout << (::isatty(STDOUT_FILENO) == 1 ? printable(text.str(), "\n\t") : text.str());
    for (const std::string& problem : dryRun.problems())
        console.failure(problem);
    const bool isAnyProfiled =
        std::ranges::any_of(launches, [](const auto& one) { return one.problem.empty(); });
    if (!isAnyProfiled && dryRun.problems().empty()) console.failure("the script started no training");
    return status == 0 && (!isAnyProfiled || !dryRun.problems().empty()) ? exitStatus::kPart : status;
}

} // namespace

int resolvePlan(int argc, char** argv, const CommandLine& line)
{
    Console console(line.isQuiet, line.isVerbose);
    const auto fail = [&console](const Error& error) {
        console.failure(error.message);
        return static_cast<int>(exitStatus::kNothing);
    };
    const Result<SessionConfig> config = loadSession(line.session);
    if (!config) return fail(config.error());
    std::vector<HostFacts> facts;
    if (!line.hostFacts.empty()) {
        auto read = loadHostFacts(line.hostFacts);
        if (!read) return fail(read.error());
        facts = currentFacts(*config, std::move(*read));
    }
    const Result<LaunchPlan> plan = dryRunPlan(*config, facts);
    if (!plan) return fail(plan.error());
    if (!isAgreed(line, questionAbout(*config, *plan))) return exitStatus::kUsage;
    QCoreApplication application(argc, argv);
    RunOptions options;
    options.ssh = sshOptionsFromEnvironment();
    auto agent = findAgentProgram();
    if (!agent) return fail(agent.error());
    options.agent = std::move(*agent);
    auto dryRun = DryRun::create(*config, facts, std::move(options));
    if (!dryRun) return fail(dryRun.error());
    Interrupt interrupt;
    QSocketNotifier wake(interrupt.wakeFile(), QSocketNotifier::Read);
    QObject::connect(&wake, &QSocketNotifier::activated, dryRun->get(), [&] {
        wake.setEnabled(false);
        (*dryRun)->cancel();
    });
    QObject::connect(dryRun->get(), &DryRun::outputArrived, dryRun->get(),
                     [&console](const std::string& host, const std::string& text) {
                         console.notice(host + ": " + text.substr(0, text.find_last_not_of("\r\n") + 1));
                     });
    QObject::connect(dryRun->get(), &DryRun::finished, &application, &QCoreApplication::quit);
    QCoreApplication::exec();
    if (interrupt.wasRequested()) return exitStatus::kInterrupted;
    return printResolved(line, **dryRun, console);
}

} // namespace lockstep
