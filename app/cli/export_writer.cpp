// SPDX-License-Identifier: Apache-2.0
#include "app/cli/export_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "app/cli/output_target.h"
#include "core/base/output_file.h"
#include "core/base/private_file.h"
#include "core/base/text.h"
#include "core/export/chrome_trace.h"
#include "core/export/json_text.h"
#include "core/export/perfetto_trace.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "core/sql/scene_file.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

bool isOnTerminal()
{
    return ::isatty(STDOUT_FILENO) == 1;
}

// Returns the table format for the extension of a file name.
std::optional<TableFormat> formatOfExtension(const fs::path& path)
{
    for (const TableFormat format : {TableFormat::csv, TableFormat::tsv, TableFormat::json,
                                     TableFormat::jsonl, TableFormat::markdown, TableFormat::table}) {
        if (lowerAscii(path.extension().string()) == "." + std::string(fileExtension(format))) return format;
    }
    return std::nullopt;
}

std::string_view extensionOf(PictureFormat format)
{
    return format == PictureFormat::png ? "png" : format == PictureFormat::svg ? "svg" : "pdf";
}

// Returns the window's section of a workspace with the alignment options of the command line.
std::string alignmentSection(const AlignOptions& options)
{
    std::string shifts;
    for (const auto& [key, shift_ns] : options.shifts_ns) {
        shifts +=
            (shifts.empty() ? "[" : ",[") + std::to_string(key.value) + "," + std::to_string(shift_ns) + "]";
    }
    JsonObject alignment;
    alignment.text("mode", alignModeName(options.mode));
    if (options.step) alignment.number("step", *options.step);
    if (!options.marker.empty()) alignment.text("marker", options.marker);
    alignment.raw("shifts_ns", "[" + shifts + "]");
    return JsonObject().number("version", 1).raw("alignment", alignment.str()).str();
}

} // namespace

ExportWriter::ExportWriter(const CommandLine& line, Console& console) : m_line(line), m_console(console) {}

Status ExportWriter::open(std::vector<fs::path> inputs)
{
    m_inputs = std::move(inputs);
    if (m_line.output == "-") return {};
    const fs::path path = m_line.output;
    std::error_code failure;
    const bool isFolder = fs::is_directory(path, failure) || !path.has_filename() || m_line.what.size() > 1;
    if (!isFolder) {
        m_place = Place::file;
        return checkTargets();
    }
    if (fs::exists(path, failure) && !fs::is_directory(path, failure)) {
        return makeError(ErrorKind::invalid,
                         "--output " + m_line.output + " is a file; specify a folder for several documents");
    }
    m_place = Place::folder;
    LOCKSTEP_TRY(checkTargets());
    return makePrivateFolders(path);
}

// Checks the output files whose names are known in advance.
Status ExportWriter::checkTargets() const
{
    for (const std::string& what : m_line.what) {
        const std::string_view extension = isTable(what)            ? fileExtension(tableFormat())
                                           : isPicture(what)        ? extensionOf(pictureFormat())
                                           : isWorkspace(what)      ? "lockstep"
                                           : isReportDocument(what) ? "html"
                                           : what == "sqlite"       ? "sqlite"
                                           : what == "chrome"       ? "json"
                                                                    : "pftrace";
        const OutputKind kind = isWorkspace(what) ? OutputKind::workspace : OutputKind::document;
        LOCKSTEP_TRY(checkOutputTarget(fileOf(what, extension), kind, m_inputs, m_line.isForced));
    }
    return {};
}

PictureFormat ExportWriter::pictureFormat() const
{
    if (m_line.pictureFormat) return *m_line.pictureFormat;
    const std::string extension = lowerAscii(fs::path(m_line.output).extension().string());
    for (const PictureFormat format : {PictureFormat::svg, PictureFormat::pdf}) {
        if (m_place == Place::file && extension == "." + std::string(extensionOf(format))) return format;
    }
    return PictureFormat::png;
}

TableFormat ExportWriter::tableFormat() const
{
    if (m_line.tableFormat) return *m_line.tableFormat;
    if (m_place == Place::file) return formatOfExtension(m_line.output).value_or(TableFormat::csv);
    return m_place == Place::standardOutput && isOnTerminal() ? TableFormat::table : TableFormat::csv;
}

bool ExportWriter::needsDigests() const
{
    return m_line.withProvenance || tableFormat() == TableFormat::json;
}

std::vector<size_t> ExportWriter::writeTables(std::span<const std::unique_ptr<RowStream>> tables,
                                              const ExportProvenance& provenance, const Progress& progress)
{
    std::vector<RowStream*> all;
    for (const auto& table : tables)
        all.push_back(table.get());
    std::vector<size_t> rows;
    if (m_place != Place::folder) {
        writeTableDocument(all, provenance, progress, rows);
        return rows;
    }
    for (RowStream* const& table : all)
        writeTableDocument({&table, 1}, provenance, progress, rows);
    return rows;
}

