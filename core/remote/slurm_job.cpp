// SPDX-License-Identifier: Apache-2.0
#include "core/remote/slurm_job.h"

#include <algorithm>

#include "core/remote/agent_client.h"
#include "core/remote/slurm_remote.h"
#include "core/session/shell_quote.h"
#include "core/session/slurm_script.h"

namespace lockstep {

namespace {

constexpr std::string_view kPurpose = "Slurm job";
constexpr std::string_view kStatePrefix = "lockstep: slurm job ";

const std::string kDigits = "0123456789";
const std::string kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool hasOnly(std::string_view word, std::string_view characters)
{
    return !word.empty() && word.size() < 200 && word.find_first_not_of(characters) == word.npos;
}

// After `b=STEM inner=SCRIPT`, with the words of sbatch as the script's arguments.
constexpr std::string_view kSubmit = R"sh(
unset SBATCH_ARRAY_INX SBATCH_REQUEUE
if [ ! -s "$b.job" ]; then
  mask="$(umask)"
  umask 077
  { echo '#!/bin/bash'; grep '^#SBATCH' < "$inner"; cat "$b.body"; } > "$b.sbatch" || exit 1
  (umask "$mask"; exec "$@" --no-requeue "$b.sbatch") > "$b.job.new" && mv "$b.job.new" "$b.job" || exit 1
fi
job="$(head -n 1 "$b.job" | cut -d';' -f1)"
stopping=0
trap 'stopping=1' TERM INT
told=none
gone=0
follower=
while :; do
  state="$(squeue -h -j "$job" -o '%T' 2> /dev/null | head -n 1)"
  if [ "$state" != "$told" ]; then
    told="$state"
    nodes="$(scontrol show hostnames "$(squeue -h -j "$job" -o '%N' 2> /dev/null)" 2> /dev/null | tr '\n' ' ')"
    echo "lockstep: slurm job $job ${state:-GONE} $nodes"
  fi
  out="$(scontrol show job "$job" 2> /dev/null | sed -n 's/^ *StdOut=//p')"
  if [ -z "$follower" ] && [ -n "$out" ] && [ -e "$out" ]; then
    tail -n +1 -f "$out" &
    follower=$!
  fi
  [ -s "$b.exit" ] && break
  if [ -z "$state" ]; then gone=$((gone + 1)); else gone=0; fi
  [ "$gone" -ge 3 ] && break
  if [ "$stopping" -eq 1 ]; then
    squeue -h -s -j "$job" -o '%i %j' | grep -v -e STEPNAME -e '\.batch' -e '\.extern' | cut -d' ' -f1 | while read -r step; do
      scancel --signal=TERM "$step"
    done
  fi
  [ "$stopping" -eq 25 ] && scancel "$job"
  [ "$stopping" -gt 0 ] && stopping=$((stopping + 1))
  sleep 1
done
sleep 1
[ -n "$follower" ] && kill "$follower" 2> /dev/null
what() { scontrol show job "$job" 2> /dev/null | sed -n 's/.*JobState=\([A-Z_]*\) *Reason=\([^ ]*\).*/\1 (\2)/p' | head -n 1; }
code=1
[ -s "$b.exit" ] && code="$(cat "$b.exit")"
[ "$code" -eq 0 ] && exit 0
why="$(what)"
while [ "$gone" -lt 60 ] && [ "${why#COMPLETING}" != "$why" ]; do
  gone=$((gone + 1))
  sleep 1
  why="$(what)"
done
[ -s "$b.exit" ] && case "$why" in RUNNING* | COMPLETED* | FAILED* | '') exit "$code" ;; esac
[ -n "$why" ] || why="$(sacct -n -P -X -j "$job" -o State 2> /dev/null | head -n 1)"
echo "Slurm ended job $job before its script's end: ${why:-its state is known no more}" >&2
exit "$code"
)sh";

// In the job, after `b=STEM inner=SCRIPT agent=WORD runs=FOLDER`.
constexpr std::string_view kBody = R"sh(
cd "${SLURM_SUBMIT_DIR:-.}"
export agent runs b
[ -x "$agent" ] || echo "lockstep: $(hostname) does not see $agent, and nobody watches here; agent_folder must be a folder that login node and nodes share" >&2
srun --quiet --overlap --nodes="$SLURM_JOB_NUM_NODES" --ntasks="$SLURM_JOB_NUM_NODES" --ntasks-per-node=1 \
  --job-name=STEPNAME /bin/sh -c 'LOCKSTEP_TASK=$$; export LOCKSTEP_TASK; exec "$agent" run --plan "$b.watch" --run-dir "$runs/$SLURMD_NODENAME" > /dev/null' &
bash "$inner"
code=$?
(umask 077; echo "$code" > "$b.exit.new") && mv "$b.exit.new" "$b.exit"
kept=0
until [ -e "$b.collected" ] || [ "$kept" -ge 600 ]; do
  sleep 1
  kept=$((kept + 1))
done
exit "$code"
)sh";

