// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/export_facts.h"

#include "core/base/secret_text.h"
#include "core/base/text.h"
#include "core/readers/nsys_sqlite/small_table.h"

namespace lockstep {

namespace {

ExportFacts::Values readValues(const SqliteDatabase& database, const SchemaProbe& schema,
                               std::string_view table, ImportNotes& notes)
{
    static constexpr std::array<std::string_view, 2> kFactColumns{"name", "value"};
    ExportFacts::Values values;
    eachRow(database, schema, table, kFactColumns, notes, [&](const SqliteQuery& row) {
        values.emplace(repairedUtf8(row.text(1)), repairedUtf8(row.text(2)));
    });
    return values;
}

// CUDA encodes versions as 1000 * major + 10 * minor: 12040 is 12.4.
std::string cudaVersionText(std::string_view number)
{
    const auto value = parseInt(number);
    if (!value || *value < 1000) return std::string(number);
    return std::to_string(*value / 1000) + "." + std::to_string(*value % 1000 / 10);
}

// Options of the launched process moved from "PROCESS_0:X" to "X" during 2025.
std::string_view optionValue(const ExportFacts::Values& captured, const std::string& name)
{
    const std::string_view old = firstValue(captured, "PROCESS_0:" + name);
    return old.empty() ? firstValue(captured, name) : old;
}

} // namespace

std::string_view firstValue(const ExportFacts::Values& values, std::string_view name)
{
    const auto found = values.find(name);
    return found != values.end() ? std::string_view(found->second) : std::string_view();
}

SchemaVersion ExportFacts::version() const
{
    return {parseInt(firstValue(exported, "EXPORT_SCHEMA_VERSION_MAJOR")).value_or(0),
            parseInt(firstValue(exported, "EXPORT_SCHEMA_VERSION_MINOR")).value_or(0)};
}

std::string ExportFacts::command() const
{
    std::string text(optionValue(captured, "COMMAND"));
    if (text.empty()) return text;
    for (int i = 0;; ++i) {
        const std::string_view argument = optionValue(captured, "ARGUMENT_" + std::to_string(i));
        if (argument.empty()) return text;
        text += " " + std::string(argument);
    }
}

ExportFacts readExportFacts(const SqliteDatabase& database, const SchemaProbe& schema, ImportNotes& notes)
{
    const std::string_view table = schema.has("META_DATA_EXPORT") ? "META_DATA_EXPORT" : "EXPORT_META_DATA";
    ExportFacts facts;
    facts.exported = readValues(database, schema, table, notes);
    facts.captured = readValues(database, schema, "META_DATA_CAPTURE", notes);
    facts.system = readValues(database, schema, "TARGET_INFO_SYSTEM_ENV", notes);
    return facts;
}

void describeExport(const ExportFacts& facts, Report& report)
{
    const std::string_view product = firstValue(facts.exported, "EXPORT_PRODUCT_NAME");
    const std::string_view version = firstValue(facts.exported, "EXPORT_PRODUCT_VERSION");
    report.provenance.producer = std::string(product.empty() ? "NVIDIA Nsight Systems" : product);
    if (!version.empty()) report.provenance.producer += " " + std::string(version);
    report.provenance.schema = std::string(firstValue(facts.exported, "EXPORT_SCHEMA_VERSION"));
    const auto add = [&](std::string_view name, std::string_view value) {
        if (!value.empty()) report.facts.emplace_back(name, value);
    };
    add("Host", firstValue(facts.system, "Hostname"));
    add("Command", maskSecrets(facts.command()));
    add("Working directory", optionValue(facts.captured, "WORKING_DIR"));
    add("GPU driver", firstValue(facts.system, "NvDriverVersion"));
    add("CUDA driver", cudaVersionText(firstValue(facts.system, "CudaDriverVersion")));
    add("Operating system", firstValue(facts.system, "OsDescription"));
    add("Kernel", firstValue(facts.system, "SoftwareReleaseVersion"));
    add("CPU", firstValue(facts.system, "CpuDescription"));
    add("CPU cores", firstValue(facts.system, "CpuCores"));
    add("Exported", firstValue(facts.exported, "EXPORT_TIME_UTC"));
    add("CUDA graph trace", optionValue(facts.captured, "CUDA_GRAPH_TRACE_OPTIONS:MODE"));
    add("Session id", firstValue(facts.captured, "PROFILING_SESSION_UUID"));
}

} // namespace lockstep
