// SPDX-License-Identifier: Apache-2.0
// CommandLine holds the parsed arguments of lockstep as a plain value. parseCommandLine() is pure: it does
// not read files and does not query the terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/fail_condition.h"
#include "core/align/alignment.h"
#include "core/analysis/scope.h"
#include "core/base/result.h"
#include "core/base/spill_folder.h"
#include "core/export/table_writer.h"
#include "core/servers/server_requests.h"

namespace lockstep {

enum class Task : uint8_t {
    window,
    demo,
    exportFiles,
    sqlSchema,
    plan,
    run,
    attach,
    stop,
    importText,
    batch,
    batchTask,
    removeRuns,
    record,
    help,
    version
};
enum class PictureFormat : uint8_t { png, svg, pdf };

// Options of --record.
struct RecordOptions {
    std::vector<std::string> urls; // checked addresses; empty: the servers of CommandLine::run
    ServerRecording recording;
    std::optional<ServerKind> kind; // nullopt: recognized by the server's answers
    std::string folder;             // folder of the traces; empty: not known
    int timeout_s = 600;

    friend bool operator==(const RecordOptions&, const RecordOptions&) = default;
};

struct CommandLine {
    Task task = Task::window;
    std::vector<std::string> inputs; // paths as given; "-" = read a list of paths from standard input
    // Validated names: tables of this build, "timeline", "memory", "memory:stack", "step_chart", "report",
    // "sqlite", "chrome", "perfetto" or "workspace".
    std::vector<std::string> what;

    std::string sql; // exportFiles: a query instead of tables, or the path of a query file; empty = none

    std::optional<TableFormat> tableFormat;
    std::optional<PictureFormat> pictureFormat;
    std::string output = "-"; // "-" = standard output
    Scope scope;
    AlignOptions align;
    std::string manualShifts; // file of shifts for --align manual:FILE; empty = none
    TimeUnit timeUnit = TimeUnit::ns;
    size_t rows = 0;
    int width = 1920, height = 1080; // pixels
    bool isDark = false;
    std::string lanes; // regular expression; empty = all
    std::string goTo;  // window and image exports: a time or link to show; empty = everything
    bool isFolded = false;
    std::string identityFile;
    std::vector<FailCondition> failOn;
    std::vector<std::string> baseline; // inputs with which tables are compared; empty = none
    bool isClipGiven = false;
    bool withProvenance = false;
    size_t jobs = 0;                // 0 = one per core
    uint64_t memoryLimit_bytes = 0; // 0 = 70 % of the machine's memory
    // Where data beyond the memory limit is stored; empty folder = the user's cache.
    SpillFolder::Options disk;
    bool isHtml = false;  // --format html was given
    bool isRaw = false;   // workspace columns are stored in their in-memory format
    size_t batchTask = 0; // batchTask: task number; the batch folder is the only input
    bool isQuiet = false;
    bool isVerbose = false;
    std::string
        session; // plan, run: the session file; import: the text, "-" = standard input; batch: the plan
    std::vector<std::pair<std::string, std::string>> values; // import: values of a script's variables
    std::string_view sessionOption; // --plan, --run, --attach, --stop, --remove-runs, --record, --import or
                                    // --batch, whichever came last
    double olderThan_days = -1;     // removeRuns: age of the runs; negative = not given
    double grace_s = -1;            // stop: time for reports to be flushed; negative = not given
    std::string run;                // attach, stop, record: run id, a prefix of the id, or the session name
    int patience_s = 0;             // run, attach: how long to retry an unreachable host; 0 = one minute
    bool isStrict = false;          // plan, run: unknown keys are errors
    bool isResolved = false; // plan: run the session's script on its hosts without starting the training
    bool isAgreed = false;   // plan: the user agrees to that
    // The output may replace any file except an input. For run: launch even if the checks found errors. For
    // removeRuns: remove even if a host does not respond.
    bool isForced = false;
    bool isLive = false;    // attach: watch in the window, with a live timeline
    bool isReduced = false; // run, attach: collect compact columns instead of whole files
    RecordOptions recorded;
    std::string hostFacts;  // plan: a file with host information; empty = none
    std::string screenshot; // window: image file to write once everything is loaded; then the program quits
};

// Returns true for the names of tables, which runAnalysis() computes. The functions below recognize the other
// names.
bool isTable(std::string_view what);
// Returns true for the names of images.
bool isPicture(std::string_view what);
// Returns true for "step_chart", which is an image of a table, so that filters and groups also apply to it.
bool isStepChart(std::string_view what);
// Returns true for "workspace", a .lockstep file that contains all inputs.
bool isWorkspace(std::string_view what);
// Returns true for a format that puts all inputs on the aligned time axis into one file for other tools:
// "sqlite", "chrome", "perfetto".
bool isSceneFile(std::string_view what);
// Returns true for "report", the HTML report.
bool isReportDocument(std::string_view what);

struct OptionName {
    std::string_view name, letter; // "--output", "-o"; an empty `letter` means that there is no short form
    bool takesValue;
};
// Returns all options in table order. The shell completions are generated from them.
std::vector<OptionName> optionNames();

// Parses the arguments, without the program name. Error: invalid (one line with the problem and an example of
// valid syntax).
Result<CommandLine> parseCommandLine(std::span<const std::string> arguments);

} // namespace lockstep
