// SPDX-License-Identifier: Apache-2.0
// ExportWriter writes the documents of an export to standard output, to one file, or to a folder with one
// file per name. Each file is written completely or not at all. A failure is printed and recorded, and the
// other files are still written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "app/cli/console.h"
#include "core/export/provenance.h"
#include "core/scene/mark_list.h"

namespace lockstep {

class ExportWriter {
  public:
    ExportWriter(const CommandLine& line, Console& console);

    // Chooses one of the three destinations, checks whether existing files may be replaced (see
    // checkOutputTarget), and creates the folder. inputs: every file from which the documents are created.
    // Errors: invalid (there are several documents but only one output file, or an existing file must not be
    // replaced), io (the folder cannot be created).
    Status open(std::vector<std::filesystem::path> inputs);
    // Returns true if provenance is written, which needs the digests of the inputs.
    bool needsDigests() const;

    // Writes the tables and returns the number of rows of each. Returns fewer numbers than tables if a
    // document could not be written.
    std::vector<size_t> writeTables(std::span<const std::unique_ptr<RowStream>> tables,
                                    const ExportProvenance& provenance, const Progress& progress);
    // Returns the requested format; if none was requested, the format that matches the file extension of the
    // output; otherwise PNG.
    PictureFormat pictureFormat() const;
    void writePicture(const std::string& what, PictureFormat format, const Result<std::string>& picture);
    // Writes an SQLite file that contains the SQL tables (sqlite), or a trace for other viewers (chrome,
    // perfetto).
    void writeSceneFile(const std::string& what, const ScenePtr& scene, const Progress& progress);
    // Writes the HTML report.
    void writeReport(const std::string& html);
    // Writes all open reports with their alignment and markers as a .lockstep file.
    void writeWorkspace(const Workspace& workspace, const AlignOptions& align, const MarkList& marks,
                        const Progress& progress);

    size_t written() const { return m_written; } // number of documents written
    bool hasFailed() const { return m_hasFailed; }

  private:
    enum class Place : uint8_t { standardOutput, file, folder };

    TableFormat tableFormat() const;
    void writeTableDocument(std::span<RowStream* const> tables, const ExportProvenance& provenance,
                            const Progress& progress, std::vector<size_t>& rows);
    void writeProvenanceFile(const Table& table, const ExportProvenance& provenance);
    Status checkTargets() const;
    std::filesystem::path fileOf(const std::string& what, std::string_view extension) const;
    // Calls fill(sink) to write the bytes of a document. If fill fails, the partial file is removed.
    void writeDocument(const std::filesystem::path& path, const std::function<Status(const TextSink&)>& fill);
    void fail(const std::string& message);

    const CommandLine& m_line;
    Console& m_console;
    std::vector<std::filesystem::path> m_inputs;
    Place m_place = Place::standardOutput;
    size_t m_written = 0;
    bool m_hasFailed = false;
};

} // namespace lockstep
