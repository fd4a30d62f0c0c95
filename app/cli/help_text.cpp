// SPDX-License-Identifier: Apache-2.0
#include "app/cli/help_text.h"

#include "app/cli/fail_condition.h"
#include "core/analysis/analysis.h"

namespace lockstep {

namespace {

constexpr std::string_view kUsage =
    R"(Lockstep shows profiles of distributed GPU training: many reports on one timeline with aligned clocks.

Usage:
  lockstep [FILE|FOLDER ...]                           open the window with these reports
  lockstep SESSION.yaml                                open the window with this session
  lockstep --plan SESSION.yaml [--host-facts FILE]     print what a session would run; changes nothing
  lockstep --run SESSION.yaml [-o WORKSPACE]           launch and monitor a run, collect its reports, write a workspace
  lockstep --attach RUN [-o WORKSPACE]                 resume watching a run, specified by its id or session name
  lockstep --attach RUN --live                         open the window and show the run's data as it grows
  lockstep --stop RUN [--grace S]                      stop a run on all its hosts; its reports are still collected
  lockstep --record URL|RUN --steps N                  record with the profilers of vLLM or SGLang servers, all at the same time
  lockstep --remove-runs [--older-than DAYS]           delete the folders of ended runs on this machine and on their hosts
  lockstep --import SCRIPT|YAML|ENV|- [-o SESSION]     convert a launch script, configuration or environment to a session file
  lockstep --export WHAT[,WHAT...] [OPTIONS] INPUT...  write tables, pictures or other files; needs no display
  lockstep --sql QUERY|FILE [OPTIONS] INPUT...         run read-only SQL on the reports; --sql-schema lists the tables
  lockstep --batch PLAN                                export from thousands of reports, in local processes or a Slurm job array
  lockstep --demo [FOLDER]                             run a small program with four ranks here, show it live and open its reports
                                                       (without a display: write a picture and tables to FOLDER)

INPUT is a report (Nsight Systems SQLite export, Chrome or PyTorch trace JSON; plain, .gz or .zst), a .lockstep
workspace, a folder (searched recursively; files are recognized by content), or - to read a list of paths from standard input.

Tables (WHAT):
)";

constexpr std::string_view kOptionsText = R"(
Pictures (WHAT):
  timeline                   the lanes of all inputs on one time axis
  memory[:stack]             PyTorch memory snapshots on the same axis, one lane per device; areas show memory by
                             purpose, or with :stack by the stacks that allocate most
  step_chart                 duration and phases of each training step; with --by role, rank, ...: one panel per group
Documents (WHAT):
  report                     one self-contained HTML file with findings, clock alignment, a picture and the main tables
Files (WHAT):
  sqlite                     the tables of --sql as an SQLite file, in aligned time; needs --output
  chrome                     all inputs as one JSON trace for Perfetto and chrome://tracing, in aligned time; needs --output
  perfetto                   the same as a protobuf trace, with times in ns and arrows from calls to GPU work; needs --output
  workspace                  all inputs in one .lockstep file that opens without them; needs --output

Options of --export:
  --format FORMAT            output format: table csv tsv json jsonl markdown; pictures: png svg pdf; report: html
                             (default: table on a terminal; otherwise from the output's extension, or else csv and png)
  -o, --output PATH          output file, or folder (one file per WHAT: NAME.EXT), or - (default); never an input
  --force                    allow --output to replace a report, a trace, a session or a script; works with every command
  --by GROUP                 rows per group: total (default), report, rank, role, step, host, process, communicator, or
                             of samples replica, version or group
  --filter KEY=V[,V...]      keep only matching rows: rank, role, step, host, process, device, stream, name=REGEX
                             (RE2); ranges: 1..3; repeatable
  --time-range A..B          keep only this aligned time, with units: 1.5s..2s; durations are clipped to the range
  --clip include|exclude     count slices that extend beyond the time range (default), or leave them out; summary
                             tables leave them out of Avg, Med, Min, Max and StdDev only
  --baseline INPUT           compare with a second run: tables get columns for before, after, change and change in
                             percent, and a timeline picture shows both runs; repeatable
  --align METHOD             how reports are placed on one time axis: auto (default: the best method the data supports),
                             collectives, host, wallclock, zero, step, step:N, marker:TEXT, manual:FILE
  --timeunit UNIT            unit of times, shown in the header: ns (default), us, ms or s
  --rows N                   print the first N rows; 0 (default) prints all
  --size WxH                 size of pictures, 300x100 to 16384x16384 pixels (default 1920x1080)
  --theme light|dark         theme of pictures (default light)
  --goto TIME|LINK           time that pictures and the window show: 1.2s, 12:04:31.204, 2026-11-20T12:04:31Z,
                             50%, "step 3", "mark 2", "@r3 123456789" (a report's own clock), lockstep:...
  --lanes REGEX              in pictures, show only lanes whose name matches
  --fold                     in pictures, show one row or rank map per group
  --fail-on CONDITION        exit with status 4 if 'NAME OP NUMBER' is true; OP is < <= == != >= or >; repeatable;
                             NAME can be a table (its number of rows) or TABLE.COLUMN; with --baseline, NUMBER can be
                             a change: 'kernel_total>+5%'
  --identity FILE            CSV file with columns path, pid, run, host, role, rank, ...; overrides what the files
                             record; path can be a pattern
  --raw                      store workspace columns uncompressed; the file is larger but opens faster
  --provenance               add sha256 of the inputs, versions, alignment and filters (always in json)
  --jobs N                   number of worker threads (default: one per core)
  --memory-limit BYTES       store data beyond this limit on disk, in the cache folder; for example 512M or 16G
                             (default: 70 % of the machine's memory)
  --cache FOLDER             cache folder (default: lockstep/columns in $XDG_CACHE_HOME or ~/.cache)
  --cache-limit BYTES        maximum size of data cached for the next start (default: half of the free disk space)
  --cache-check state|content  reuse cached data if size, time and inode are the same (default), or if the sha256 is
  -q, --quiet                print only failures
  -v, --verbose              also print skipped files and every note about the inputs

Options of --plan:
  --host-facts FILE          host information as lockstep-agent probe prints it
  --strict                   treat unknown keys as errors; also with --run
  --resolve                  dry run: run the script of the session on its hosts, record the command where it would
                             start the training, and show the exact command. The training is not started, but all
                             other commands of the script run, so Lockstep asks first
  --yes                      do not ask; with --resolve
  A session with "tool: capture" records with Lockstep's own library, which is copied to each host; nsys is not needed.

Options of --import:
  -o, --output SESSION       the session file to write (default: standard output). Scripts are read but never run;
                             what could not be evaluated is left unset and listed on standard error with its line.
                             Files that a script sources are read if they are next to it
  --set NAME=VALUE           the value of a variable that only the host knows, such as DEVICE=gpu; 1=VALUE is the first
                             argument of the script; repeatable

Options of --run, --attach and --stop:
  -o, --output WORKSPACE     the .lockstep file to write (default: RUN.lockstep in the current folder); reports are
                             collected into the folder of the same name next to it; existing files there are kept
  --patience S               seconds to keep trying an unreachable host, or to wait for a response (default 60); after
                             15 s without a response, a line reports this
  --reduced                  collect compact data that the hosts create, instead of whole reports
  --force                    launch even if the checks found errors, a host did not respond or a secret has no value
  --live                     watch the run in the window; with --attach
  --grace S                  seconds for reports to be flushed before programs are killed (default 30); with --stop
  --older-than DAYS          minimum age of runs since their start (default 30); with --remove-runs. Their logs and
                             collection status are deleted; workspaces and reports are kept. With --force, runs are also
                             deleted if a host does not respond or their log on this machine is incomplete. A run that
                             is still running is never deleted, because its agent refuses
  Events are printed on standard output: as text on a terminal, as JSON lines elsewhere. Ctrl-C stops watching; the
  run continues on its hosts. LOCKSTEP_SSH_CONFIG names a file for ssh -F; LOCKSTEP_SSH_OPTIONS adds arguments for ssh.

Options of --record:
  URL|RUN                    addresses of servers (http://HOST:PORT; several: separated by commas, or repeat --record), or
                             a run: its id or session name; its session then lists the servers (key servers). Routers
                             are replaced by their workers
  --steps N                  forward steps to record. SGLang counts them itself; for vLLM, Lockstep reads the number of
                             steps in /metrics and stops the profiler, so the recording may be a few steps longer
  --seconds S                maximum duration; without --steps, the duration
  --server vllm|sglang       kind of the servers (default: recognized by their answers)
  --folder DIR               folder of the traces. vLLM: the folder of its --profiler-config, to find the files. SGLang:
                             also sent to the server, which writes there. With a RUN, a folder on the hosts
  --by-stage                 SGLang: record N steps of prefill and N of decode, in separate files
  --timeout S                maximum seconds for an answer to start or stop, for the steps, and for the files (default 600)
  LOCKSTEP_SERVER_KEY is the key of servers that require one. Requests are sent by curl. A server that accepts the
  request does not always record, so Lockstep checks the files; without a folder that it can read, it reports that the
  files were not checked.

Options of --batch:
  PLAN is a YAML file; its paths are relative to its folder. Required keys: inputs (reports, folders, patterns, or - for
  a list on standard input; or input_list: FILE), export (names of WHAT) and output (a folder). Optional keys:
  tasks: N, reports_per_task: N   how reports are divided into tasks
  launcher: local|slurm      processes on this machine (default), or one Slurm job array submitted from here
  slurm: {partition, account, time, options: [...]}   for each task; options are additional arguments for sbatch
  jobs: N                    concurrent tasks (default: one per core, or as many as Slurm grants)
  retries: N                 maximum number of retries for reports without a result (default 2)
  memory_limit: BYTES        memory limit for all local tasks together, for each Slurm task, and for the merge
  by, filter, align, time_range, clip, timeunit, rows, format, baseline, fail_on, identity, provenance, size, theme,
  lanes, fold, raw, cache, cache_limit and cache_check work like the options with these names; use a list if an
  option is repeatable. The output is byte-identical to that of --export for the same inputs. OUTPUT/batch.json
  records which task read which report. Task results are stored in OUTPUT/.batch, and the next start reads only
  reports that are missing or changed. --jobs, --memory-limit, -q and -v can be added to --batch.
  --batch-task K FOLDER      run task K of the batch folder OUTPUT/.batch; used by --batch itself

Other options:
  --sql-schema               print the tables that --sql can query
  --goto TIME|LINK           also works for the window and with --screenshot
  --screenshot FILE          open the window, save a picture of it once everything is loaded, and quit
  -h, --help                 print this help
  --version                  print the version

Exit status:
  0    everything requested was written
  1    nothing could be written
  2    invalid command line, or the output is an input or a file that needs --force
  3    only part was written; standard error lists what failed and why
  4    a --fail-on condition is true
  with --run, --attach and --stop: 0 every host finished successfully and every report is verified, 3 something is missing,
  1 no workspace was written, 130 interrupted, but the run continues on its hosts; 3 also if writing to standard output failed
  with --record: 0 every server was recorded and its files were found, 3 some failed or could not be checked, 1 all failed,
  130 interrupted after stopping the profilers
  with --remove-runs: 0 every ended run of that age was deleted, 3 a run was kept because a host or a disk failed
  with --batch: as with --export; 3 also if no task could read some report, which the provenance of the tables then names
  with --import: 0 the session contains everything, 3 parts are missing (listed on standard error), 1 no session was written
  with --plan: 0 no errors, 3 the checks found errors, 1 no plan could be made
  130  interrupted; partial outputs were removed
Output files are written completely or not at all. The same inputs and options give the same bytes.

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
  lockstep --record http://node1:30000,http://node2:30000 --steps 5 --folder /shared/traces
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
    return out + "\n  (times are in ns unless NUMBER has a unit)\n";
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
