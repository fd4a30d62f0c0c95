// SPDX-License-Identifier: Apache-2.0
// Reader of sample records in JSON: requests, trajectories and metrics that inference servers and frameworks
// of reinforcement learning write, one format per SampleFormat.
#include "core/readers/registry.h"

#include <algorithm>
#include <array>

#include <simdjson.h>

#include "core/base/json_keys.h"
#include "core/base/text.h"
#include "core/readers/chrome_json/slice_details.h"
#include "core/readers/recording_parts.h"
#include "core/readers/samples/sample_formats.h"

namespace lockstep {

namespace {

std::span<const SampleFormat> sampleFormats()
{
#define LOCKSTEP_ENTRY(function) function(),
    static const std::array kFormats{LOCKSTEP_SAMPLE_FORMATS(LOCKSTEP_ENTRY)};
#undef LOCKSTEP_ENTRY
    return kFormats;
}

const SampleFormat* formatOf(const FileSniff& file)
{
    const std::vector<std::string_view> keys = firstKeys(file.text);
    for (const SampleFormat& format : sampleFormats()) {
        const auto has = [&](std::string_view key) { return std::ranges::find(keys, key) != keys.end(); };
        if (!keys.empty() && std::ranges::all_of(format.keys, has)) return &format;
    }
    return nullptr;
}

bool isSampleRecordsFile(const FileSniff& file)
{
    return formatOf(file) != nullptr;
}

Division divisionOfSamples(const FileSniff& file)
{
    const SampleFormat* const format = formatOf(file);
    return format != nullptr ? Division{format->parts, format->name} : Division();
}

uint64_t sizeOf_bytes(const std::vector<std::filesystem::path>& files)
{
    uint64_t size_bytes = 0;
    for (const std::filesystem::path& file : files) {
        std::error_code failed;
        const uintmax_t found = std::filesystem::file_size(file, failed);
        if (!failed) size_bytes += found;
    }
    return size_bytes;
}

// Passes the objects of the files of a recording to the parser of its format.
class RecordingRead {
  public:
    // Reports progress over report.provenance.size_bytes, the size of all files.
    RecordingRead(SampleRecords& parser, Report& report, const Progress& progress)
        : m_parser(parser), m_report(report), m_progress(progress), m_json(JsonRecords::kLargest_bytes)
    {
    }

    // Reads the file and the others of the recording. A later file that cannot be read is missing.
    Status readAll(const FileSniff& file)
    {
        m_isDivided = file.parts.size() > 1;
        LOCKSTEP_TRY(read(file.path, 0));
        for (size_t part = 1; part < file.parts.size() && part < RecordPosition::kMaxParts; ++part) {
            const Status done = read(file.parts[part], part);
            LOCKSTEP_TRY(m_progress.check());
            if (!done)
                m_report.notes.add("recording.unreadable", NoteSeverity::dataLoss,
                                   "files of the recording that can't be read", done.error().message);
        }
        if (file.parts.size() > RecordPosition::kMaxParts)
            m_report.notes.add("recording.too_many", NoteSeverity::dataLoss,
                               "more than 65,536 files in the recording: the others were not read",
                               file.parts[RecordPosition::kMaxParts].filename().string(),
                               file.parts.size() - RecordPosition::kMaxParts);
        return {};
    }
    uint64_t count() const { return m_count; }
    bool hasRecords() const { return m_count > m_damaged; }

