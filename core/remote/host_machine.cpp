// SPDX-License-Identifier: Apache-2.0
#include "core/remote/host_machine.h"

#include <algorithm>
#include <array>
#include <vector>

namespace lockstep {

namespace {

using Now = const HostConditions&;
using S = HostState;
using I = HostInput;
using C = HostCommand;

constexpr HostGuard kAlways{"", nullptr};
constexpr HostGuard kStarted{"started before", [](Now now) { return now.isStarted; }};
constexpr HostGuard kNotStarted{"not started", [](Now now) { return !now.isStarted; }};
constexpr HostGuard kStopRequested{"stop requested", [](Now now) { return now.isStopRequested; }};
constexpr HostGuard kNeedsLibrary{"library needed", [](Now now) { return now.needsLibrary; }};
constexpr HostGuard kNotNode{"not a node", [](Now now) { return !now.isNode; }};
constexpr HostGuard kJobOver{"job over", [](Now now) { return now.isNode && now.isJobOver; }};
constexpr HostGuard kMayReturn{"started, may retry", [](Now now) { return now.isStarted && now.mayRetry; }};
constexpr HostGuard kMayRetry{"may retry", [](Now now) { return now.mayRetry; }};
constexpr HostGuard kSucceeded{"succeeded or stopped on request", [](Now now) { return now.isSuccess; }};
constexpr std::nullopt_t kFollowed = std::nullopt;

// Adds the transitions for the end of a run. HostRun may read the end from the stored events before it
// connects.
void addEnd(std::vector<HostTransition>& rows, S from)
{
    rows.push_back({from, I::runEnded, kSucceeded, S::ended, C::close});
    rows.push_back({from, I::runEnded, kAlways, S::failed, C::close});
}

void addFollowed(std::vector<HostTransition>& rows, S from)
{
    addEnd(rows, from);
    rows.push_back({from, I::job, kAlways, kFollowed, C::none});
    rows.push_back({from, I::stop, kNotNode, S::stopping, C::sendStop});
    rows.push_back({from, I::linkFailed, kJobOver, S::linkLost, C::readOverLogin});
    rows.push_back({from, I::linkFailed, kMayRetry, S::linkLost, C::retry});
    rows.push_back({from, I::linkFailed, kAlways, S::unreachable, C::close});
    rows.push_back({from, I::cutOff, kAlways, S::unreachable, C::close});
}

std::vector<HostTransition> makeTable()
{
    std::vector<HostTransition> rows{
        {S::waiting, I::begun, kAlways, S::waiting, C::queue},
        {S::waiting, I::turn, kAlways, S::connecting, C::install},
        {S::waiting, I::stop, kNotStarted, S::unreachable, C::close},
        {S::connecting, I::turn, kAlways, S::connecting, C::install},
        {S::connecting, I::installed, kStarted, kFollowed, C::follow},
        {S::connecting, I::installed, kStopRequested, S::unreachable, C::close},
        {S::connecting, I::installed, kNeedsLibrary, S::connecting, C::installLibrary},
        {S::connecting, I::installed, kAlways, S::starting, C::start},
        {S::connecting, I::libraryInstalled, kStopRequested, S::unreachable, C::close},
        {S::connecting, I::libraryInstalled, kAlways, S::starting, C::start},
        {S::connecting, I::refused, kAlways, S::unreachable, C::close},
        {S::connecting, I::stop, kNotStarted, S::unreachable, C::close},
        {S::connecting, I::linkFailed, kJobOver, S::linkLost, C::readOverLogin},
        {S::connecting, I::linkFailed, kMayReturn, S::linkLost, C::retry},
        {S::connecting, I::linkFailed, kMayRetry, S::connecting, C::retry},
        {S::connecting, I::linkFailed, kAlways, S::unreachable, C::close},
        {S::connecting, I::retryDue, kAlways, S::connecting, C::queue},
        {S::starting, I::started, kAlways, kFollowed, C::follow},
        {S::starting, I::refused, kAlways, S::unreachable, C::close},
        {S::starting, I::linkFailed, kMayRetry, S::connecting, C::retry},
        {S::starting, I::linkFailed, kAlways, S::unreachable, C::close},
        {S::linkLost, I::turn, kAlways, S::linkLost, C::install},
        {S::linkLost, I::installed, kAlways, kFollowed, C::follow},
        {S::linkLost, I::linkFailed, kJobOver, S::linkLost, C::readOverLogin},
        {S::linkLost, I::linkFailed, kMayRetry, S::linkLost, C::retry},
        {S::linkLost, I::linkFailed, kAlways, S::unreachable, C::close},
        {S::linkLost, I::retryDue, kAlways, S::linkLost, C::queue},
        {S::linkLost, I::recordsRead, kAlways, S::failed, C::close},
        {S::linkLost, I::cutOff, kAlways, S::unreachable, C::close},
    };
    for (const S from : {S::pending, S::running, S::stopping})
        addFollowed(rows, from);
    for (const S from : {S::waiting, S::connecting, S::linkLost})
        addEnd(rows, from);
    return rows;
}

constexpr std::array<std::string_view, kHostInputs> kInputs{
    "begun", "turn",        "installed", "library copied", "refused",   "started", "job changed",
    "stop",  "link failed", "retry due", "records read",   "run ended", "cut off"};
constexpr std::array<std::string_view, 10> kCommands{
    "none",   "queue",     "install", "copy library",    "start",
    "follow", "send stop", "retry",   "read over login", "close"};

// Returns the state's identifier in the diagram.
std::string diagramName(HostState state)
{
    std::string name(hostStateName(state));
    std::ranges::replace(name, ' ', '_');
    return name;
}

std::string_view hostCommandName(HostCommand command)
{
    return kCommands[static_cast<size_t>(command)];
}

std::string_view hostInputName(HostInput input)
{
    return kInputs[static_cast<size_t>(input)];
}

} // namespace

std::span<const HostTransition> hostTransitions()
{
    static const std::vector<HostTransition> table = makeTable();
    return table;
}

std::optional<HostStep> hostStep(HostState from, HostInput input, const HostConditions& now)
{
    const auto applies = [&](const HostTransition& row) {
        return row.from == from && row.input == input && (row.guard.holds == nullptr || row.guard.holds(now));
    };
    const auto rows = hostTransitions();
    const auto row = std::ranges::find_if(rows, applies);
    if (row == rows.end()) return std::nullopt;
    return HostStep{row->to.value_or(followedState(now)), row->command};
}

bool isFollowed(HostState state)
{
    return state == HostState::pending || state == HostState::running || state == HostState::stopping;
}

HostState followedState(const HostConditions& now)
{
    if (now.isStopRequested && !now.isNode) return HostState::stopping;
    return now.isJobPending ? HostState::pending : HostState::running;
}

std::string hostDiagram()
{
    std::string text = "stateDiagram-v2\n    [*] --> waiting\n";
    text += "    state followed <<choice>>\n"
            "    followed --> stopping: stop requested\n"
            "    followed --> pending: job submitting or pending\n"
            "    followed --> running\n";
    for (const HostTransition& row : hostTransitions()) {
        text += "    " + diagramName(row.from) + " --> " + (row.to ? diagramName(*row.to) : "followed") +
                ": " + std::string(hostInputName(row.input));
        if (!row.guard.name.empty()) text += " [" + std::string(row.guard.name) + "]";
        if (row.command != HostCommand::none) text += " / " + std::string(hostCommandName(row.command));
        text += "\n";
    }
    for (const HostState state : {HostState::ended, HostState::failed, HostState::unreachable})
        text += "    " + diagramName(state) + " --> [*]\n";
    return text;
}

} // namespace lockstep
