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

Result<std::unique_ptr<Report>> readSampleRecords(const FileSniff& file, const Progress& progress)
{
    const SampleFormat& format = *formatOf(file);
    ReportBuilder builder;
    Report& report = builder.report();
    report.provenance = {
        file.path, {}, file.size_bytes, "sample records", std::string(format.tool), std::string(format.name)};
    report.clock = format.clock;
    report.sourceTables = {"sample", "span", "derived", "derived 2", "derived 3"};
    SampleRows rows(builder);
    const auto parser = format.make(rows);
    JsonRecords records = LOCKSTEP_TRY(JsonRecords::open(file.path));
    simdjson::ondemand::parser json(JsonRecords::kLargest_bytes);
    static_assert(JsonRecords::kPadding >= simdjson::SIMDJSON_PADDING);
    for (std::string_view text; LOCKSTEP_TRY(records.next(text, progress));) {
        simdjson::ondemand::document document;
        simdjson::ondemand::object object;
        const simdjson::padded_string_view padded(text.data(), text.size(),
                                                  text.size() + JsonRecords::kPadding);
        if (text.empty() || json.iterate(padded).get(document) != simdjson::SUCCESS ||
            document.get_object().get(object) != simdjson::SUCCESS || !parser->read(object, records))
            records.reject();
    }
    if (records.count() == records.damaged())
        return makeError(ErrorKind::corrupt,
                         file.path.string() + ": contains no complete record; copy it again",
                         HelpTopic::truncatedFile);
    parser->finish();
    records.addNotes(report.notes);
    report.rowCounts = {{"record", records.count()}};
    rows.finish();
    return builder.freeze(progress);
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
            .details = chromeSliceDetails,
            .hasLines = true,
            .toolOf = toolOfSamples};
}

} // namespace lockstep