void ExportWriter::writeTableDocument(std::span<RowStream* const> tables, const ExportProvenance& provenance,
                                      const Progress& progress, std::vector<size_t>& rows)
{
    const TableFormat format = tableFormat();
    WriteOptions options;
    options.timeUnit = m_line.timeUnit;
    options.rows = m_line.rows;
    std::vector<const Table*> heads;
    for (const RowStream* const table : tables)
        heads.push_back(&table->head());
    const bool hasPlace = format == TableFormat::json || format == TableFormat::jsonl;
    if (needsDigests() && hasPlace) options.provenanceJson = provenanceJson(provenance, heads);
    if (needsDigests() && format == TableFormat::csv)
        options.provenanceLines = provenanceLines(provenance, heads);
    writeDocument(fileOf(heads[0]->name(), fileExtension(format)), [&](const TextSink& sink) {
        return writeRows(tables, format, options, sink, progress, &rows);
    });
    if (needsDigests() && !hasPlace && m_place != Place::standardOutput)
        writeProvenanceFile(*heads[0], provenance);
}

void ExportWriter::writeProvenanceFile(const Table& table, const ExportProvenance& provenance)
{
    const Table* const only = &table;
    fs::path path = fileOf(table.name(), "provenance.json");
    if (m_place == Place::file) path += ".provenance.json";
    writeDocument(path, [&](const TextSink& sink) {
        sink(provenanceJson(provenance, {&only, 1}) + "\n");
        return Status();
    });
}

void ExportWriter::writePicture(const std::string& what, PictureFormat format,
                                const Result<std::string>& picture)
{
    if (!picture) return fail(what + ": " + picture.error().message);
    if (m_place == Place::standardOutput && isOnTerminal()) {
        return fail(what + ": a picture cannot be written to a terminal; specify a file with --output");
    }
    writeDocument(fileOf(what, extensionOf(format)), [&](const TextSink& sink) {
        sink(*picture);
        return Status();
    });
}

void ExportWriter::writeSceneFile(const std::string& what, const ScenePtr& scene, const Progress& progress)
{
    if (what == "chrome") {
        return writeDocument(fileOf(what, "json"),
                             [&](const TextSink& sink) { return writeChromeTrace(*scene, sink, progress); });
    }
    if (what == "perfetto") {
        return writeDocument(fileOf(what, "pftrace"), [&](const TextSink& sink) {
            return writePerfettoTrace(*scene, sink, progress);
        });
    }
    const fs::path path = fileOf(what, "sqlite");
    const Status saved = saveSceneFile(path, scene, progress);
    if (!saved && saved.error().kind == ErrorKind::canceled)
        return; // the code that requested the stop reports the reason
    if (!saved) return fail(saved.error().message);
    m_console.detail(path.string() + ": written");
    ++m_written;
}

void ExportWriter::writeReport(const std::string& html)
{
    writeDocument(fileOf("report", "html"), [&](const TextSink& sink) -> Status {
        sink(html);
        return {};
    });
}

void ExportWriter::writeWorkspace(const Workspace& workspace, const AlignOptions& align,
                                  const MarkList& marks, const Progress& progress)
{
    const fs::path path = fileOf("workspace", "lockstep");
    const auto backup = backUpWorkspace(path, !workspace.isEmpty());
    if (!backup) return fail(backup.error().message);
    std::map<std::string, std::string> sections{{"window", alignmentSection(align)}};
    if (!marks.isEmpty()) sections[kMarksSection] = marksText(marks);
    const StoredColumns columns = m_line.isRaw ? StoredColumns::raw : StoredColumns::packed;
    const Status saved = saveWorkspaceFile(path, workspace, sections, progress, columns);
    if (!saved) {
        std::error_code ignored;
        if (!backup->empty()) fs::remove(*backup, ignored); // the previous file still has its own name
        return fail(saved.error().message);
    }
    if (!backup->empty()) m_console.notice("saved the previous workspace as " + backup->string());
    m_console.detail(path.string() + ": written");
    ++m_written;
}

fs::path ExportWriter::fileOf(const std::string& what, std::string_view extension) const
{
    if (m_place != Place::folder) return m_line.output;
    std::string name = what;
    std::ranges::replace(name, ':', '+');
    return fs::path(m_line.output) / (name + "." + std::string(extension));
}

void ExportWriter::writeDocument(const fs::path& path, const std::function<Status(const TextSink&)>& fill)
{
    if (m_place == Place::standardOutput) {
        bool isWhole = true;
        const bool isShown = isOnTerminal();
        const auto write = [&isWhole](std::string_view text) {
            isWhole &= std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
        };
        // Files contain names unchanged. On a terminal they are escaped, because control sequences in names
        // would take effect.
        const Status filled =
            fill([&](std::string_view text) { isShown ? write(printable(text, "\n\t")) : write(text); });
        if (std::fflush(stdout) != 0 || !isWhole) {
            return fail(std::string("standard output: cannot write: ") + std::strerror(errno));
        }
        if (!filled) return fail(filled.error().message);
        ++m_written;
        return;
    }
    const Status allowed = checkOutputTarget(path, OutputKind::document, m_inputs, m_line.isForced);
    if (!allowed) return fail(allowed.error().message);
    Result<OutputFile> file = OutputFile::create(path);
    if (!file) return fail(file.error().message);
    const Status filled = fill([&](std::string_view text) { file->write(text); });
    if (!filled) return fail(path.string() + ": not written: " + filled.error().message);
    const Status committed = file->commit();
    if (!committed) return fail(committed.error().message);
    m_console.detail(path.string() + ": written");
    ++m_written;
}

void ExportWriter::fail(const std::string& message)
{
    m_console.failure(message);
    m_hasFailed = true;
}

} // namespace lockstep
