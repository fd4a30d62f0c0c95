// SPDX-License-Identifier: Apache-2.0
#include "app/cli/batch_command.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

#include "app/cli/batch_rounds.h"
#include "app/cli/interrupt.h"
#include "app/cli/path_list.h"
#include "core/base/mapped_file.h"
#include "core/base/sha256.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxMerges =
    3; // the merge is retried, because a corrupt result may be detected only when it is mapped

class BatchCommand {
  public:
    BatchCommand(const CommandLine& line, const ExportPrepared& exportPrepared)
        : m_outer(line), m_console(line.isQuiet, line.isVerbose), m_exportPrepared(exportPrepared)
    {
    }

    int run()
    {
        if (const Status ready = prepare(); !ready) return fail(ready.error());
        const BatchFolder folder = BatchFolder::below(fs::absolute(m_plan.output).lexically_normal());
        if (const Status made = folder.make(); !made) return fail(made.error());
        const Result<BatchLock> lock = BatchLock::take(folder);
        if (!lock) return fail(lock.error());
        for (int merge = 1;; ++merge) {
            {
                Interrupt interrupt; // in a separate scope, because the export creates its own Interrupt
                if (const Status done = runTasks(folder, interrupt); !done) {
                    m_console.clearProgress();
                    if (!interrupt.wasRequested()) return fail(done.error());
                    m_console.failure(
                        "interrupted; finished reports are kept, and the next start continues from them");
                    return exitStatus::kInterrupted;
                }
            }
            m_damaged.clear();
            const int status = m_exportPrepared(m_line, preparedInputs(folder));
            if (!m_isStale || merge == kMaxMerges) return status;
            m_isStale = false;
        }
    }

  private:
    int fail(const Error& error)
    {
        m_console.failure(error.message);
        return error.kind == ErrorKind::invalid ? exitStatus::kUsage : exitStatus::kNothing;
    }

    // Reads the plan, converts the plan to a command line and changes to the plan's folder.
    Status prepare()
    {
        const fs::path path = m_outer.session;
        {
            const MappedFile file = LOCKSTEP_TRY(MappedFile::open(path));
            auto plan = batchPlanFromYaml(file.text());
            if (!plan) return tl::make_unexpected(withContext(plan.error(), path.string()));
            m_plan = *std::move(plan);
            for (const std::string& note : m_plan.slurm.notes)
                m_console.notice(note);
            m_planDigest = Sha256::of(file.text());
        }
        std::string what;
        for (const std::string& word : m_plan.what)
            what += (what.empty() ? "" : ",") + word;
        std::vector<std::string> words{"--export", what};
        words.insert(words.end(), m_plan.options.begin(), m_plan.options.end());
        if (!m_plan.memoryLimit.empty()) words.insert(words.end(), {"--memory-limit", m_plan.memoryLimit});
        // The trailing slash makes the output a folder regardless of its name. The inputs are already
        // prepared.
        words.insert(words.end(), {"--force", "--output", m_plan.output + "/", "--",
                                   "."}); // the folder belongs to the batch
        auto line = parseCommandLine(words);
        if (!line) return tl::make_unexpected(withContext(line.error(), path.string()));
        m_line = *std::move(line);
        m_wantsProvenance = m_line.withProvenance;
        m_line.isQuiet = m_outer.isQuiet;
        m_line.isVerbose = m_outer.isVerbose;
        m_line.jobs = m_outer.jobs;
        if (m_line.memoryLimit_bytes == 0) m_line.memoryLimit_bytes = m_outer.memoryLimit_bytes;
        std::error_code failed;
        if (path.has_parent_path()) fs::current_path(path.parent_path(), failed);
        if (!failed) return {};
        return makeError(ErrorKind::io,
                         path.parent_path().string() + ": cannot change to this folder: " + failed.message());
    }

    Status runTasks(const BatchFolder& folder, const Interrupt& interrupt)
    {
        if (m_rounds == nullptr) {
            const Progress progress(interrupt.stopToken(), {}, Workers::ofMachine(m_outer.jobs));
            m_found = LOCKSTEP_TRY(findInputs(folder, interrupt, progress));
            m_rounds =
                std::make_unique<BatchRounds>(m_plan, m_line, folder, m_console, interrupt.stopToken());
            LOCKSTEP_TRY(m_rounds->loadEarlierResults(m_found, m_planDigest));
        }
        m_rounds->setStopToken(interrupt.stopToken());
        return m_rounds->run();
    }