  private:
    Status read(const std::filesystem::path& path, size_t part)
    {
        const auto report = [&](uint64_t done, uint64_t) {
            m_progress.report(m_done_bytes + done, m_report.provenance.size_bytes);
        };
        const Progress progress(m_progress.stopToken(), report, m_progress.workers(), m_progress.place());
        JsonRecords records = LOCKSTEP_TRY(JsonRecords::open(path, part));
        static_assert(JsonRecords::kPadding >= simdjson::SIMDJSON_PADDING);
        for (std::string_view text; LOCKSTEP_TRY(records.next(text, progress));) {
            simdjson::ondemand::document document;
            simdjson::ondemand::object object;
            const simdjson::padded_string_view padded(text.data(), text.size(),
                                                      text.size() + JsonRecords::kPadding);
            if (text.empty() || m_json.iterate(padded).get(document) != simdjson::SUCCESS ||
                document.get_object().get(object) != simdjson::SUCCESS || !m_parser.read(object, records))
                records.reject();
        }
        m_count += records.count();
        m_damaged += records.damaged();
        m_done_bytes += sizeOf_bytes({path});
        ImportNotes notes;
        records.addNotes(notes);
        for (const ImportNote& note : notes.all())
            m_report.notes.add(note.kind, note.severity, note.text, placed(path, note.example), note.count);
        return {};
    }
    std::string placed(const std::filesystem::path& path, const std::string& example) const
    {
        return m_isDivided ? path.filename().string() + ", " + example : example;
    }

    SampleRecords& m_parser;
    Report& m_report;
    const Progress& m_progress;
    simdjson::ondemand::parser m_json;
    uint64_t m_count = 0, m_damaged = 0;
    uint64_t m_done_bytes = 0; // of the files that were read
    bool m_isDivided = false;
};

// States which files a divided recording consists of.
void noteParts(const FileSniff& file, Report& report)
{
    if (file.parts.size() < 2) return;
    report.provenance.size_bytes = sizeOf_bytes(file.parts);
    report.notes.add("recording.files", NoteSeverity::info, "files of one recording, read together",
                     file.parts.front().filename().string() + " to " + file.parts.back().filename().string(),
                     file.parts.size());
}

Result<std::unique_ptr<Report>> readSampleRecords(const FileSniff& file, const Progress& progress)
{
    const SampleFormat& format = *formatOf(file);
    ReportBuilder builder;
    Report& report = builder.report();
    report.provenance = {
        file.path, {}, file.size_bytes, "sample records", std::string(format.tool), std::string(format.name)};
    report.clock = format.clock;
    report.sourceTables = {"sample", "span", "derived", "derived 2", "derived 3"};
    noteParts(file, report);
    SampleRows rows(builder);
    const auto parser = format.make(rows);
    RecordingRead recording(*parser, report, progress);
    LOCKSTEP_TRY(recording.readAll(file));
    if (!recording.hasRecords())
        return makeError(ErrorKind::corrupt,
                         file.path.string() + ": contains no complete record; copy it again",
                         HelpTopic::truncatedFile);
    parser->finish();
    report.rowCounts = {{"record", recording.count()}};
    rows.finish();
    return builder.freeze(progress);
}

// The files of the recording may have grown, or others may have been added, since it was read.
Result<SliceDetails> sampleDetails(const Report& report, SliceId slice)
{
    const auto at = RecordPosition::of(report.slices.source[slice.value].row());
    const std::filesystem::path& path = report.provenance.path;
    if (at.part == 0 && sizeOf_bytes({path}) == report.provenance.size_bytes)
        return chromeSliceDetails(report, slice);
    const auto files = filesOfRecording(path);
    if (at.part >= files.size() || sizeOf_bytes(files) != report.provenance.size_bytes)
        return makeError(ErrorKind::corrupt, path.string() + ": changed since it was read; open it again",
                         HelpTopic::changedFile);
    SliceDetails details = LOCKSTEP_TRY(objectDetails(files[at.part], at.offset_bytes));
    details.source = files[at.part].filename().string() + ", " + details.source;
    return details;
}

std::string_view toolOfSamples(const Provenance& provenance)
{
    const auto found = std::ranges::find(sampleFormats(), provenance.schema, &SampleFormat::name);
    return found != sampleFormats().end() ? found->tool : "samples";
}

} // namespace

Reader sampleRecordsReader()
{
    return {.format = formatNamed("sample records"),
            .title = "sample records",
            .memory_tenths = 13,
            .recognizes = isSampleRecordsFile,
            .read = readSampleRecords,
            .details = sampleDetails,
            .isLive = true,
            .toolOf = toolOfSamples,
            .divisionOf = divisionOfSamples};
}

} // namespace lockstep
