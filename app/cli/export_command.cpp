// SPDX-License-Identifier: Apache-2.0
#include "app/cli/export_command.h"

#include <algorithm>
#include <iterator>
#include <new>

#include "app/cli/console.h"
#include "app/cli/export_writer.h"
#include "app/cli/input_defects.h"
#include "app/cli/interrupt.h"
#include "app/cli/output_target.h"
#include "app/cli/path_list.h"
#include "app/cli/picture_request.h"
#include "app/cli/query_text.h"
#include "app/cli/report_document.h"
#include "app/cli/report_loader.h"
#include "app/cli/step_chart_export.h"
#include "app/cli/workspace_marks.h"
#include "core/align/manual_shifts.h"
#include "core/analysis/comparison.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/notes_table.h"
#include "core/base/mapped_file.h"
#include "core/readers/report_search.h"
#include "core/sql/sql_query.h"
#include "core/trace/repeated_work.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

class ExportCommand {
  public:
    ExportCommand(const CommandLine& line, const DrawPicture& draw, const Workers& workers,
                  MemoryBudget& memory, const PreparedInputs* prepared)
        : m_line(line), m_console(line.isQuiet, line.isVerbose), m_draw(draw), m_memory(memory),
          m_prepared(prepared), m_progress(m_interrupt.stopToken(), {}, workers)
    {
    }

    int run()
    {
        const Status done = runWithinMemory();
        m_console.clearProgress();
        if (m_interrupt.wasRequested()) {
            m_console.failure("interrupted; incomplete outputs were removed");
            return exitStatus::kInterrupted;
        }
        if (!done) {
            m_console.failure(done.error().message);
            return done.error().kind == ErrorKind::invalid ? exitStatus::kUsage : exitStatus::kNothing;
        }
        if (m_written == 0 || m_inputs.workspace.isEmpty()) return exitStatus::kNothing;
        if (m_conditionMet) return exitStatus::kConditionMet;
        return m_isPartial ? exitStatus::kPart : exitStatus::kComplete;
    }

  private:
    Result<AlignOptions> alignOptions() const
    {
        AlignOptions options = m_line.align;
        if (m_line.manualShifts.empty()) return options;
        const MappedFile file = LOCKSTEP_TRY(MappedFile::open(m_line.manualShifts));
        options.shifts_ns = LOCKSTEP_TRY(parseManualShifts(file.text(), m_inputs.workspace));
        return options;
    }

    Status runWithinMemory()
    {
        try {
            return runSteps();
        } catch (const std::bad_alloc&) {
            return makeError(ErrorKind::io,
                             "not enough memory; give fewer inputs, or lower --memory-limit so that "
                             "more data is stored on disk");
        }
    }

    std::vector<fs::path> inputFiles() const
    {
        std::vector<fs::path> files = namedInputs(m_line);
        for (const LoadedInputs* loaded : {&m_inputs, &m_before}) {
            for (const InputFile& file : loaded->files)
                files.push_back(file.path);
        }
        return files;
    }

    Status runSteps()
    {
        m_inputs = LOCKSTEP_TRY(m_prepared != nullptr ? loadFound(m_prepared->found, m_prepared->read)
                                                      : load(m_line.inputs));
        if (m_prepared != nullptr) LOCKSTEP_TRY(m_prepared->loaded());
        reportCopies(m_inputs);
        reportDefects(m_inputs);
        const bool wantsInventory = std::ranges::any_of(m_line.what, [](const std::string& what) {
            return findAnalysis(what) == findAnalysis("inventory");
        });
        if (m_inputs.files.empty() || (m_inputs.workspace.isEmpty() && !wantsInventory)) return {};
        const AlignOptions align = LOCKSTEP_TRY(alignOptions());
        m_scene = makeHeadlessScene(m_inputs.workspace,
                                    LOCKSTEP_TRY(alignReports(m_inputs.workspace, align, m_progress)));
        m_marks = LOCKSTEP_TRY(readWorkspaceMarks(m_line, m_inputs.files, m_console));
        m_isPartial |= !m_marks.notes.empty();
        if (!m_line.baseline.empty()) LOCKSTEP_TRY(loadBaseline());
        ExportWriter writer(m_line, m_console);
        LOCKSTEP_TRY(writer.open(inputFiles()));
        const bool wantsReport = std::ranges::any_of(m_line.what, isReportDocument);
        if (wantsInventory || wantsReport || writer.needsDigests()) {
            if (m_prepared != nullptr) m_prepared->digest(m_inputs.files);
            LOCKSTEP_TRY(addDigests(m_inputs.files, m_progress));
        }
        if (m_baseline && writer.needsDigests()) LOCKSTEP_TRY(addDigests(m_before.files, m_progress));
        LOCKSTEP_TRY(makeTables(writer));
        LOCKSTEP_TRY(makePictures(writer));
        if (wantsReport) LOCKSTEP_TRY(makeReport(writer));
        for (const std::string& what : m_line.what) {
            if (isSceneFile(what)) makeSceneFile(what, writer);
            LOCKSTEP_TRY(m_progress.check());
        }
        if (std::ranges::any_of(m_line.what, isWorkspace)) {
            writer.writeWorkspace(m_scene->open, align, m_marks.marks, m_progress);
            LOCKSTEP_TRY(m_progress.check());
        }
        m_written = writer.written();
        m_isPartial |= writer.hasFailed();
        return checkConditions();
    }

