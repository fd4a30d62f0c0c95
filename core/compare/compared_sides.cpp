// SPDX-License-Identifier: Apache-2.0
#include "core/compare/compared_sides.h"

#include <algorithm>

#include "core/compare/side.h"

namespace lockstep {

namespace {

constexpr const char* kBetween = " \u00B7 ";

Result<ComparedSide> sideOf(const SideRequest& request, const char* which, const Progress& progress)
{
    ComparedSide side;
    side.scene = request.scene;
    if (!request.reports.empty())
        side.scene = LOCKSTEP_TRY(sceneOfReports(request.scene, request.reports, progress));
    if (side.scene->shown.isEmpty())
        return makeError(ErrorKind::invalid, std::string(which) + " shows no reports");
    side.step = request.step;
    if (side.step) side.title = "step " + std::to_string(*side.step);
    if (!request.name.empty()) side.title += (side.title.empty() ? "" : kBetween) + request.name;
    side.facts = sideFactsText(side.scene->shown);
    side.range = side.scene->extent();
    return side;
}

} // namespace

Coupling ComparedSides::couplingBy(CouplingRule rule) const
{
    if (rule == CouplingRule::collective) return pairs.byCollective();
    if (rule == CouplingRule::step) return pairs.byStep();
    return Coupling({{sides[0].range.begin, sides[1].range.begin}});
}

TimeRange ComparedSides::whole(const Coupling& coupling, int side) const
{
    const TimeRange both =
        sides[0].range.unitedWith({coupling.toA(sides[1].range.begin), coupling.toA(sides[1].range.end)});
    const Duration rim{both.length().ns / 50 + 10};
    const TimeRange shown{both.begin - rim, both.end + rim};
    return side == 0 ? shown : coupling.toB(shown);
}

TimeRange ComparedSides::reach(const Coupling& coupling, int side) const
{
    const TimeRange a = sides[0].scene->extent(), b = sides[1].scene->extent();
    TimeRange all = a.unitedWith({coupling.toA(b.begin), coupling.toA(b.end)});
    const Duration margin{all.length().ns / 50 + 100};
    all = {all.begin - margin, all.end + margin};
    if (side == 0) return all;
    Duration least = coupling.shiftAtA(all.begin), most = least;
    for (const CouplingKnot& knot : coupling.knots()) {
        least = std::min(least, knot.b - knot.a);
        most = std::max(most, knot.b - knot.a);
    }
    return {all.begin + least, all.end + most};
}

std::string ComparedSides::pairedLane(int side, const std::string& key) const
{
    if (isOneTree()) return key;
    return side == 0 ? lanes.inB(key) : lanes.inA(key);
}

LaneState ComparedSides::pairedLaneState(int side, const LaneState& state, const LaneState& other) const
{
    if (isOneTree()) return state;
    return side == 0 ? lanes.stateForB(state, other) : lanes.stateForA(state, other);
}

CouplingKnot ComparedSides::zeroOf(const SlicePair& pair) const
{
    CouplingKnot zero{sides[0].range.begin, sides[1].range.begin};
    for (const StepPair& step : pairs.steps)
        if (step.rangeA.begin <= pair.at) zero = {step.rangeA.begin, step.rangeB.begin};
    return zero;
}

Result<std::shared_ptr<const ComparedSides>> compareSides(const SideRequest& a, const SideRequest& b,
                                                          const Progress& progress)
{
    auto out = std::make_shared<ComparedSides>();
    out->sides[0] = LOCKSTEP_TRY(sideOf(a, "A", progress));
    out->sides[1] = LOCKSTEP_TRY(sideOf(b, "B", progress));
    out->pairs =
        LOCKSTEP_TRY(pairSlices({out->sides[0].scene, a.step}, {out->sides[1].scene, b.step}, progress));
    if ((a.step || b.step) && !out->pairs.steps.empty()) {
        const StepPair& step = out->pairs.steps.front();
        out->sides[0].range = step.rangeA;
        out->sides[1].range = step.rangeB;
    }
    out->lanes = PairedLaneKeys(*out->sides[0].scene, *out->sides[1].scene);
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
