// SPDX-License-Identifier: Apache-2.0
// ExportWriter: where an export's documents go: standard output, one file, or a folder with one file per
// name. A file appears whole or not at all; a failure is told on the console and counted, and the other files
// are still written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/console.h"
#include "core/export/provenance.h"
#include "core/scene/mark_list.h"

namespace lockstep {

class ExportWriter {
  public:
    ExportWriter(const CommandLine& line, Console& console);

    // Decides between the three places, checks what is to be replaced there (see checkOutputTarget) and makes
    // the folder. inputs: every file that the documents are made from. invalid when several documents are to
    // go into one file or a document may not replace what exists, io when the folder cannot be made.
    Status open(std::vector<std::filesystem::path> inputs);
    // True when provenance is written and so the inputs' digests are needed.
    bool needsDigests() const;

    // How many rows each of them had; fewer numbers than tables where a document could not be written.
    std::vector<size_t> writeTables(std::span<const std::unique_ptr<RowStream>> tables,
                                    const ExportProvenance& provenance, const Progress& progress);
    // As asked for, else as the output file's name says, else PNG.
    PictureFormat pictureFormat() const;
    void writePicture(const std::string& what, PictureFormat format, const Result<std::string>& picture);
    // sqlite: the tables of the query language as a file of their own; chrome, perfetto: a trace for other
    // viewers.
    void writeSceneFile(const std::string& what, const ScenePtr& scene, const Progress& progress);
    // As one HTML file.
    void writeReport(const std::string& html);
    // Everything that was opened, with how it is aligned and the marks on it, as a .lockstep file.
    void writeWorkspace(const Workspace& workspace, const AlignOptions& align, const MarkList& marks,
                        const Progress& progress);

    size_t written() const { return m_written; } // documents
    bool hasFailed() const { return m_hasFailed; }

  private:
    enum class Place : uint8_t { standardOutput, file, folder };

    TableFormat tableFormat() const;
    void writeTableDocument(std::span<RowStream* const> tables, const ExportProvenance& provenance,
                            const Progress& progress, std::vector<size_t>& rows);
    void writeProvenanceBeside(const Table& table, const ExportProvenance& provenance);
    Status checkTargets() const;
    std::filesystem::path fileOf(const std::string& what, std::string_view extension) const;
    // fill(sink) writes the document's bytes; where it fails there is no file.
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
