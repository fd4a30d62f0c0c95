// SPDX-License-Identifier: Apache-2.0
// Reader: one file format. Each format is a folder in core/readers and one line in registry.h; its name,
// tool and suffixes are one entry of core/base/report_formats.cpp. A reader is selected by the content of a
// file, never by the file name. All functions are safe on any thread.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/base/report_formats.h"
#include "core/trace/workspace.h"

namespace lockstep {

// The start and end of a file. Format detection may use no other data of the file.
struct FileSniff {
    std::filesystem::path path;
    uint64_t size_bytes = 0;
    std::string head; // first bytes as stored, at most kHead bytes
    std::string text; // first bytes of the decompressed content as UTF-8, at most kHead bytes
    std::string tail; // last bytes as stored, at most 16 bytes
    // All files of a recording that is read as a whole, beginning with `path`; empty for only this file.
    std::vector<std::filesystem::path> parts = {};

    static constexpr size_t kHead = 64 * 1024;
};

// All arguments of one slice in the file, in the file's order and spelling; values are strings.
struct SliceDetails {
    std::vector<std::pair<std::string, std::string>> arguments;
    std::string source; // position in the file: "CUPTI_ACTIVITY_KIND_KERNEL row 17", "byte 120394"
};

// All reports of a file, and the other contents if the file is a workspace.
struct FileContents {
    Workspace workspace;
    // Sections of a workspace: opaque data under names that the owners of the data choose.
    std::map<std::string, std::string> sections;
    bool isWorkspace = false;
};

// How a writer names the files of one recording, see recording_parts.h.
enum class PartNaming : uint8_t {
    none,     // one file per recording
    numbered, // traces.jsonl, traces.1.jsonl
    hourly    // 20260821_14.jsonl, 20260821_15.jsonl
};

// Files belong to the same recording only if their divisions are equal.
struct Division {
    PartNaming naming = PartNaming::none;
    std::string_view format; // name of the format within the reader

    friend bool operator==(const Division&, const Division&) = default;
};

// Completes a report after reading and before it is shared.
using FinishReport = void (*)(Report& report);

inline constexpr uint64_t kTypicalMemory_tenths = 2;

struct Reader {
    const ReportFormat& format; // name, tool and suffixes of the format
    std::string_view title;     // display name: "Perfetto traces"
    // Bytes in memory per byte of the uncompressed file, in tenths. Measured with real files.
    uint64_t memory_tenths = kTypicalMemory_tenths;
    bool (*recognizes)(const FileSniff& file);
    // Reads a report. Problems become notes of the report; an error means that nothing can be shown. A
    // truncated file yields a report of the data before the cut, with a data-loss note. The report has a
    // single owner until it is shared. nullptr if readAll is set.
    Result<std::unique_ptr<Report>> (*read)(const FileSniff& file, const Progress& progress) = nullptr;
    // Reads details from the file. Returns notFound or corrupt if the file has changed. This may take as long
    // as reading the file up to the row, so do not call it on the UI thread.
    Result<SliceDetails> (*details)(const Report& report, SliceId slice);
    // Set only for formats with several reports per file, whose identities are already settled. Returns all
    // reports in file order, with user edits. Calls `finish` for each report before it is shared.
    Result<FileContents> (*readAll)(const FileSniff& file, const Progress& progress,
                                    FinishReport finish) = nullptr;
    // Set only for a format that records its memory needs. Returns the memory that a file needs, without
    // levels of detail; 0 if unknown. Reads only a directory of the file.
    uint64_t (*memoryOf_bytes)(const FileSniff& file) = nullptr;
    // The file can be read during a run: it consists of lines that are records of their own, or is written at
    // once.
    bool isLive = false;
    // Set only for a format that several tools write. Returns the name of the tool that wrote the report.
    std::string_view (*toolOf)(const Provenance& provenance) = nullptr;
    // Set only for the format that can best explain why no reader recognized a file.
    bool (*explains)(const FileSniff& file) = nullptr;
    // Set only for formats with several files per recording. Returns the reason why another one of `files`
    // (sorted) is opened instead of this file, or an empty string if this file is opened.
    std::string (*yieldsTo)(const std::filesystem::path& path,
                            const std::vector<std::filesystem::path>& files) = nullptr;
    // Set only for formats whose recordings may be divided into several files that are read as one report.
    Division (*divisionOf)(const FileSniff& file) = nullptr;
};

// Returns all readers in the order in which they are tried.
std::span<const Reader> readers();

// Returns the sniff of a file of which the first and the last bytes are known.
FileSniff sniffOf(const std::filesystem::path& path, uint64_t size_bytes, std::string head, std::string tail);
// Reads head, text and tail. Errors: notFound, io. If the compressed head is corrupt, the text is empty.
Result<FileSniff> sniffFile(const std::filesystem::path& path);
// Returns the reader that recognizes the file, or nullptr.
const Reader* readerFor(const FileSniff& file);
// Returns the reader whose files usually have names like this one, or nullptr. The result is a guess, for
// files that have not been examined yet.
const Reader* readerByName(const std::filesystem::path& path);
// Returns all known suffixes, including compression suffixes: ".sqlite", ".gz".
std::vector<std::string_view> knownSuffixes();

// Opens one report of any kind. If the path stands for a recording in several files, reads all of them;
// otherwise reads only this file (recording_parts.h). Sets its tool, and resolves its identity from content
// and names (core/readers/identity). The error unsupported describes what the file appears to be and what to
// do.
Result<std::shared_ptr<const Report>> readReport(const std::filesystem::path& path, const Progress& progress);
// Like readReport(), for the files of a recording that is still written and will be read again. The report is
// chunk 0. Also returns unsupported if the format cannot be read during a run (Reader::isLive).
Result<std::shared_ptr<const Report>> readGrowingReport(const std::vector<std::filesystem::path>& files,
                                                        const Progress& progress);
enum class ReadExtent : uint8_t { recording, file };

// Reads all reports of a file, with user edits. A workspace may contain any number of reports, other files
// contain one. `extent`: whether the other files of a divided recording are read too. Errors are the same as
// for readReport().
Result<Workspace> readReports(const std::filesystem::path& path, const Progress& progress,
                              ReadExtent extent = ReadExtent::recording);
// Like readReports(), but also returns the other contents of a workspace.
Result<FileContents> readContents(const std::filesystem::path& path, const Progress& progress,
                                  ReadExtent extent = ReadExtent::recording);
// Returns all details of one slice from the file. See Reader::details.
Result<SliceDetails> readSliceDetails(const Report& report, SliceId slice);

} // namespace lockstep