    // Opens the --baseline inputs and aligns them on a separate time axis with the same method.
    Status loadBaseline()
    {
        m_before = LOCKSTEP_TRY(load(m_line.baseline));
        reportDefects(m_before);
        if (m_before.workspace.isEmpty())
            return makeError(ErrorKind::io, "--baseline: none of its reports could be read");
        AlignOptions align = m_line.align;
        if (align.mode == AlignMode::manual)
            // The file of manual shifts applies to the inputs, not to the baseline.
            align.mode = AlignMode::automatic;
        m_baseline = makeHeadlessScene(m_before.workspace,
                                       LOCKSTEP_TRY(alignReports(m_before.workspace, align, m_progress)));
        m_differences = differencesOf(m_baseline->shown, m_scene->shown);
        for (const std::string& difference : m_differences)
            m_console.notice("the inputs differ from the baseline in " + difference);
        return m_progress.check();
    }

    Result<Table> table(const std::string& what)
    {
        if (isNotes(what)) return notesTable(what, m_marks.marks, *m_scene, m_line.scope);
        Table now = LOCKSTEP_TRY(runAnalysis(what, *m_scene, m_line.scope, m_progress, m_inputs.files));
        if (!m_baseline) return now;
        const Table before =
            LOCKSTEP_TRY(runAnalysis(what, *m_baseline, m_line.scope, m_progress, m_before.files));
        Table compared = compareTables(before, now);
        const bool isAnyJoined = std::ranges::any_of(joinRows(before, now).pairs, &RowPair::isWhole);
        if (!isAnyJoined && before.rowCount() > 0 && now.rowCount() > 0)
            m_console.notice(what + ": no row exists in both runs, so nothing was compared");
        std::string names;
        for (const std::string& input : m_line.baseline)
            names += (names.empty() ? "" : ", ") + input;
        auto& rules = compared.source.rules;
        rules.push_back("before: " + names + ", with the same filters and arguments");
        for (const std::string& difference : m_differences)
            rules.push_back("the runs differ in " + difference);
        if (m_differences.empty())
            rules.push_back(
                "the runs do not differ in the GPUs, drivers, tools, ranks and steps that their files record");
        return compared;
    }

    // Streams the rows if the table supports that and there is no baseline.
    Result<std::unique_ptr<RowStream>> rowsOf(const std::string& what)
    {
        if (!m_baseline && !isNotes(what))
            return openRows(what, *m_scene, m_line.scope, m_progress, m_inputs.files);
        return std::make_unique<TableRowStream>(LOCKSTEP_TRY(table(what)));
    }

    Result<LoadedInputs> load(const std::vector<std::string>& inputs)
    {
        std::vector<fs::path> paths;
        for (const std::string& input : inputs) {
            if (input == "-") {
                m_console.detail("reading paths from standard input");
                std::ranges::copy(LOCKSTEP_TRY(readPathList(m_interrupt)), std::back_inserter(paths));
            } else {
                paths.emplace_back(input);
            }
        }
        const FoundReports found = LOCKSTEP_TRY(findReports(paths, m_progress));
        for (const SkippedFile& file : found.skippedFiles) {
            if (file.sameAs.empty()) m_console.detail(file.path.string() + ": skipped: " + file.reason);
        }
        if (!found.skippedFiles.empty() && !found.reports.empty() && !m_line.isVerbose) {
            m_console.notice("files skipped: " + std::to_string(found.skippedFiles.size()) +
                             "; use -v to list them with reasons");
        }
        if (found.reports.empty()) {
            m_console.failure("no report among the inputs" +
                              (found.skippedFiles.empty()
                                   ? std::string()
                                   : " (files examined: " + std::to_string(found.skippedFiles.size()) +
                                         "; -v lists them)") +
                              "; give nsys SQLite exports, trace JSON files, or folders that contain them");
        }
        return loadFound(found, {});
    }