    Result<FoundReports> findInputs(const BatchFolder& folder, const Interrupt& interrupt,
                                    const Progress& progress)
    {
        std::vector<fs::path> inputs;
        for (const std::string& input : m_plan.inputs) {
            const auto paths = input == "-" ? LOCKSTEP_TRY(readPathList(interrupt)) : filesOfPattern(input);
            inputs.insert(inputs.end(), paths.begin(), paths.end());
        }
        if (!m_plan.inputList.empty()) {
            const MappedFile list = LOCKSTEP_TRY(MappedFile::open(m_plan.inputList));
            std::ranges::copy(pathsInList(list.text()), std::back_inserter(inputs));
        }
        FoundReports all = LOCKSTEP_TRY(findReports(inputs, progress)), found;
        // If the output folder is inside an input folder, the batch's own files must not become inputs.
        std::error_code ignored;
        const std::string own = fs::weakly_canonical(folder.path(), ignored).string();
        const std::string account = fs::weakly_canonical(accountOf(folder), ignored).string();
        const auto isOwn = [&](const fs::path& file) {
            const std::string path = fs::weakly_canonical(file, ignored).string();
            return path.starts_with(own + "/") || path == account;
        };
        for (size_t i = 0; i < all.reports.size(); ++i) {
            if (isOwn(all.reports[i])) continue;
            found.reports.push_back(all.reports[i]);
            found.files.push_back(all.files[i]);
        }
        for (const SkippedFile& file : all.skippedFiles) {
            if (isOwn(file.path)) continue;
            m_console.detail(file.path.string() + ": skipped: " + file.reason);
            m_skippedFiles.push_back(file);
            if (!file.sameAs.empty()) found.skippedFiles.push_back(file); // the inventory lists these copies
        }
        if (found.reports.empty())
            return makeError(
                ErrorKind::notFound,
                "no report among the inputs" +
                    (m_skippedFiles.empty() ? std::string() : " (" + skippedText() + "; -v lists them)") +
                    "; give report files, folders that contain them, or patterns that match them",
                HelpTopic::unrecognizedFile);
        return found;
    }

    PreparedInputs preparedInputs(const BatchFolder& folder)
    {
        PreparedInputs out;
        std::map<fs::path, size_t> positions;
        bool isAnyLost = false;
        for (size_t i = 0; i < m_rounds->inputs().size(); ++i) {
            const BatchInput& input = m_rounds->inputs()[i];
            positions.emplace(input.path, i);
            isAnyLost |= m_rounds->state(i).isLost;
            out.found.reports.push_back(input.path);
            FoundFile file = unexaminedFile(m_rounds->state(i).result ? folder.resultOf(input) : fs::path());
            file.identity = m_found.files[i].identity;
            out.found.files.push_back(std::move(file));
        }
        out.found.skippedFiles = m_found.skippedFiles;
        // If a report was lost, which cannot happen in a single process, the provenance in the tables must
        // show the gap.
        m_line.withProvenance = m_wantsProvenance || isAnyLost;
        if (!m_line.withProvenance) removeOldProvenance();
        out.read = [this, folder, positions](const fs::path& path,
                                             const Progress& progress) -> Result<Workspace> {
            const size_t input = positions.at(path);
            if (m_rounds->state(input).error) return tl::make_unexpected(*m_rounds->state(input).error);
            auto rows = loadResult(folder, m_rounds->inputs()[input], progress);
            const std::scoped_lock lock(m_mutex);
            if (!rows && rows.error().kind != ErrorKind::canceled)
                m_damaged.emplace_back(input, rows.error());
            return rows;
        };
        out.loaded = [this, folder] { return checkLoaded(folder); };
        out.digest = [this, positions](std::vector<InputFile>& files) {
            for (InputFile& file : files) {
                const auto position = positions.find(file.path);
                if (position == positions.end()) continue; // an omitted copy; addDigests() reads it
                const auto& result = m_rounds->state(position->second).result;
                if (result) file.sha256 = result->sha256;
            }
        };
        return out;
    }

