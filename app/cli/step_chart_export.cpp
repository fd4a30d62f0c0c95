// SPDX-License-Identifier: Apache-2.0
#include "app/cli/step_chart_export.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/export/step_chart.h"

namespace lockstep {

namespace {

constexpr size_t kMaxNamedReports = 6;

std::string reportsSentence(std::span<const InputFile> inputs)
{
    std::string names;
    size_t read = 0, failed = 0;
    for (const InputFile& input : inputs) {
        failed += input.error.has_value();
        if (!input.report.isValid() || ++read > kMaxNamedReports) continue;
        names += (names.empty() ? "" : ", ") + input.path.filename().string();
    }
    std::string text = std::to_string(read) + (read == 1 ? " report: " : " reports: ") + printable(names);
    if (read > kMaxNamedReports) text += " \u2026";
    if (failed > 0) text += "; could not be read: " + std::to_string(failed);
    return text;
}

// Returns a sentence about clocks. Bars show durations on each report's own clock; the error bound applies to
// the common axis.
std::string clocksSentence(const Scene& scene)
{
    std::string text = "Clocks: " + scene.alignment.basis;
    std::optional<int64_t> widest = 0;
    for (const ReportKey key : scene.shown.keys()) {
        const auto bound = scene.alignment.map(key).bound_ns;
        widest = widest && bound ? std::optional(std::max(*widest, *bound)) : std::nullopt;
    }
    if (scene.shown.size() > 1)
        text += widest ? "; maximum clock error " + durationText(Duration{*widest})
                       : std::string("; clock error unknown");
    return text + "; step and phase durations are measured on each report's own clock";
}

} // namespace

Result<std::string> stepChart(const CommandLine& line, const ScenePtr& scene,
                              std::span<const InputFile> inputs, PictureFormat format,
                              const DrawPicture& draw, const Progress& progress)
{
    Scope scope = line.scope;
    // Grouping by step has no effect, because the axis already shows steps.
    if (scope.by == GroupBy::step) scope.by = GroupBy::total;
    const auto steps = LOCKSTEP_TRY(rowsOf("step_breakdown", stepBreakdown, *scene, scope, progress));
    StepChartStyle look{
        line.width, line.height, line.isDark, {reportsSentence(inputs), clocksSentence(*scene)}};
    for (const std::string& filter : scope.description())
        look.source.push_back("Only " + filter);
    std::string svg = stepChartSvg(steps.rows, scope.by, look);
    if (svg.empty() || format == PictureFormat::svg) return svg;
    if (!draw)
        return makeError(
            ErrorKind::unsupported,
            "this build cannot draw png and pdf, because it has no window library; use --format svg");
    return draw({scene,
                 format,
                 line.width,
                 line.height,
                 line.isDark,
                 "",
                 false,
                 false,
                 MemoryLook::category,
                 {},
                 progress.workers(),
                 std::move(svg)});
}

} // namespace lockstep
