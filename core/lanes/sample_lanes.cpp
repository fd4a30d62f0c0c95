// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/sample_lanes.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "core/lanes/process_lanes_builder.h"
#include "core/samples/tail.h"
#include "core/trace/sample_names.h"

namespace lockstep {

namespace {

// A lane. Samples without the value come last, after those of the prompts without a lane of their own.
struct SampleLaneKey {
    enum class Rank : uint8_t { named, rest, unknown };

    Rank rank = Rank::named;
    int64_t number = 0; // step, version or status
    std::string name;   // of a prompt or replica

    friend bool operator<(const SampleLaneKey& a, const SampleLaneKey& b)
    {
        if (a.rank != b.rank) return a.rank < b.rank;
        if (a.number != b.number) return a.number < b.number;
        if (naturalLess(a.name, b.name)) return true;
        return !naturalLess(b.name, a.name) && a.name < b.name;
    }
};

using SampleUnits = std::map<SampleLaneKey, SampleLaneData>;
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

// Returns the grouping to use; `automatic` if all samples share a lane.
SampleGrouping groupingOf(const ProcessLaneSource& source)
{
    if (source.samples.grouping != SampleGrouping::automatic) return source.samples.grouping;
    bool hasStep = false, hasVersion = false;
    eachPlaced(source.members, [&](const LaneMember&, SampleId, const Sample& sample) {
        hasStep = hasStep || sample.step != kUnrecorded;
        hasVersion = hasVersion || sample.firstVersion != kUnrecorded;
    });
    return hasStep ? SampleGrouping::step : hasVersion ? SampleGrouping::version : SampleGrouping::automatic;
}

SampleLaneKey laneKeyOf(const Report& report, const Sample& sample, SampleGrouping grouping)
{
    const auto ofNumber = [](int64_t number, int64_t none) {
        return number == none ? SampleLaneKey{SampleLaneKey::Rank::unknown, 0, {}}
                              : SampleLaneKey{SampleLaneKey::Rank::named, number, {}};
    };
    const auto ofText = [&](StringId text) {
        return text.isValid()
                   ? SampleLaneKey{SampleLaneKey::Rank::named, 0, std::string(report.strings.at(text))}
                   : SampleLaneKey{SampleLaneKey::Rank::unknown, 0, {}};
    };
    switch (grouping) {
    case SampleGrouping::automatic:
        break;
    case SampleGrouping::step:
        return ofNumber(sample.step, kUnrecorded);
    case SampleGrouping::version:
        return ofNumber(sample.firstVersion, kUnrecorded);
    case SampleGrouping::prompt:
        return ofText(sample.group);
    case SampleGrouping::replica:
        return ofText(sample.replica);
    case SampleGrouping::outcome:
        return ofNumber(int64_t(sample.status), int64_t(SampleStatus::unknown));
    }
    return {};
}

std::string titleOf(SampleGrouping grouping, const SampleLaneKey& key, bool areRequests)
{
    const std::string what = areRequests ? "requests" : "samples";
    if (grouping == SampleGrouping::automatic) return what;
    const std::string by(kSampleGroupingNames[static_cast<size_t>(grouping)]);
    const std::string dot = what + " \u00B7 ";
    if (key.rank == SampleLaneKey::Rank::rest) return dot + groupedText(key.number) + " other " + by + "s";
    if (key.rank == SampleLaneKey::Rank::unknown) return dot + by + " unknown";
    if (grouping == SampleGrouping::outcome)
        return dot + std::string(sampleStatusName(static_cast<SampleStatus>(key.number)));
    return dot + by + " " + (key.name.empty() ? std::to_string(key.number) : key.name);
}

// Returns the part of the lane's key below its process.
std::string keyPartOf(SampleGrouping grouping, const SampleLaneKey& key)
{
    std::string part = "samples ";
    if (grouping > SampleGrouping::version)
        part += std::string(kSampleGroupingNames[static_cast<size_t>(grouping)]) + " ";
    if (key.rank == SampleLaneKey::Rank::rest) return part + "others";
    part += key.name.empty() ? std::to_string(key.number) : key.name;
    return part + (key.rank == SampleLaneKey::Rank::unknown ? " unknown" : "");
}

// Returns the time in the queue and without a recorded part.
int64_t waitOf(const LaneMember& member, const LaneSample& sample)
{
    const Report& report = *member.report;
    std::vector<PartSpan> spans;
    for (const uint32_t row : report.samples.spansOf(sample.sample)) {
        const SampleSpan& span = report.samples.spans[row];
        const auto part = samplePartOf(span.kind);
        if (!part || report.slices.isInstant(span.slice)) continue;
        spans.push_back({member.map.alignedFromTrace(report.slices.range(span.slice)), *part});
    }
    const SamplePartTimes parts = dividedTime(sample.time, spans);
    return parts[static_cast<size_t>(SamplePart::queue)] + parts[static_cast<size_t>(SamplePart::other)];
}

void sortSamples(std::vector<LaneSample>& samples, SampleOrder order)
{
    const auto first = [order](const LaneSample& sample) {
        switch (order) {
        case SampleOrder::end:
            break;
        case SampleOrder::start:
            return sample.time.begin.ns;
        case SampleOrder::length:
            return sample.time.length().ns;
        case SampleOrder::wait:
            return sample.wait_ns;
        }
        return sample.time.end.ns;
    };
    std::ranges::stable_sort(samples, {}, [&](const LaneSample& sample) {
        return std::tuple(first(sample), sample.time.end, sample.time.begin, sample.report, sample.sample);
    });
}

// Moves the samples of all but the prompts (or replicas) that ended last to one lane.
void uniteRest(SampleUnits& units)
{
    const auto isNamed = [](const auto& unit) { return !unit.first.name.empty(); };
    if (static_cast<size_t>(std::ranges::count_if(units, isNamed)) <= kMaxNamedSampleLanes) return;
    std::vector<std::pair<TraceTime, SampleLaneKey>> ends;
    for (const auto& [key, data] : units) {
        TraceTime last = kAllTime.begin;
        for (const LaneSample& sample : data.samples)
            last = std::max(last, sample.time.end);
        if (!key.name.empty()) ends.emplace_back(last, key);
    }
    std::ranges::stable_sort(ends, std::ranges::greater(), [](const auto& end) { return end.first; });
    SampleLaneData rest;
    for (size_t i = kMaxNamedSampleLanes; i < ends.size(); ++i) {
        const auto from = units.find(ends[i].second);
        rest.samples.insert(rest.samples.end(), from->second.samples.begin(), from->second.samples.end());
        for (size_t part = 0; part < kSampleParts; ++part)
            rest.hasPart[part] = rest.hasPart[part] || from->second.hasPart[part];
        units.erase(from);
    }
    units[{SampleLaneKey::Rank::rest, int64_t(ends.size() - kMaxNamedSampleLanes), {}}] = std::move(rest);
}

// Returns a short text, so that the lane's label fits next to it at the default width.
std::string longestText(const std::vector<LaneSample>& samples)
{
    int64_t longest_ns = 0;
    for (const LaneSample& sample : samples)
        longest_ns = std::max(longest_ns, sample.time.length().ns);
    return "max " + durationText({longest_ns}, 1);
}

} // namespace

void addSampleLanes(ProcessLanesBuilder& lanes)
{
    const SampleGrouping grouping = groupingOf(lanes.source());
    const SampleOrder order = lanes.source().samples.order;
    SampleUnits units;
    bool areRequests = true;
    eachPlaced(lanes.members(), [&](const LaneMember& member, SampleId id, const Sample& sample) {
        areRequests = areRequests && sample.level == SampleLevel::request;
        SampleLaneData& data = units[laneKeyOf(*member.report, sample, grouping)];
        LaneSample& at = data.samples.emplace_back();
        at.report = member.key;
        at.sample = id;
        at.time = member.map.alignedFromTrace(member.report->slices.range(sample.slice));
        if (order == SampleOrder::wait) at.wait_ns = waitOf(member, at);
        for (const uint32_t row : member.report->samples.spansOf(id)) {
            const auto part = samplePartOf(member.report->samples.spans[row].kind);
            if (part) data.hasPart[static_cast<size_t>(*part)] = true;
        }
    });
    uniteRest(units);
    for (auto& [key, data] : units) {
        sortSamples(data.samples, order);
        const uint32_t lane =
            lanes.add(LaneSubject::other, 0, keyPartOf(grouping, key), titleOf(grouping, key, areRequests));
        Lane& at = lanes.at(lane);
        at.value = longestText(data.samples);
        if (key.rank == SampleLaneKey::Rank::rest)
            at.note = "Only the " + std::to_string(kMaxNamedSampleLanes) + " that ended last have lanes.";
        at.isFoldable = true;
        at.data.set(std::move(data));
    }
}

} // namespace lockstep
