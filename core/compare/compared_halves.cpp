// SPDX-License-Identifier: Apache-2.0
#include "core/compare/compared_halves.h"

#include <algorithm>

#include "core/compare/comparable_sides.h"

namespace lockstep {

namespace {

constexpr const char* kBetween = " \u00B7 ";

Result<ComparedHalf> halfOf(const HalfRequest& request, const char* which, const Progress& progress)
{
    ComparedHalf half;
    half.scene = request.scene;
    if (!request.reports.empty())
        half.scene = LOCKSTEP_TRY(sceneOfReports(request.scene, request.reports, progress));
    if (half.scene->shown.isEmpty())
        return makeError(ErrorKind::invalid, std::string(which) + " shows no reports");
    half.step = request.step;
    if (half.step) half.title = "step " + std::to_string(*half.step);
    if (!request.name.empty()) half.title += (half.title.empty() ? "" : kBetween) + request.name;
    half.facts = sideFactsText(half.scene->shown);
    half.range = half.scene->extent();
    return half;
}

} // namespace

Coupling ComparedHalves::couplingBy(CouplingRule rule) const
{
    if (rule == CouplingRule::collective) return pairs.byCollective();
    if (rule == CouplingRule::step) return pairs.byStep();
    return Coupling({{halves[0].range.begin, halves[1].range.begin}});
}

TimeRange ComparedHalves::whole(const Coupling& coupling, int half) const
{
    const TimeRange both =
        halves[0].range.unitedWith({coupling.toA(halves[1].range.begin), coupling.toA(halves[1].range.end)});
    const Duration rim{both.length().ns / 50 + 10};
    const TimeRange shown{both.begin - rim, both.end + rim};
    return half == 0 ? shown : coupling.toB(shown);
}

TimeRange ComparedHalves::reach(const Coupling& coupling, int half) const
{
    const TimeRange a = halves[0].scene->extent(), b = halves[1].scene->extent();
    TimeRange all = a.unitedWith({coupling.toA(b.begin), coupling.toA(b.end)});
    const Duration margin{all.length().ns / 50 + 100};
    all = {all.begin - margin, all.end + margin};
    if (half == 0) return all;
    Duration least = coupling.shiftAtA(all.begin), most = least;
    for (const CouplingKnot& knot : coupling.knots()) {
        least = std::min(least, knot.b - knot.a);
        most = std::max(most, knot.b - knot.a);
    }
    return {all.begin + least, all.end + most};
}

std::string ComparedHalves::laneOpposite(int half, const std::string& key) const
{
    if (isOneTree()) return key;
    return half == 0 ? lanes.inB(key) : lanes.inA(key);
}

LaneState ComparedHalves::stateOpposite(int half, const LaneState& state, const LaneState& other) const
{
    if (isOneTree()) return state;
    return half == 0 ? lanes.stateForB(state, other) : lanes.stateForA(state, other);
}

CouplingKnot ComparedHalves::zeroOf(const SlicePair& pair) const
{
    CouplingKnot zero{halves[0].range.begin, halves[1].range.begin};
    for (const StepPair& step : pairs.steps)
        if (step.rangeA.begin <= pair.at) zero = {step.rangeA.begin, step.rangeB.begin};
    return zero;
}

Result<std::shared_ptr<const ComparedHalves>> compareHalves(const HalfRequest& a, const HalfRequest& b,
                                                            const Progress& progress)
{
    auto out = std::make_shared<ComparedHalves>();
    out->halves[0] = LOCKSTEP_TRY(halfOf(a, "A", progress));
    out->halves[1] = LOCKSTEP_TRY(halfOf(b, "B", progress));
    out->pairs =
        LOCKSTEP_TRY(pairSlices({out->halves[0].scene, a.step}, {out->halves[1].scene, b.step}, progress));
    if ((a.step || b.step) && !out->pairs.steps.empty()) {
        const StepPair& step = out->pairs.steps.front();
        out->halves[0].range = step.rangeA;
        out->halves[1].range = step.rangeB;
    }
    out->lanes = OppositeLanes(*out->halves[0].scene, *out->halves[1].scene);
    return out;
}

std::string sideFactsText(const Workspace& shown)
{
    std::vector<std::string> facts;
    const auto add = [&](std::string fact) {
        if (!fact.empty() && std::ranges::find(facts, fact) == facts.end()) facts.push_back(std::move(fact));
    };
    for (const ReportKey key : shown.keys()) {
        const Report& report = shown.report(key);
        for (const Device& device : report.devices)
            if (device.name.isValid()) add(std::string(report.strings.at(device.name)));
        for (const Fact& fact : report.facts)
            if (fact.first == "GPU driver") add("driver " + fact.second);
    }
    std::string out;
    for (const std::string& fact : facts)
        out += (out.empty() ? "" : kBetween) + fact;
    return out;
}

} // namespace lockstep
