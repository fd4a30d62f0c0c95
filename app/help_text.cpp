// SPDX-License-Identifier: Apache-2.0
#include "app/help_text.h"

#include "app/fail_condition.h"
#include "core/analysis/analysis.h"

namespace lockstep {

namespace {

constexpr std::string_view kUsage =
    R"(Lockstep shows profiles of distributed GPU training, many reports on one time axis.

Usage:
  lockstep [FILE|FOLDER ...]                           open the window with these reports
  lockstep SESSION.yaml                                open the window with this session
  lockstep --plan SESSION.yaml [--host-facts FILE]     print what a session would run; changes nothing
  lockstep --run SESSION.yaml [-o WORKSPACE]           launch, watch, collect, verify; ends with the workspace written
  lockstep --attach RUN [-o WORKSPACE]                 pick a started run up again: its id, or the session's name
  lockstep --attach RUN --live                         the window, with the run's captures on the timeline as they grow
  lockstep --stop RUN [--grace S]                      end a run on all its hosts; its reports are still collected
  lockstep --remove-runs [--older-than DAYS]           delete the folders of ended runs, here and on their hosts
  lockstep --import SCRIPT|YAML|ENV|- [-o SESSION]     a launch script, configuration or environment as a session file
  lockstep --export WHAT[,WHAT...] [OPTIONS] INPUT...  write tables or pictures; needs no display
  lockstep --sql QUERY|FILE [OPTIONS] INPUT...         read-only SQL over the reports; --sql-schema lists its tables
  lockstep --batch PLAN                                exports over more reports than one process reads in good time
  lockstep --demo [FOLDER]                             runs a small program of four ranks here, shows it live and opens its reports;
                                                       without a display a picture and tables are written to FOLDER

INPUT is a report (Nsight Systems SQLite export, Chrome or PyTorch trace JSON, plain, .gz or .zst),
a .lockstep workspace, a folder (walked; what is recognised by its content is opened), or - for a list of paths on standard input.

Tables (WHAT):
)";

constexpr std::string_view kOptionsText = R"(
Pictures (WHAT):
  timeline                   the lanes of all inputs on one axis
  memory[:stack]             what PyTorch memory snapshots say, a lane a device, on the same axis; areas by what
                             memory is for, or by the stacks that take most
  step_chart                 how long each training step took and in which phases; --by role, rank ...: a panel each
Documents (WHAT):
  report                     findings, clocks, a picture and the tables that matter in one HTML file that stands alone
Files (WHAT):
  sqlite                     the tables of --sql as an SQLite file, in aligned time; needs --output
  chrome                     all inputs as one trace in JSON for Perfetto and chrome://tracing, in aligned time; needs --output
  perfetto                   the same as a protobuf trace: stamps in ns, arrows from calls to GPU work; needs --output
  workspace                  all inputs in one .lockstep file that reopens without them; needs --output

Options of --export:
  --format FORMAT            tables: table csv tsv json jsonl markdown; pictures: png svg pdf; report: html
                             (default: table on a terminal, else by the output's name, else csv and png)
  -o, --output PATH          a file, a folder (one file per WHAT: NAME.EXT), or - (default); never an input
  --force                    let --output replace a report, a trace, a session or a script; of every command
  --by GROUP                 total (default), report, rank, role, step, host, process, communicator: rows per group
  --filter KEY=V[,V...]      rank, role, step, host, process, device, stream, name=REGEX (RE2); 1..3; repeatable
  --time-range A..B          aligned time, with units: 1.5s..2s; durations are clipped to it
  --clip include|exclude     what the time range cuts counts (default), or is left out; of sums by name
                             out of Avg, Med, Min, Max and StdDev alone
  --baseline INPUT           another run to compare with: tables get before, after, change and change in percent,
                             and a picture of the timeline is of both; repeatable
  --align METHOD             how reports are put on one axis: auto (default: the best the data supports),
                             collectives, host, wallclock, zero, step, step:N, marker:TEXT, manual:FILE
  --timeunit UNIT            ns (default), us, ms, s: unit of times, named in the header
  --rows N                   the first N rows; 0 (default) = all
  --size WxH                 of pictures, 300x100 to 16384x16384 pixels (default 1920x1080)
  --theme light|dark         of pictures (default light)
  --goto TIME|LINK           pictures and the window show this place: 1.2s, 12:04:31.204, 2026-11-20T12:04:31Z,
                             50%, "step 3", "mark 2", "@r3 123456789" (a report's own clock), lockstep:...
  --lanes REGEX              pictures show the lanes whose name matches
  --fold                     pictures show one row or rank map a group
  --fail-on CONDITION        exit with 4 when 'NAME OP NUMBER' is true; OP is < <= == != >= >; repeatable;
                             NAME may be a table (its rows) or TABLE.COLUMN, NUMBER with --baseline a change:
                             'kernel_total>+5%'
  --identity FILE            CSV with columns path, pid, run, host, role, rank, ...: overrides what files say;
                             path may be a pattern
  --raw                      a workspace's columns are stored as in memory, not packed: larger, reopened at once
  --provenance               add inputs' sha256, versions, alignment and filters (always in json)
  --jobs N                   workers (default: one per core)
  --memory-limit BYTES       what would not fit is put on disk, in the cache folder; 512M, 16G
                             (default: 70 % of the machine's memory)
  --cache FOLDER             where that is (default: lockstep/columns in $XDG_CACHE_HOME or ~/.cache)
  --cache-limit BYTES        what it may keep for the next opening (default: half of what its disk has free)
  --cache-check state|content  keep for a file of that size, time and inode (default), or of that sha256
  -q, --quiet                say only what failed
  -v, --verbose              say also what was passed over and every note about the inputs

Options of --plan:
  --host-facts FILE          what the hosts have, as lockstep-agent probe prints it
  --strict                   keys that nothing reads are errors; also of --run
  A session with "tool: capture" records with Lockstep's own library, which is put on each host: no nsys is needed.

Options of --import:
  -o, --output SESSION       the session file to write (default: standard output). Nothing of a script is run; what was
                             not understood is told on standard error, by its line

Options of --run, --attach and --stop:
  -o, --output WORKSPACE     the .lockstep file to write (default: RUN.lockstep here); reports are collected into
                             the folder of the same name beside it; a file that is there already stays
  --patience S               seconds to keep trying a host that was never reached, and to wait for an answer
                             of one that was (default 60); after 15 s of silence a line says so
  --reduced                  fetch packed columns that the hosts make, instead of whole reports
  --force                    also launch although the checks found errors, a host did not answer or a secret has
                             no value
  --live                     with --attach: watch it in the window instead
  --grace S                  with --stop: seconds for reports to be flushed before programs are killed (default 30)
  --older-than DAYS          with --remove-runs: age of the runs, since they started (default 30). Their logs and ledgers
                             are deleted; workspaces and reports stay. --force: although a host does not answer, or its copy
                             of the run's log here does not reach the end; a run that still runs is kept by its agent
  Events come on standard output, to read on a terminal, as JSON lines elsewhere. Ctrl-C lets go of the run
  without stopping it. LOCKSTEP_SSH_CONFIG names a file for ssh -F, LOCKSTEP_SSH_OPTIONS further words for ssh.

Options of --batch:
  PLAN is YAML; paths in it are from its own folder. It needs inputs (reports, folders, patterns, or - for a list on
  standard input; or input_list: FILE), export (names of WHAT) and output (a folder), and may hold:
  tasks: N, reports_per_task: N   how the reports are dealt
  launcher: local|slurm      processes of this machine (default), or one Slurm job array submitted from here
  slurm: {partition, account, time, options: [...]}   of each task; options are further words of sbatch
  jobs: N                    tasks at a time (default: one per core, or as many as Slurm gives)
  retries: N                 how often what has no result is tried again (default 2)
  memory_limit: BYTES        of all local tasks together, of each Slurm task, and of the merge
  and by, filter, align, time_range, clip, timeunit, rows, format, baseline, fail_on, identity, provenance, size, theme,
  lanes, fold, raw, cache, cache_limit and cache_check as the options of those names; a list for one that is repeatable.
  The files are those of --export over the same inputs, to the byte; OUTPUT/batch.json says who read what. What tasks
  leave stands in OUTPUT/.batch: another start reads only what is missing or changed. Beside --batch: --jobs,
  --memory-limit, -q, -v.
  --batch-task K FOLDER      what each task runs: task K of the batch folder OUTPUT/.batch

Other options:
  --sql-schema               the tables that --sql knows
  --goto TIME|LINK           of the window too, also with --screenshot
  --screenshot FILE          open the window, write its picture once everything is loaded, and leave
  -h, --help                 this text
  --version                  the version

Exit status:
  0    everything asked for was written
  1    nothing could be written
  2    the command line is wrong, or the output is an input or a file that needs --force
  3    a part was written; what failed and why is on standard error
  4    a --fail-on condition held
  with --run, --attach and --stop: 0 every host ended well and every report is verified, 3 something is missing, 1 no workspace,
  130 interrupted, the run continues on its hosts; 3 also where standard output could not be written
  with --remove-runs: 0 every ended run of that age was deleted, 3 one was kept because a host or a disk failed
  with --batch: as --export; 3 also where no task brought a report, which its table's provenance names
  with --import: 0 all of it is in the session, 3 the session lacks what standard error tells, 1 there is none
  with --plan: 0 nothing stands against it, 3 the checks found errors, 1 there is no plan
  130  interrupted; partial outputs are removed
Output files appear whole or not at all. The same inputs and options give the same bytes.

Examples:
  lockstep rank*.json.gz
  lockstep --export inventory,alignment runs/
  lockstep --export cuda_gpu_kern_sum:base --by rank --filter rank=0..3 --timeunit ms run.sqlite
  lockstep --export cuda_gpu_kern_sum,cuda_api_sum --format json -o tables/ *.sqlite
  lockstep --export step_statistics --baseline monday/ --fail-on 'step_statistics.mean>+5%' tuesday/
  lockstep --export timeline -o timeline.png --time-range 1.5s..2s traces/
  lockstep --export memory --format svg -o memory.svg snapshots/*.pickle
  lockstep --sql 'SELECT name, count(*), sum(duration_ns) AS total_ns FROM kernel GROUP BY name ORDER BY 3 DESC' run.sqlite
  lockstep --export report -o run.html traces/
  lockstep --import run_grpo.sh -o grpo.yaml && lockstep --plan grpo.yaml --strict
  lockstep --run grpo.yaml -o grpo.lockstep
  lockstep --batch night.yaml
  find . -name '*.sqlite' | lockstep --export nvtx_sum --fail-on 'data_loss > 0' -
)";

std::string tableLines()
{
    constexpr size_t kColumn = 29;
    std::string out;
    for (const Analysis& analysis : analyses()) {
        std::string name = "  " + std::string(analysis.name);
        for (const AnalysisArgument& argument : analysis.arguments)
            name += "[:" + argumentUsage(argument) + "]";
        name.resize(std::max(name.size() + 1, kColumn), ' ');
        out += name + std::string(analysis.title) + "\n";
    }
    return out;
}

std::string conditionLine()
{
    std::string out = "\nNames for --fail-on:\n ";
    for (const std::string_view name : failConditionNames())
        out += " " + std::string(name);
    return out + "\n  (times are in ns unless NUMBER names a unit)\n";
}

} // namespace

std::string helpText()
{
    std::string options(kOptionsText);
    options.insert(options.find("\nOptions of --plan:"), conditionLine());
    return std::string(kUsage) + tableLines() + options;
}

std::string versionText()
{
    return "lockstep " LOCKSTEP_VERSION "\n";
}

} // namespace lockstep
