// SPDX-License-Identifier: Apache-2.0
#include "app/cli/go_to.h"

#include "app/cli/cli_session.h"
#include "core/timeline/time_text.h"

namespace lockstep {

Result<ResolvedPlace> resolvePlace(std::string_view text, const Scene& scene, TimeRange visible,
                                   std::optional<TraceTime> from, const MarkList* marks)
{
    ResolvedPlace result;
    if (isLink(text)) {
        result.link = LOCKSTEP_TRY(parseLink(text));
        result.linked = LOCKSTEP_TRY(resolvePlaceLink(*result.link, scene));
        result.aligned = result.linked.visible;
        result.description = "link";
        for (const std::string& missing : result.linked.missing)
            result.description += "; " + missing;
        return result;
    }
    const TimeQuery asked = LOCKSTEP_TRY(parseTimeText(text));
    StepRanges steps;
    if (asked.from == TimeQuery::From::step) steps = stepRangesOf(scene);
    const ResolvedTime at = LOCKSTEP_TRY(resolveTime(asked, {scene, visible, from, marks, &steps}));
    result.aligned = at.aligned;
    result.description = at.understood;
    return result;
}

Result<std::optional<TimeRange>> pictureRange(const CommandLine& line, const Scene& scene,
                                              const MarkList& marks)
{
    if (line.goTo.empty()) return line.scope.time;
    const TimeRange whole = scene.extent();
    const ResolvedPlace result = LOCKSTEP_TRY(resolvePlace(line.goTo, scene, whole, std::nullopt, &marks));
    if (!result.aligned.isEmpty()) return std::optional(result.aligned);
    const Duration half{std::max<int64_t>(500, whole.length().ns / 20)};
    return std::optional(TimeRange{result.aligned.begin - half, result.aligned.begin + half});
}

Status setGoTo(CommandLine& line, std::string_view value)
{
    if (isLink(value))
        LOCKSTEP_TRY(parseLink(value));
    else if (const auto asked = parseTimeText(value); !asked)
        return usage("--goto: " + asked.error().message);
    line.goTo = value;
    return {};
}

} // namespace lockstep
