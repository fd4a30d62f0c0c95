// SPDX-License-Identifier: Apache-2.0
#include "core/export/provenance.h"

#include "core/export/json_text.h"

namespace lockstep {

namespace {

constexpr std::string_view kProgram = "lockstep " LOCKSTEP_VERSION;

std::string alignmentJson(const ClockMap& map)
{
    JsonObject object;
    object.text("method", alignMethodName(map.method)).number("offset_ns", map.offset_ns);
    object.number("drift_ppb", map.drift_ppb);
    object.raw("bound_ns", map.bound_ns ? std::to_string(*map.bound_ns) : "null");
    return object.text("reason", map.reason).str();
}

std::string inputJson(const ExportProvenance& provenance, const InputFile& input)
{
    JsonObject object;
    object.text("path", input.path.string()).text("sha256", input.sha256);
    object.number("size_bytes", static_cast<int64_t>(input.size_bytes));
    if (input.report.isValid()) {
        const Provenance& file = provenance.scene.open.report(input.report).provenance;
        object.text("kind", file.kind).text("producer", file.producer).text("schema", file.schema);
        object.raw("alignment", alignmentJson(provenance.scene.alignment.map(input.report)));
    }
    if (input.error) object.text("error", input.error->message);
    if (!input.sameAs.empty()) object.text("same_as", input.sameAs);
    return object.str();
}

std::string inputsJson(const ExportProvenance& provenance)
{
    std::string inputs;
    for (const InputFile& input : provenance.inputs)
        inputs += (inputs.empty() ? "\n  " : ",\n  ") + inputJson(provenance, input);
    return "[" + inputs + "]";
}

std::string tableJson(const Table& table)
{
    JsonObject object;
    object.text("name", table.name()).text("rows", table.source.rows);
    object.raw("rules", jsonStrings(table.source.rules)).raw("filters", jsonStrings(table.source.filters));
    return object.str();
}

template<class Add>
void addInputLines(const std::string& word, const ExportProvenance& provenance, const Add& add)
{
    for (const InputFile& input : provenance.inputs) {
        add(word + input.path.string() + " sha256=" + input.sha256);
        if (input.error) add("  failed: " + input.error->message);
        if (!input.sameAs.empty()) add("  skipped: same as " + input.sameAs);
        if (!input.report.isValid()) continue;
        const Provenance& file = provenance.scene.open.report(input.report).provenance;
        const ClockMap& map = provenance.scene.alignment.map(input.report);
        add("  kind: " + file.kind + (file.producer.empty() ? "" : ", by " + file.producer));
        add("  alignment: " + std::string(alignMethodName(map.method)) +
            ", offset_ns=" + std::to_string(map.offset_ns) + ", drift_ppb=" + std::to_string(map.drift_ppb) +
            ", bound_ns=" + (map.bound_ns ? std::to_string(*map.bound_ns) : "unknown"));
    }
}

} // namespace

std::string provenanceJson(const ExportProvenance& provenance, std::span<const Table* const> tables)
{
    std::string described;
    for (const Table* const table : tables)
        described += (described.empty() ? "\n  " : ",\n  ") + tableJson(*table);
    JsonObject object;
    object.text("program", kProgram).text("time_unit", timeUnitName(provenance.timeUnit));
    if (provenance.scene.alignment.utcAtZero_ns) {
        object.number("axis_zero_utc_ns", *provenance.scene.alignment.utcAtZero_ns);
    }
    object.raw("inputs", inputsJson(provenance));
    if (provenance.baseline != nullptr) {
        JsonObject baseline;
        baseline.raw("inputs", inputsJson(*provenance.baseline));
        object.raw("baseline", baseline.raw("differences", jsonStrings(provenance.differences)).str());
    }
    object.raw("tables", "[" + described + "]");
    return object.str();
}

std::vector<std::string> provenanceLines(const ExportProvenance& provenance,
                                         std::span<const Table* const> tables)
{
    std::vector<std::string> lines{std::string(kProgram)};
    const auto add = [&](std::string line) {
        for (char& c : line) {
            if (c == '\n' || c == '\r') c = ' ';
        }
        lines.push_back(std::move(line));
    };
    addInputLines("input: ", provenance, add);
    if (provenance.baseline != nullptr) {
        addInputLines("baseline: ", *provenance.baseline, add);
        for (const std::string& difference : provenance.differences)
            add("  differs: " + difference);
    }
    for (const Table* const table : tables) {
        add("table: " + table->name() + " from " + table->source.rows);
        for (const std::string& rule : table->source.rules)
            add("  rule: " + rule);
        for (const std::string& filter : table->source.filters)
            add("  filter: " + filter);
    }
    return lines;
}

} // namespace lockstep
