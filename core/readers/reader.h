// SPDX-License-Identifier: Apache-2.0
// Reader: one file format. Each format is a folder beside this file and one line in registry.cpp; its name,
// tool and endings are one in core/base/report_formats.cpp. Chosen by content, never by name. All functions
// are safe on any thread.
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
#include "core/trace/row_facts.h"
#include "core/trace/workspace.h"

namespace lockstep {

// The beginning and end of a file: all that recognition may look at.
struct FileSniff {
    std::filesystem::path path;
    uint64_t size_bytes = 0;
    std::string head; // first bytes as stored, at most kHead
    std::string
        text; // first bytes after undoing gzip or zstd, as UTF-8; at most kHead bytes of the file's text
    std::string tail; // last bytes as stored, at most 16

    static constexpr size_t kHead = 64 * 1024;
};

// Every argument the file holds for one slice, in the file's order and spelling, values as text.
struct SliceDetails {
    std::vector<std::pair<std::string, std::string>> arguments;
    std::string source; // "CUPTI_ACTIVITY_KIND_KERNEL row 17", "byte 120394": the place in the file
};

// All reports of a file, and what a workspace keeps beside them.
struct FileContents {
    Workspace workspace;
    std::map<std::string, std::string> sections; // of a workspace: opaque, under names their owners choose
    bool isWorkspace = false;
};

// What is still to be said of a report that was read, by its only owner.
using FinishReport = void (*)(Report& report);

inline constexpr uint64_t kUsualMemory_tenths = 2;

struct Reader {
    const ReportFormat& format; // its name, tool and endings
    std::string_view title;     // what a user calls such files: "Perfetto traces"
    // Bytes in memory per byte of the file before compression, in tenths, as real files measure.
    uint64_t memory_tenths = kUsualMemory_tenths;
    bool (*recognises)(const FileSniff& file);
    // Flaws become notes of the report; an error means that nothing could be shown. A file cut short gives a
    // report of what came before the cut, with a data-loss note.
    // The report is its only owner's until it is shared. nullptr where readAll reads.
    Result<std::unique_ptr<Report>> (*read)(const FileSniff& file, const Progress& progress) = nullptr;
    // Goes back to the file. notFound or corrupt when the file changed since it was read. May take as long as
    // reading the file up to the row: call it off the UI thread.
    Result<SliceDetails> (*details)(const Report& report, SliceId slice);
    // Only for formats whose files hold several reports, whose identities are settled already: all of them,
    // in the file's order, with what a user stated of them.
    // finish is called for each before it is shared.
    Result<FileContents> (*readAll)(const FileSniff& file, const Progress& progress,
                                    FinishReport finish) = nullptr;
    // Only for a format whose files say it themselves: what one takes in memory, its levels of detail not
    // counted. Reads no more than a directory; 0 where it cannot tell.
    uint64_t (*memoryOf_bytes)(const FileSniff& file) = nullptr;
    // Only for a format that several tools write: the word for the one that wrote this report.
    std::string_view (*toolOf)(const Provenance& provenance) = nullptr;
    // Only for a format that best says what is the matter with files that no reader recognises.
    bool (*explains)(const FileSniff& file) = nullptr;
    // Only for formats that leave several files of one recording side by side: why another one of `files`
    // (sorted) is to be opened instead of this one; empty when none is.
    std::string (*yieldsTo)(const std::filesystem::path& path,
                            const std::vector<std::filesystem::path>& files) = nullptr;
    // Only for a format whose rows say more than the columns keep: the same as details of many rows, typed.
    // See openRowFacts().
    OpenRowFacts facts = nullptr;
};

// In the order they are asked.
std::span<const Reader> readers();

// Reads head, text and tail. notFound, io; corrupt compressed heads give an empty text.
Result<FileSniff> sniffFile(const std::filesystem::path& path);
// The reader that recognises the file, or nullptr.
const Reader* readerFor(const FileSniff& file);
// The reader whose files usually are named so, or nullptr: a guess, for a file that is not looked at yet.
const Reader* readerByName(const std::filesystem::path& path);
// Every ending that readers know, and the packed ones: ".sqlite", ".gz".
std::vector<std::string_view> knownEndings();

// Opens one report, whatever its kind, with its tool named and its identity resolved from content and names
// (core/readers/identity). unsupported names what the file looks like and what to do.
Result<std::shared_ptr<const Report>> readReport(const std::filesystem::path& path, const Progress& progress);
// Every report of a file: one, but for workspaces, which may hold any number, with what a user stated of
// them. Errors as readReport().
Result<Workspace> readReports(const std::filesystem::path& path, const Progress& progress);
// The same, with what a workspace keeps beside its reports.
Result<FileContents> readContents(const std::filesystem::path& path, const Progress& progress);
// Everything the file says about one slice. See Reader::details.
Result<SliceDetails> readSliceDetails(const Report& report, SliceId slice);

} // namespace lockstep
