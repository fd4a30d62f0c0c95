// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/header_facts.h"

#include <algorithm>
#include <array>
#include <optional>

#include <simdjson.h>

#include "core/base/text.h"
#include "core/readers/chrome_json/event_repair.h"

namespace lockstep {

namespace {

namespace dom = simdjson::dom;

// Between 2001 and 2286, a time in microseconds since 1970 has 16 digits.
constexpr int64_t kEpochFrom_ns = 1'000'000'000'000'000'000;

const HeaderField* find(std::span<const HeaderField> fields, std::string_view key)
{
    const auto found = std::ranges::find(fields, key, &HeaderField::key);
    return found != fields.end() ? &*found : nullptr;
}

// One header value as a document; valid until the next one.
class HeaderValue {
  public:
    std::optional<dom::element> parse(const HeaderField& field)
    {
        dom::element element;
        if (m_parser.parse(field.value).get(element) == simdjson::SUCCESS) return element;
        if (m_parser.parse(repairedEvent(field.value)).get(element) == simdjson::SUCCESS) return element;
        return std::nullopt;
    }

  private:
    dom::parser m_parser;
};

std::optional<int64_t> intOf(dom::element element, const char* key)
{
    dom::element value;
    if (element[key].get(value) != simdjson::SUCCESS) return std::nullopt;
    int64_t number = 0;
    if (value.get(number) == simdjson::SUCCESS) return number;
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) return parseInt(text);
    return std::nullopt;
}

std::string_view textOf(dom::element element, const char* key)
{
    std::string_view text;
    return element[key].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

// Returns a value for display: strings without quotes, other values as JSON on one line.
std::string shown(dom::element element)
{
    std::string_view text;
    return element.get(text) == simdjson::SUCCESS ? std::string(text) : simdjson::minify(element);
}

void applyDistributedInfo(dom::element info, Report& report)
{
    static constexpr auto kStated = Confidence::stated;
    const auto inRange = [](std::optional<int64_t> v) { return v && *v >= 0 && *v < 100'000'000; };
    const auto rank = intOf(info, "rank");
    const auto world = intOf(info, "world_size");
    if (inRange(rank)) report.identity.rank.learn(static_cast<int>(*rank), "distributedInfo.rank", kStated);
    if (inRange(world)) {
        report.identity.worldSize.learn(static_cast<int>(*world), "distributedInfo.world_size", kStated);
    }
    for (const auto& [key, word] :
         {std::pair("backend", "Distributed backend"), std::pair("nccl_version", "NCCL")}) {
        const std::string_view text = textOf(info, key);
        if (!text.empty() && text != "unknown") report.facts.emplace_back(word, text);
    }
}

void applyDevices(dom::element properties, ReportBuilder& builder)
{
    dom::array list;
    if (properties.get(list) != simdjson::SUCCESS) return;
    Report& report = builder.report();
    for (const dom::element entry : list) {
        const auto id = intOf(entry, "id");
        if (!id) continue;
        // Handles only devices that have rows, because a file lists all devices of the machine.
        for (Device& device : report.devices) {
            if (device.ordinal != *id) continue;
            // An entry with a compute capability describes a CUDA device, not an XPU
            // (ReportAssembly::nameDevice()).
            if (!report.strings.at(device.name).empty() && intOf(entry, "computeMajor")) continue;
            device.name = builder.intern(textOf(entry, "name"));
            device.memory_bytes =
                static_cast<uint64_t>(std::max<int64_t>(0, intOf(entry, "totalGlobalMem").value_or(0)));
            device.multiprocessors =
                static_cast<int>(std::clamp<int64_t>(intOf(entry, "numSms").value_or(0), 0, 1'000'000));
        }
    }
}

// Parses Kineto's line "Record counts: Out-of-range = 4181, Blocklisted runtime = 37458, Invalid ext
// correlations = 0 ..."
void noteRecordCounts(std::string_view line, ImportNotes& notes)
{
    static constexpr std::array kLosses{
        std::pair("Out-of-range = ", "GPU records outside the capture range were dropped by the profiler"),
        std::pair("Invalid ext correlations = ",
                  "GPU records with an invalid external correlation were dropped by the profiler"),
        std::pair("CUPTI stopped early? = ",
                  "CUPTI stopped before the capture ended: its buffers were full")};
    if (line.find("Record counts:") == std::string_view::npos) return;
    for (const auto& [label, text] : kLosses) {
        const size_t at = line.find(label);
        if (at == std::string_view::npos) continue;
        const std::string_view digits = line.substr(at + std::string_view(label).size());
        const auto count = parseInt(digits.substr(0, digits.find_first_not_of("0123456789")));
        if (!count || *count <= 0) continue;
        const bool isRange = std::string_view(label).starts_with("Out-of-range");
        notes.add(isRange ? "kineto.out_of_range" : "kineto.records_lost",
                  isRange ? NoteSeverity::info : NoteSeverity::dataLoss, text, "INFO",
                  static_cast<uint64_t>(*count));
    }
}

void noteLogLines(std::string_view level, dom::element lines, ImportNotes& notes)
{
    dom::array list;
    if (lines.get(list) != simdjson::SUCCESS) return;
    for (const dom::element line : list) {
        std::string_view text;
        if (line.get(text) != simdjson::SUCCESS) continue;
        noteRecordCounts(text, notes);
        if (level != "INFO")
            notes.add("kineto." + lowerAscii(level), NoteSeverity::warning,
                      "the profiler logged: " + std::string(text), "");
    }
}

void applyField(const HeaderField& field, dom::element value, ReportBuilder& builder)
{
    Report& report = builder.report();
    if (field.key == "distributedInfo") return applyDistributedInfo(value, report);
    if (field.key == "deviceProperties") return applyDevices(value, builder);
    if (field.key == "INFO" || field.key == "WARNING" || field.key == "ERROR") {
        return noteLogLines(field.key, value, report.notes);
    }
    if (field.key == "schemaVersion") {
        report.provenance.schema = shown(value);
    } else if (field.key == "host_name") {
        report.identity.host.learn(shown(value), "host_name", Confidence::stated);
    } else if (field.key != "baseTimeNanoseconds" && field.key != "displayTimeUnit" &&
               field.value.size() <= 4096) {
        report.facts.emplace_back(field.key, shown(value));
    }
}

} // namespace

std::vector<int64_t> amdDevices(std::span<const HeaderField> fields)
{
    std::vector<int64_t> out;
    HeaderValue parser;
    const HeaderField* const field = find(fields, "deviceProperties");
    const auto value = field != nullptr ? parser.parse(*field) : std::nullopt;
    dom::array list;
    if (!value || value->get(list) != simdjson::SUCCESS) return out;
    for (const dom::element entry : list) {
        const bool isAmd = textOf(entry, "name").starts_with("AMD") || intOf(entry, "warpSize") == 64;
        if (const auto id = intOf(entry, "id"); id && isAmd) out.push_back(*id);
    }
    std::ranges::sort(out);
    return out;
}

ClockDomain clockOf(std::span<const HeaderField> fields, int64_t earliest_ns)
{
    ClockDomain clock;
    const HeaderField* const field = find(fields, "baseTimeNanoseconds");
    std::string_view digits = field != nullptr ? std::string_view(field->value) : std::string_view();
    std::string_view source = "baseTimeNanoseconds";
    HeaderValue parser;
    std::string vizTracer; // VizTracer stores the base time in a separate object
    if (const HeaderField* const own = find(fields, "viztracer_metadata");
        own != nullptr && field == nullptr) {
        const auto value = parser.parse(*own);
        const auto stated = value ? intOf(*value, "baseTimeNanoseconds") : std::nullopt;
        if (stated) digits = vizTracer = std::to_string(*stated);
        source = "viztracer_metadata.baseTimeNanoseconds";
    }
    if (digits.size() > 2 && digits.front() == '"') digits = digits.substr(1, digits.size() - 2);
    const auto base = parseInt(digits);
    const bool isEpoch = earliest_ns >= kEpochFrom_ns;
    clock.name = "unknown";
    if (base && *base > 0 && !isEpoch && *base < kAllTime.end.ns) {
        clock.name = vizTracer.empty() ? "Unix epoch (Kineto base)" : "Unix epoch (VizTracer base)";
        clock.utcAtZero_ns = *base;
        clock.utcSource = source;
    } else if (isEpoch) {
        clock.name = "Unix epoch";
        clock.utcAtZero_ns = 0;
        clock.utcSource = "ts in microseconds since 1970";
    }
    if (clock.utcAtZero_ns) clock.utcResolution_ns = 1;
    return clock;
}

void applyHeader(std::span<const HeaderField> fields, bool isKineto, ReportBuilder& builder)
{
    Report& report = builder.report();
    report.provenance.producer =
        isKineto || find(fields, "deviceProperties") != nullptr ? "PyTorch (Kineto)" : "Chrome trace";
    HeaderValue parser;
    for (const HeaderField& field : fields) {
        if (const auto value = parser.parse(field)) {
            applyField(field, *value, builder);
        } else {
            report.notes.add("header.unreadable", NoteSeverity::warning,
                             "top-level values that are not valid JSON: omitted", field.key);
        }
    }
}

} // namespace lockstep