std::string withStepName(std::string_view text)
{
    std::string out(text);
    constexpr std::string_view kMark = "STEPNAME";
    for (size_t at = out.find(kMark); at != std::string::npos; at = out.find(kMark))
        out.replace(at, kMark.size(), kSlurmStepName);
    return out;
}

const PlannedCommand* submitCommand(const HostPlan& login)
{
    const auto found = std::ranges::find_if(login.commands, [](const PlannedCommand& command) {
        return command.argv.size() > 1 && command.argv.front() == "sbatch";
    });
    return found == login.commands.end() ? nullptr : &*found;
}

} // namespace

std::string slurmStem(const HostPlan& login, const std::string& runId)
{
    for (const PlannedCommand& command : login.commands) { // made here before
        if (command.purpose == kPurpose) return command.argv[1].substr(0, command.argv[1].size() - 3);
    }
    const PlannedCommand* const submit = submitCommand(login);
    if (submit == nullptr) return runId;
    const std::string& script = submit->argv.back();
    return script.substr(0, script.rfind('/') + 1) + runId; // npos + 1 = 0
}

HostPlan slurmNodePlan(const HostPlan& login, const std::string& node, const std::string& stem)
{
    HostPlan plan;
    plan.host = node;
    plan.exchangesClocks = login.exchangesClocks;
    plan.reportFolders = login.reportFolders;
    for (std::string& folder : plan.reportFolders) {
        const bool isPlaced =
            folder.starts_with('/') || folder.starts_with("~/") || login.workingFolder.empty();
        if (!isPlaced) folder.insert(0, login.workingFolder + '/');
    }
    // The agent leaves the step that started it, and with it Slurm's sight where only parentage is looked at:
    // what it watches for is the script's end or the step's.
    constexpr const char* kWatch =
        "until [ -s \"$1\" ]; do [ -z \"$LOCKSTEP_TASK\" ] || kill -0 \"$LOCKSTEP_TASK\" 2> /dev/null || exit 1; sleep 1; done";
    plan.commands = {{1, "watch the job", {"/bin/sh", "-c", kWatch, "watch", stem + ".exit"}}};
    return plan;
}

Result<HostPlan> slurmLoginPlan(const LaunchPlan& plan, const HostPlan& login, const std::string& runId,
                                const std::string& agentWord, const std::string& runDir)
{
    const PlannedCommand* const submit = submitCommand(login);
    if (submit == nullptr)
        return makeError(ErrorKind::invalid, login.host + ": the plan submits nothing to Slurm");
    if (const auto word = arrayWord(submit->argv))
        return makeError(
            ErrorKind::invalid,
            login.host + ": " + std::string(*word) +
                ": a job array is several jobs, and a run is one; take it out and launch the tasks one by one");
    const std::string stem = slurmStem(login, runId);
    const std::string names = "b=" + shellQuoted(stem) + " inner=" + shellQuoted(submit->argv.back()) + "\n";
    std::vector<std::string> argv(submit->argv.begin(), submit->argv.end() - 1);
    argv.insert(argv.begin(), {"/bin/sh", stem + ".sh"});
    HostPlan made = login;
    made.reportFolders.clear(); // they are the nodes' to look into
    made.files.push_back(
        {stem + ".body",
         names + "agent=" + agentWord + " runs=" + hostPathWord(runDir) + "\n" + withStepName(kBody), false});
    made.files.push_back({stem + ".sh", "#!/bin/sh\n" + names + withStepName(kSubmit), true});
    made.files.push_back(
        {stem + ".watch", jsonFromHostPlan(plan, slurmNodePlan(login, "node", stem)), false});
    made.exchangesClocks = false; // the nodes do
    for (PlannedCommand& command : made.commands) {
        if (command.argv == submit->argv) command = {command.order, std::string(kPurpose), argv};
    }
    return made;
}

std::string slurmLetGoText(const HostPlan& login, const std::string& stem)
{
    std::string text;
    if (!login.workingFolder.empty()) text = "cd " + hostPathWord(login.workingFolder) + " && ";
    return text + "umask 077; : > " + shellQuoted(stem + ".collected");
}

std::optional<SlurmState> slurmStateFrom(std::string_view line)
{
    if (!line.starts_with(kStatePrefix)) return std::nullopt;
    line.remove_prefix(kStatePrefix.size());
    std::vector<std::string> words;
    while (!line.empty()) {
        const size_t end = std::min(line.find(' '), line.size());
        if (end > 0) words.emplace_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    if (words.size() < 2 || !hasOnly(words[0], kDigits + "_+")) return std::nullopt;
    SlurmState state{words[0], words[1] == "GONE" ? "" : words[1], {words.begin() + 2, words.end()}};
    // They become names of folders: what is no node's name is no node.
    std::erase_if(state.nodes, [](const std::string& node) {
        return !hasOnly(node, kDigits + kLetters + "._-") || node.front() == '.' || node.front() == '-';
    });
    return state;
}

} // namespace lockstep
