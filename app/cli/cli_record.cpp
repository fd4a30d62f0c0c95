// SPDX-License-Identifier: Apache-2.0
#include "app/cli/cli_record.h"

#include "app/cli/cli_session.h"
#include "core/base/text.h"
#include "core/servers/server_url.h"

namespace lockstep {

namespace {

constexpr std::string_view kNeedsValue =
    "--record needs the address of a server, such as http://node1:30000, or a "
    "run: its id or the session name";

} // namespace

Status setRecord(CommandLine& line, std::string_view value)
{
    if (value.empty()) return usage(std::string(kNeedsValue));
    line.task = Task::record;
    line.sessionOption = "--record";
    if (!isServerUrl(value)) {
        if (!line.run.empty() || !line.recorded.urls.empty())
            return usage("--record takes one run, or any number of server addresses");
        line.run = value;
        return {};
    }
    if (!line.run.empty()) return usage("--record takes one run, or any number of server addresses");
    for (size_t begin = 0; begin <= value.size();) {
        const size_t end = std::min(value.find(',', begin), value.size());
        line.recorded.urls.push_back(LOCKSTEP_TRY(checkedServerUrl(value.substr(begin, end - begin))));
        begin = end + 1;
    }
    return {};
}

Status setSteps(CommandLine& line, std::string_view value)
{
    const auto steps = parseInt(value);
    if (!steps || *steps < 1 || *steps > 1'000'000)
        return usage("--steps '" + printable(value) + "': use a number of steps from 1 to 1000000");
    line.recorded.recording.steps = *steps;
    return {};
}

Status setSeconds(CommandLine& line, std::string_view value)
{
    const auto seconds = parseDouble(value);
    if (!seconds || !(*seconds > 0) || *seconds > 86'400)
        return usage("--seconds '" + printable(value) + "': use a number of seconds up to 86400");
    line.recorded.recording.seconds = *seconds;
    return {};
}

Status setServer(CommandLine& line, std::string_view value)
{
    line.recorded.kind = serverKindNamed(value);
    if (!line.recorded.kind) return usage("--server '" + printable(value) + "': use vllm or sglang");
    return {};
}

Status setFolder(CommandLine& line, std::string_view value)
{
    if (value.empty()) return usage("--folder needs the folder to which the servers write their traces");
    line.recorded.folder = value;
    return {};
}

Status setTimeout(CommandLine& line, std::string_view value)
{
    const auto seconds = parseInt(value);
    if (!seconds || *seconds < 1 || *seconds > 86'400)
        return usage("--timeout '" + printable(value) + "': use a whole number of seconds from 1 to 86400");
    line.recorded.timeout_s = static_cast<int>(*seconds);
    return {};
}

Status checkRecord(const CommandLine& line)
{
    const RecordOptions& recorded = line.recorded;
    if (line.task != Task::record) {
        if (!recorded.urls.empty()) return usage("--record cannot be combined with other commands");
        return recorded == RecordOptions{}
                   ? Status()
                   : usage(
                         "--steps, --seconds, --server, --folder, --timeout and --by-stage require --record");
    }
    if (!line.session.empty())
        return usage("--record cannot be combined with --plan, --run, --import or --batch");
    if (!recorded.recording.steps && !recorded.recording.seconds)
        return usage(
            "--record needs --steps N or --seconds S, for example --record http://node1:30000 --steps 5");
    if (recorded.recording.isByStage && !recorded.recording.steps)
        return usage("--by-stage requires --steps");
    if (!line.inputs.empty())
        return usage(
            "--record takes no further inputs; separate several addresses with commas or repeat --record");
    if (!line.what.empty() || !line.sql.empty()) return usage("--record and --export cannot be combined");
    if (line.output != "-")
        return usage("--output does not apply to --record; the servers write the traces, see --folder");
    return {};
}

} // namespace lockstep
