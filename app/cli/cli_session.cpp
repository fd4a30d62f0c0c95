// SPDX-License-Identifier: Apache-2.0
#include "app/cli/cli_session.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/shell_quote.h"

namespace lockstep {

Status setPlan(CommandLine& line, std::string_view value)
{
    if (value.empty()) return usage("--plan needs a session file");
    line.task = Task::plan;
    line.sessionOption = "--plan";
    line.session = value;
    return {};
}

Status setHostFacts(CommandLine& line, std::string_view value)
{
    if (value.empty()) return usage("--host-facts needs a file");
    line.hostFacts = value;
    return {};
}

Status setRun(CommandLine& line, std::string_view value)
{
    if (value.empty()) return usage("--run needs a session file");
    line.task = Task::run;
    line.sessionOption = "--run";
    line.session = value;
    return {};
}

Status setAttach(CommandLine& line, std::string_view value)
{
    if (value.empty()) return usage("--attach needs a run: its id or the session name");
    if (!line.run.empty() && line.sessionOption != "--attach")
        return usage("--run, --attach and --stop cannot be combined");
    line.task = Task::attach;
    line.sessionOption = "--attach";
    line.run = value;
    return {};
}

Status setStop(CommandLine& line, std::string_view value)
{
    if (value.empty()) return usage("--stop needs a run: its id or the session name");
    if (!line.run.empty() && line.sessionOption != "--stop")
        return usage("--run, --attach and --stop cannot be combined");
    line.task = Task::stop;
    line.sessionOption = "--stop";
    line.run = value;
    return {};
}

Status setGrace(CommandLine& line, std::string_view value)
{
    const auto seconds = parseDouble(value);
    if (!seconds || !(*seconds >= 0) || *seconds > 86'400)
        return usage("--grace '" + std::string(value) + "': use a number of seconds from 0 to 86400");
    line.grace_s = *seconds;
    return {};
}

Status setRemoveRuns(CommandLine& line, std::string_view)
{
    line.task = Task::removeRuns;
    line.sessionOption = "--remove-runs";
    return {};
}

Status setOlderThan(CommandLine& line, std::string_view value)
{
    const auto days = parseDouble(value);
    if (!days || !(*days >= 0) || *days > 36'500)
        return usage("--older-than '" + std::string(value) + "': use a number of days from 0 to 36500");
    line.olderThan_days = *days;
    return {};
}

Status setBatch(CommandLine& line, std::string_view value)
{
    if (value.empty()) return usage("--batch needs a plan: a YAML file with inputs, export and output");
    line.task = Task::batch;
    line.sessionOption = "--batch";
    line.session = value;
    return {};
}

Status setBatchTask(CommandLine& line, std::string_view value)
{
    const auto number = parseInt(value);
    if (!number || *number < 0) return usage("--batch-task '" + std::string(value) + "': not a task number");
    line.task = Task::batchTask;
    line.batchTask = static_cast<size_t>(*number);
    return {};
}

namespace {

// Rejects options that the batch plan already contains.
Status checkBatch(const CommandLine& line)
{
    if (line.task == Task::batchTask && (line.inputs.size() != 1 || !line.session.empty()))
        return usage("--batch-task takes one batch folder, OUTPUT/.batch");
    if (line.task != Task::batch) return {};
    const bool hasOutputOption =
        line.output != "-" || line.tableFormat || line.pictureFormat || line.rows > 0;
    if (hasOutputOption || line.scope.by != GroupBy::total || !line.scope.description().empty() ||
        !line.sql.empty())
        return usage(
            "--batch reads its outputs and options from the plan; only --jobs, --memory-limit, -q and -v can "
            "be added");
    return {};
}

} // namespace

Status setImport(CommandLine& line, std::string_view value)
{
    if (value.empty()) return usage("--import needs a script or configuration file, or - for standard input");
    line.task = Task::importText;
    line.sessionOption = "--import";
    line.session = value;
    return {};
}

Status setValue(CommandLine& line, std::string_view value)
{
    const size_t equals = std::min(value.find('='), value.size());
    const std::string_view name = value.substr(0, equals);
    const bool isArgument = !name.empty() && std::ranges::all_of(name, isDigit);
    if (equals == value.size() || (!isArgument && !isEnvironmentName(name)))
        return usage("--set '" + std::string(value) +
                     "': use NAME=VALUE, for example --set DEVICE=gpu, or "
                     "1=VALUE for the first argument of the script");
    line.values.emplace_back(name, value.substr(equals + 1));
    return {};
}

Status setPatience(CommandLine& line, std::string_view value)
{
    const auto seconds = parseInt(value);
    if (!seconds || *seconds < 1 || *seconds > 86'400)
        return usage("--patience '" + std::string(value) +
                     "': use a whole number of seconds from 1 to 86400");
    line.patience_s = static_cast<int>(*seconds);
    return {};
}

Status setForce(CommandLine& line, std::string_view)
{
    line.isForced = true;
    return {};
}

Status setStrict(CommandLine& line, std::string_view)
{
    line.isStrict = true;
    return {};
}

Status setReduced(CommandLine& line, std::string_view)
{
    line.isReduced = true;
    return {};
}

Status checkSession(const CommandLine& line)
{
    const bool isRun = line.task == Task::run || line.task == Task::attach || line.task == Task::stop;
    const std::string word(line.sessionOption);
    LOCKSTEP_TRY(checkBatch(line));
    if (!line.hostFacts.empty() && line.task != Task::plan) return usage("--host-facts requires --plan");
    if (line.isResolved && line.task != Task::plan) return usage("--resolve requires --plan");
    if (line.isAgreed && !line.isResolved) return usage("--yes requires --resolve");
    if (!line.values.empty() && line.task != Task::importText) return usage("--set requires --import");
    const bool isRemoval = line.task == Task::removeRuns;
    if (line.olderThan_days >= 0 && !isRemoval) return usage("--older-than requires --remove-runs");
    if (isRemoval &&
        (!line.session.empty() || !line.run.empty() || !line.what.empty() || !line.inputs.empty()))
        return usage("--remove-runs cannot be combined with other commands or inputs");
    if ((line.patience_s > 0 && !isRemoval && !isRun) || (line.isReduced && !isRun))
        return usage("--patience and --reduced require --run, --attach or --stop");
    if (line.isLive && line.task != Task::attach) return usage("--live requires --attach");
    if (line.isLive && (line.output != "-" || line.isReduced || line.patience_s > 0))
        return usage(
            "--live opens the window; --output, --reduced and --patience apply only to --attach without --live");
    if (line.grace_s >= 0 && line.task != Task::stop) return usage("--grace requires --stop");
    const bool writes = line.task == Task::run || line.output != "-" || !line.screenshot.empty();
    if (line.isForced && !writes && !isRemoval)
        return usage("--force requires --run, or an --output that may replace a file");
    if (line.isStrict && line.task != Task::plan && line.task != Task::run)
        return usage("--strict requires --plan or --run");
    if (line.session.empty() && line.run.empty()) return {};
    if (!line.session.empty() && !line.run.empty())
        return usage("--run, --attach and --stop cannot be combined");
    if (!line.what.empty()) return usage(word + " and --export cannot be combined");
    if (!line.inputs.empty()) {
        return usage(word + " takes one " +
                     (!line.run.empty()          ? "run"
                      : line.task == Task::batch ? "plan"
                                                 : "session file") +
                     " and no further inputs");
    }
    return {};
}

} // namespace lockstep
