// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/sample_lanes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/text.h"
#include "core/lanes/process_lanes_builder.h"
#include "core/samples/tail.h"

namespace lockstep {

namespace {

enum class SampleUnit { step, version, all };

// A lane: samples without a step or version come last.
struct SampleLaneKey {
    bool isUnknown = false;
    int64_t number = 0;

    friend auto operator<=>(const SampleLaneKey&, const SampleLaneKey&) = default;
};

using LaneMember = ProcessLaneSource::Member;

template<class Visit>
void eachPlaced(const std::vector<LaneMember>& members, const Visit& visit)
{
    for (const LaneMember& member : members) {
        const SampleTables& tables = member.report->samples;
        for (uint32_t row = 0; row < tables.samples.size(); ++row) {
            const Sample& sample = tables.samples[row];
            if (sample.process == member.process && sample.slice.isValid())
                visit(member, SampleId(row), sample);
        }
    }
}

SampleUnit unitOf(const std::vector<LaneMember>& members)
{
    bool hasStep = false, hasVersion = false;
    eachPlaced(members, [&](const LaneMember&, SampleId, const Sample& sample) {
        hasStep = hasStep || sample.step != kUnrecorded;
        hasVersion = hasVersion || sample.firstVersion != kUnrecorded;
    });
    return hasStep ? SampleUnit::step : hasVersion ? SampleUnit::version : SampleUnit::all;
}

std::string titleOf(SampleUnit unit, const SampleLaneKey& key, bool areRequests)
{
    const std::string what = areRequests ? "requests" : "samples";
    if (unit == SampleUnit::all) return what;
    const std::string of = unit == SampleUnit::step ? "step" : "version";
    return what + " \u00B7 " + of + " " + (key.isUnknown ? "unknown" : std::to_string(key.number));
}

std::string tailText(const std::vector<LaneSample>& samples)
{
    std::vector<int64_t> lengths;
    for (const LaneSample& sample : samples)
        lengths.push_back(sample.time.length().ns);
    std::ranges::sort(lengths);
    return "p50 " + durationText({nearestRank(lengths, 50)}, 1) + " \u00B7 max " +
           durationText({lengths.back()}, 1);
}

} // namespace

void addSampleLanes(ProcessLanesBuilder& lanes)
{
    const SampleUnit unit = unitOf(lanes.members());
    std::map<SampleLaneKey, SampleLaneData> units;
    bool areRequests = true;
    eachPlaced(lanes.members(), [&](const LaneMember& member, SampleId id, const Sample& sample) {
        const int64_t number = unit == SampleUnit::step      ? sample.step
                               : unit == SampleUnit::version ? sample.firstVersion
                                                             : 0;
        const bool isUnknown = number == kUnrecorded;
        areRequests = areRequests && sample.level == SampleLevel::request;
        SampleLaneData& data = units[{isUnknown, isUnknown ? 0 : number}];
        data.samples.push_back(
            {member.key, id, member.map.alignedFromTrace(member.report->slices.range(sample.slice))});
        for (const uint32_t row : member.report->samples.spansOf(id)) {
            const auto part = samplePartOf(member.report->samples.spans[row].kind);
            if (part) data.hasPart[static_cast<size_t>(*part)] = true;
        }
    });
    for (auto& [key, data] : units) {
        std::ranges::stable_sort(data.samples, {}, [](const LaneSample& sample) {
            return std::tuple(sample.time.end, sample.time.begin, sample.report, sample.sample);
        });
        const uint32_t lane =
            lanes.add(LaneSubject::other, 0,
                      "samples " + std::to_string(key.number) + (key.isUnknown ? " unknown" : ""),
                      titleOf(unit, key, areRequests));
        Lane& at = lanes.at(lane);
        at.value = tailText(data.samples);
        at.isFoldable = true;
        at.data.set(std::move(data));
    }
}

} // namespace lockstep