    // Removes provenance files that an earlier invocation wrote because reports were lost. They would be
    // wrong for the new tables.
    void removeOldProvenance() const
    {
        std::error_code ignored;
        for (std::string what : m_line.what) {
            if (!isTable(what)) continue;
            std::ranges::replace(what, ':', '+'); // same replacement as in the file names of ExportWriter
            fs::remove(fs::path(m_plan.output) / (what + ".provenance.json"), ignored);
        }
    }

    // Stops the export if results are corrupt or their reports have changed; otherwise writes batch.json.
    Status checkLoaded(const BatchFolder& folder)
    {
        for (const auto& [input, error] : m_damaged) {
            m_console.notice(error.message + "; rebuilding this result");
            m_rounds->forget(input);
        }
        const size_t changed = m_rounds->changedInputs();
        m_isStale = !m_damaged.empty() || changed > 0;
        if (m_isStale)
            return makeError(ErrorKind::io, "reports to read again before tables can be written: " +
                                                std::to_string(m_damaged.size() + changed));
        return writeAccount(folder);
    }

    static fs::path accountOf(const BatchFolder& folder)
    {
        return folder.path().parent_path() / "batch.json";
    }

    std::string skippedText() const
    {
        const size_t count = m_skippedFiles.size();
        return std::to_string(count) + (count == 1 ? " file was" : " files were") + " skipped";
    }

    // Writes batch.json, which lists the task that read each report. The tables do not depend on it.
    Status writeAccount(const BatchFolder& folder)
    {
        Json inputs = Json::array();
        size_t lost = 0;
        for (size_t i = 0; i < m_rounds->inputs().size(); ++i) {
            const BatchState& state = m_rounds->state(i);
            Json& input = inputs.emplace_back(Json{{"path", jsonNameOf(m_rounds->inputs()[i].path)}});
            lost += state.isLost ? 1 : 0;
            if (state.result) {
                input["state"] = state.isFromEarlierRun ? "done before" : "done";
                input["sha256"] = state.result->sha256;
                input["slices"] = state.result->slices;
                input["task"] = state.result->task;
                input["host"] = state.result->host;
            } else {
                input["state"] = state.isLost ? "lost" : "not readable";
                input["error"] = jsonNameOf(state.error ? state.error->message : std::string());
                if (!state.host.empty()) input["host"] = state.host;
            }
        }
        Json skippedFiles = Json::array();
        for (const SkippedFile& file : m_skippedFiles)
            skippedFiles.push_back({{"path", jsonNameOf(file.path)}, {"reason", jsonNameOf(file.reason)}});
        const Json page{{"program", thisProgram()},
                        {"plan_sha256", m_planDigest},
                        {"launcher", enumNames(m_plan.launcher)[static_cast<size_t>(m_plan.launcher)]},
                        {"tasks_run", m_rounds->tasksRun()},
                        {"inputs_lost", lost},
                        {"passed_over", std::move(skippedFiles)},
                        {"inputs", std::move(inputs)}};
        LOCKSTEP_TRY(writeBatchFile(accountOf(folder), indentedJson(page)));
        if (!m_skippedFiles.empty())
            m_console.notice(skippedText() + "; batch.json lists " +
                             (m_skippedFiles.size() == 1 ? "it" : "them"));
        return {};
    }

    const CommandLine& m_outer;
    Console m_console;
    const ExportPrepared& m_exportPrepared;
    BatchPlan m_plan;
    std::string m_planDigest;
    CommandLine m_line; // command line of the merge
    bool m_wantsProvenance = false;
    FoundReports m_found;
    std::vector<SkippedFile> m_skippedFiles; // skipped inputs, for any reason
    std::unique_ptr<BatchRounds> m_rounds;
    std::mutex m_mutex;
    std::vector<std::pair<size_t, Error>> m_damaged; // corrupt results that the workers of a merge found
    bool m_isStale = false;                          // true if the merge ended without writing anything
};

} // namespace

int runBatch(const CommandLine& line, const ExportPrepared& exportPrepared)
{
    return BatchCommand(line, exportPrepared).run();
}

} // namespace lockstep