    Result<LoadedInputs> loadFound(const FoundReports& found, const ReadInput& read)
    {
        std::optional<IdentityFile> identities;
        LoadOptions options;
        options.read = read;
        if (!m_line.identityFile.empty()) {
            identities = LOCKSTEP_TRY(IdentityFile::read(m_line.identityFile));
            options.identities = &*identities;
        }
        options.onLoaded = [this](size_t done, size_t total) {
            m_console.progress("reports loaded:", done, total);
        };
        LoadedInputs loaded = LOCKSTEP_TRY(loadInputs(found, options, m_memory, m_progress));
        m_console.clearProgress();
        if (identities) {
            for (const std::string& line : identities->linesWithoutProcess(loaded.workspace))
                m_console.notice(line);
        }
        return loaded;
    }

    // Prints which work would be counted twice: the first few omitted copies, and reports with the same
    // identity.
    void reportCopies(const LoadedInputs& inputs)
    {
        constexpr size_t kReported = 5;
        size_t copies = 0;
        for (const InputFile& input : inputs.files) {
            if (input.sameAs.empty()) continue;
            const std::string text = input.path.string() + ": same report as " + input.sameAs + "; skipped";
            if (++copies <= kReported) {
                m_console.notice(text);
            } else {
                m_console.detail(text);
            }
        }
        for (const auto& conflict : findConflictingReports(inputs.workspace))
            m_console.notice(conflictText(inputs.workspace, conflict));
    }

    // Prints one line per failed, corrupt or incomplete input, and every note if verbose.
    void reportDefects(const LoadedInputs& inputs)
    {
        for (const InputFile& input : inputs.files) {
            if (input.error) {
                m_console.failure(input.path, *input.error);
                m_isPartial = true;
                m_failedInputs += &inputs == &m_inputs ? 1 : 0;
                continue;
            }
            if (!input.report.isValid()) continue; // an omitted copy has no report
            const auto& notes = inputs.workspace.report(input.report).notes.all();
            const auto worst = std::ranges::max_element(notes, {}, gravity);
            for (auto note = notes.begin(); note != notes.end(); ++note) {
                const std::string text = input.path.string() + ": " + noteText(*note);
                if (note != worst || gravity(*note) == 0) {
                    m_console.detail(text);
                } else if (gravity(*note) > 1) {
                    m_console.failure(text);
                    m_isPartial = true;
                } else {
                    m_console.notice(text);
                }
            }
        }
    }

    bool hasMemory() const
    {
        const auto holds = [this](ReportKey key) { return m_scene->open.report(key).memory != nullptr; };
        return std::ranges::any_of(m_scene->open.keys(), holds);
    }

    void makeSceneFile(const std::string& what, ExportWriter& writer)
    {
        writer.writeSceneFile(what, m_scene, m_progress);
        if (hasMemory()) m_console.notice(what + ": does not include data from memory snapshots");
    }

    Status makeReport(ExportWriter& writer)
    {
        const ReportDocument made =
            LOCKSTEP_TRY(reportDocument(m_line, m_scene, m_inputs.files, m_draw, m_progress));
        for (const std::string& missing : made.missing)
            m_console.failure("report: missing " + missing);
        m_isPartial |= !made.missing.empty();
        writer.writeReport(made.html);
        return m_progress.check();
    }

    Status answerQuery(ExportWriter& writer)
    {
        const SqlLimits limits{m_line.rows};
        const std::string query = LOCKSTEP_TRY(queryText(m_line.sql));
        std::vector<std::unique_ptr<RowStream>> tables;
        for (Table& table : LOCKSTEP_TRY(runQuery(query, m_scene, limits, m_progress))) {
            if (table.rowCount() == 0) m_console.notice(table.name() + ": the query returned no rows");
            tables.push_back(std::make_unique<TableRowStream>(std::move(table)));
        }
        writer.writeTables(tables, {m_inputs.files, *m_scene, m_line.timeUnit}, m_progress);
        return m_progress.check();
    }

    Status makeTables(ExportWriter& writer)
    {
        if (!m_line.sql.empty()) return answerQuery(writer);
        std::vector<std::unique_ptr<RowStream>> tables;
        std::vector<std::string> names;
        for (const std::string& what : m_line.what) {
            if (!isTable(what)) continue;
            tables.push_back(LOCKSTEP_TRY(rowsOf(what)));
            names.push_back(what);
        }
        if (tables.empty()) return {};
        ExportProvenance provenance{m_inputs.files, *m_scene, m_line.timeUnit};
        std::optional<ExportProvenance> before;
        if (m_baseline) {
            before.emplace(ExportProvenance{m_before.files, *m_baseline, m_line.timeUnit});
            provenance.baseline = &*before;
            provenance.differences = m_differences;
        }
        const std::vector<size_t> rows = writer.writeTables(tables, provenance, m_progress);
        for (size_t i = 0; i < rows.size(); ++i) {
            if (rows[i] == 0) reportEmpty(names[i], tables[i]->head().source);
        }
        return m_progress.check();
    }

