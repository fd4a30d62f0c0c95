// SPDX-License-Identifier: Apache-2.0
// The words of the command line as a plain value. parseCommandLine() is pure: it looks at no file and no
// terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/fail_condition.h"
#include "core/align/alignment.h"
#include "core/analysis/scope.h"
#include "core/base/result.h"
#include "core/base/spill_folder.h"
#include "core/export/table_writer.h"

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
    help,
    version
};
enum class PictureFormat : uint8_t { png, svg, pdf };

struct CommandLine {
    Task task = Task::window;
    std::vector<std::string> inputs; // paths as given; "-" = a list of paths on standard input
    std::vector<std::string> what;   // checked: tables of this build, "timeline", "memory", "memory:stack",
                                   // "step_chart",                                     // "report", "sqlite",
                                   // "chrome", "perfetto" or "workspace"

    std::string sql; // exportFiles: a query instead of tables, or the file that holds it; empty = none

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
    std::string goTo;  // window, pictures: a time or a link to show; empty = everything
    bool isFolded = false;
    std::string identityFile;
    std::vector<FailCondition> failOn;
    std::vector<std::string> baseline; // inputs that tables are compared with; empty = none
    bool isClipSaid = false;
    bool withProvenance = false;
    size_t jobs = 0;                // 0 = one per core
    uint64_t memoryLimit_bytes = 0; // 0 = 70 % of the machine's memory
    SpillFolder::Options disk;      // for what is too large for memory; an empty folder = the user's cache
    bool isHtml = false;            // --format html was given
    bool isRaw = false;             // a workspace's columns are stored as in memory
    size_t batchTask = 0;           // batchTask: its number; the batch folder is the one input
    bool isQuiet = false;
    bool isVerbose = false;
    std::string
        session; // plan, run: the session file; import: the text, "-" = standard input; batch: the plan
    std::string_view sessionOption; // --plan, --run, --attach, --stop, --remove-runs, --import or --batch,
                                    // whichever came last
    double olderThan_days = -1;     // removeRuns: age of the runs; negative = not given
    double grace_s = -1;            // stop: time for reports to be flushed; negative = not said
    std::string run;                // attach, stop: id of the run, its beginning, or the session's name
    int patience_s = 0;             // run, attach: how long a host may be out of reach at first; 0 = a minute
    bool isStrict = false;          // plan, run: keys that nothing reads are errors
    // The output may replace any file but an input; run: also when the checks find errors; removeRuns: also
    // when a host does not answer.
    bool isForced = false;
    bool isLive = false;    // attach: in the window, whose timeline grows
    bool isReduced = false; // run, attach: collect packed columns instead of whole files
    std::string hostFacts;  // plan: a file of what the hosts have; empty = none
    std::string screenshot; // window: picture to write once everything is loaded, then leave
};

// True for what runAnalysis() makes; the others are told apart below.
bool isTable(std::string_view what);
// True for what is drawn, not tabled.
bool isPicture(std::string_view what);
// True for the picture that is of a table: filters and groups are for it too.
bool isStepChart(std::string_view what);
// True for a .lockstep file of all inputs.
bool isWorkspace(std::string_view what);
// True for a file of all inputs in aligned time for other tools: "sqlite", "chrome", "perfetto".
bool isSceneFile(std::string_view what);
// True for one HTML file of the tables and pictures that matter.
bool isReportDocument(std::string_view what);

struct OptionName {
    std::string_view name, letter; // "--output", "-o"; "" = no letter
    bool takesValue;
};
// The table of options, in its order; completions are made of it.
std::vector<OptionName> optionNames();

// Arguments without the program's name. invalid: one line that says what is wrong and what would be right.
Result<CommandLine> parseCommandLine(std::span<const std::string> arguments);

} // namespace lockstep
