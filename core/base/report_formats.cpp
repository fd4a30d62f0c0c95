// SPDX-License-Identifier: Apache-2.0
#include "core/base/report_formats.h"

#include <algorithm>
#include <cassert>

namespace lockstep {

namespace {

bool endsAs(std::string_view fileName, const std::vector<std::string_view>& suffixes)
{
    return std::ranges::any_of(suffixes, [&](std::string_view ending) { return fileName.ends_with(ending); });
}

const ReportFormat* found(std::span<const ReportFormat>::iterator at)
{
    return at == reportFormats().end() ? nullptr : &*at;
}

// Returns the file name without compression suffixes (.gz, .zst).
std::string_view withoutCompressionSuffix(std::string_view fileName)
{
    for (const std::string_view packed : kCompressionSuffixes) {
        if (!fileName.ends_with(packed)) continue;
        fileName.remove_suffix(packed.size());
        break;
    }
    return fileName;
}

} // namespace

std::span<const ReportFormat> reportFormats()
{
    // clang-format off
    static const std::array<ReportFormat, 12> kFormats{{
        // name, tool, suffixes, own suffixes, whether these identify the tool, agentName, reportKindName
        {"nsys report", "nsys", {".nsys-rep", ".qdrep", ".qdstrm"}, {".nsys-rep", ".qdrep"}, true, "nsys report", "nsys"},
        {"nsys sqlite", "nsys", {".sqlite"}, {}, true, "nsys sqlite", "nsys"},
        {"chrome json", "JSON", {".json"}, {".pt.trace.json"}, false, "trace json", "torch"},
        {"memory snapshot", "memory snapshot", {".pickle", ".pkl"}, {}, false, "memory snapshot", "torch_memory"},
        {"ascend db", "ascend db", {".db"}, {}, false, "ascend sqlite", "npu"},
        {"ascend memory", "ascend memory", {"operator_memory.csv", "memory_record.csv"}, {}, false, "", ""},
        {"perfetto", "perfetto", {".perfetto-trace", ".pftrace"}, {".perfetto-trace", ".pftrace"}, false, "perfetto trace", "torch"},
        {"lockstep capture", "capture", {".lsc"}, {".lsc"}, true, "capture spool", "capture"},
        {"run events", "run events", {".events.jsonl"}, {}, false, "", ""},
        {"sample records", "samples", {".jsonl"}, {}, false, "sample records", "samples"},
        {"rollout dump", "slime", {".pt"}, {}, false, "rollout dump", "samples"},
        {"lockstep workspace", "lockstep workspace", {".lockstep"}, {}, false, "", ""},
    }};
    // clang-format on
    return kFormats;
}

const ReportFormat& formatNamed(std::string_view name)
{
    const auto at = std::ranges::find(reportFormats(), name, &ReportFormat::name);
    assert(at != reportFormats().end());
    return *at;
}

const ReportFormat* formatOfFile(std::string_view fileName)
{
    const std::string_view plain = withoutCompressionSuffix(fileName);
    return found(std::ranges::find_if(
        reportFormats(), [&](const ReportFormat& format) { return endsAs(plain, format.suffixes); }));
}

const ReportFormat* formatWithUniqueSuffix(std::string_view fileName)
{
    const std::string_view plain = withoutCompressionSuffix(fileName);
    return found(std::ranges::find_if(
        reportFormats(), [&](const ReportFormat& format) { return endsAs(plain, format.uniqueSuffixes); }));
}

const ReportFormat* formatOfAgentName(std::string_view word)
{
    if (word == "nsys stream" || word == "sqlite") return &formatNamed("nsys report");
    return word.empty() ? nullptr : found(std::ranges::find(reportFormats(), word, &ReportFormat::agentName));
}

} // namespace lockstep