    // Reports why a table is empty. The user must be able to tell whether rows are missing because an input
    // failed or because there never were any.
    void reportEmpty(const std::string& what, const TableSource& source)
    {
        if (m_failedInputs > 0) {
            m_console.failure(what + ": no rows, but " + std::to_string(m_failedInputs) + " of " +
                              std::to_string(m_inputs.files.size()) + " inputs could not be read");
            return;
        }
        const Analysis& analysis = *findAnalysis(isStepChart(what) ? "step_breakdown" : what);
        m_console.notice(what + ": no rows. " + emptyTableText(analysis, source));
    }

    Result<std::string> picture(const std::string& what, PictureFormat format)
    {
        if (!m_draw)
            return makeError(ErrorKind::unsupported,
                             "this build cannot draw pictures, because it has no window library");
        return m_draw(LOCKSTEP_TRY(pictureRequest(m_line, what, format, *m_scene, m_baseline.get(),
                                                  m_marks.marks, m_console, m_progress)));
    }

    // Writes no chart if there are no steps, because an empty chart would suggest a run of zero duration.
    Status makeStepChart(const std::string& what, PictureFormat format, ExportWriter& writer)
    {
        const Result<std::string> made =
            stepChart(m_line, m_scene, m_inputs.files, format, m_draw, m_progress);
        if (!made && made.error().kind == ErrorKind::invalid) return tl::make_unexpected(made.error());
        LOCKSTEP_TRY(m_progress.check());
        const bool isEmpty = made && made->empty();
        if (isEmpty) reportEmpty(what, {});
        if (!isEmpty) writer.writePicture(what, format, made);
        m_isPartial |= isEmpty;
        return {};
    }

    Status makePictures(ExportWriter& writer)
    {
        for (const std::string& what : m_line.what) {
            if (!isPicture(what)) continue;
            LOCKSTEP_TRY(m_progress.check());
            const PictureFormat format = writer.pictureFormat();
            if (isStepChart(what)) {
                if (m_baseline) m_console.notice(what + ": the baseline is not drawn");
                LOCKSTEP_TRY(makeStepChart(what, format, writer));
                continue;
            }
            writer.writePicture(what, format, picture(what, format));
            Scope untimed = m_line.scope;
            untimed.time.reset();
            if (!untimed.description().empty() || untimed.by != GroupBy::total)
                m_console.notice(
                    what +
                    ": --by and --filter apply only to tables; use --lanes to select what a picture shows");
            if (what.starts_with("memory") && !hasMemory())
                m_console.notice(what + ": no input contains a memory snapshot");
        }
        return m_progress.check();
    }

    Status checkConditions()
    {
        const ArgumentValues none;
        const AnalysisRequest request{"", none, *m_scene, m_line.scope, m_inputs.files};
        std::optional<AnalysisRequest> before;
        if (m_baseline) before.emplace(AnalysisRequest{"", none, *m_baseline, m_line.scope, m_before.files});
        for (const FailCondition& condition : m_line.failOn) {
            const CheckedCondition checked =
                LOCKSTEP_TRY(checkCondition(condition, request, before ? &*before : nullptr, m_progress));
            if (checked.isVoid) m_console.failure("--fail-on " + condition.text + ": " + checked.text);
            m_isPartial |= checked.isVoid;
            if (!checked.holds) continue;
            m_console.failure("--fail-on " + condition.text + " holds: " + checked.text);
            m_conditionMet = true;
        }
        return {};
    }

    const CommandLine& m_line;
    Console m_console;
    const DrawPicture& m_draw;
    MemoryBudget& m_memory;
    const PreparedInputs* m_prepared; // null = use the inputs of the command line
    Interrupt m_interrupt;
    Progress m_progress;
    LoadedInputs m_inputs;
    ReadMarks m_marks; // markers from the workspaces among the inputs, if requested
    ScenePtr m_scene;  // set once the clocks are aligned
    LoadedInputs m_before;
    ScenePtr m_baseline; // the scene of --baseline; null if there is none
    std::vector<std::string> m_differences;
    size_t m_written = 0;
    size_t m_failedInputs = 0;
    bool m_isPartial = false;
    bool m_conditionMet = false;
};

} // namespace

int runExport(const CommandLine& line, const DrawPicture& draw, const Workers& workers, MemoryBudget& memory,
              const PreparedInputs* prepared)
{
    return ExportCommand(line, draw, workers, memory, prepared).run();
}

} // namespace lockstep
