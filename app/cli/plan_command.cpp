// SPDX-License-Identifier: Apache-2.0
#include "app/cli/plan_command.h"

#include "core/base/text.h"
#include "core/session/cost_forecast.h"
#include "core/session/current_facts.h"
#include "core/session/expected_files.h"
#include "core/session/preflight.h"
#include "core/session/script_launch.h"
#include "core/session/session_yaml.h"
#include "core/session/shell_quote.h"

namespace lockstep {

namespace {

Result<Findings> printPlan(const std::filesystem::path& session,
                           const std::optional<std::filesystem::path>& hostFacts, bool isStrict,
                           std::ostream& out, std::span<const RecordedLaunch> launches)
{
    SessionConfig config = LOCKSTEP_TRY(loadSession(session));
    std::vector<HostFacts> facts;
    if (hostFacts) facts = currentFacts(config, LOCKSTEP_TRY(loadHostFacts(*hostFacts)));
    LaunchPlan plan = LOCKSTEP_TRY(planLaunch(config, facts));
    plan.launches.assign(launches.begin(), launches.end());
    config = resolvedSession(config, launches);
    Findings findings = preflight(config, plan, facts);
    if (isStrict) makeStrict(findings);
    const std::vector<ExpectedFile> files = forecastFiles(config, facts);
    out << planText(plan) << "\n# expected files\n" << shellComments(forecastText(files));
    const std::string cost = costText(costForecast(config, files), collectiveTimeout(config));
    if (!cost.empty()) out << "\n# cost of the recording, estimated\n" << shellComments(cost);
    out << "\n# findings\n" << shellComments(findings.empty() ? "none" : findingsText(findings));
    return findings;
}

} // namespace

int planCommand(const std::filesystem::path& session, const std::optional<std::filesystem::path>& hostFacts,
                bool isStrict, std::ostream& out, std::ostream& err, std::span<const RecordedLaunch> launches)
{
    const Result<Findings> findings = printPlan(session, hostFacts, isStrict, out, launches);
    if (!findings) {
        err << "lockstep: " << printable(findings.error().message) << "\n";
        return 1;
    }
    return hasErrors(*findings) ? 3 : 0;
}

} // namespace lockstep
