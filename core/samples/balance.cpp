// SPDX-License-Identifier: Apache-2.0
#include "core/samples/balance.h"

#include <algorithm>
#include <map>

namespace lockstep {

std::optional<WeightPart> weightPartOf(SpanKind kind)
{
    switch (kind) {
    case SpanKind::weightPause:
        return WeightPart::pause;
    case SpanKind::weightGather:
        return WeightPart::gather;
    case SpanKind::weightReshard:
        return WeightPart::reshard;
    case SpanKind::weightTransfer:
        return WeightPart::transfer;
    case SpanKind::weightResume:
        return WeightPart::resume;
    default:
        return std::nullopt;
    }
}

std::optional<BalancePart> balancePartOf(RlPhase phase)
{
    switch (phase) {
    case RlPhase::ref:
    case RlPhase::oldLogProb:
    case RlPhase::values:
    case RlPhase::updateCritic:
    case RlPhase::updateActor:
        return BalancePart::train;
    case RlPhase::generation:
    case RlPhase::waiting:
        return BalancePart::exposedGeneration;
    case RlPhase::weightSync:
        return BalancePart::weightSync;
    default:
        return std::nullopt;
    }
}

std::optional<int64_t> trainedVersion(int64_t version, TraceTime updateEnd, TimeRange step,
                                      const IntervalSet& train)
{
    if (version == kUnrecorded) return std::nullopt;
    const bool trainsBefore = train.lengthWithin({step.begin, updateEnd}).ns > 0;
    const bool trainsAfter = train.lengthWithin({updateEnd, step.end}).ns > 0;
    return trainsAfter && !trainsBefore ? version : version - 1;
}

StepBalance balanceWithin(TimeRange step, const BalanceTimes& times)
{
    const auto within = [&](const IntervalSet& set) { return set.lengthWithin(step).ns; };
    const IntervalSet sync = times.weightSync.without(times.train);
    const IntervalSet exposed = times.waiting.without(times.train).without(times.weightSync);
    StepBalance balance;
    balance.wall_ns = step.length().ns;
    balance.train_ns = within(times.train);
    balance.exposed_ns = within(exposed);
    balance.weightSync_ns = within(sync);
    balance.other_ns = balance.wall_ns - balance.train_ns - balance.exposed_ns - balance.weightSync_ns;
    if (times.bufferWait) balance.bufferWait_ns = within(exposed.intersectedWith(*times.bufferWait));
    balance.unattributed_ns = balance.weightSync_ns;
    IntervalSet rest = sync;
    for (size_t i = kWeightParts; i-- > 0;) { // the last of them counts
        balance.parts_ns[i] = within(rest.intersectedWith(times.parts[i]));
        rest = rest.without(times.parts[i]);
        balance.unattributed_ns -= balance.parts_ns[i];
        balance.hasParts = balance.hasParts || balance.parts_ns[i] > 0;
    }
    return balance;
}

StepBalance balanceOfTimers(int64_t wall_ns, std::span<const StepTimer> timers,
                            std::span<const std::pair<std::string, std::string>> inside,
                            std::vector<std::string>& subtracted)
{
    std::map<std::string_view, int64_t> own_ns;
    for (const StepTimer& timer : timers)
        own_ns[timer.name] += timer.time_ns;
    const std::map<std::string_view, int64_t> recorded_ns = own_ns;
    for (const auto& [inner, outer] : inside) {
        const auto time = recorded_ns.find(inner);
        const auto around = own_ns.find(outer);
        if (time == recorded_ns.end() || around == own_ns.end()) continue;
        // Clocks of nested timers differ by little; a larger inner time would mean that it is not nested.
        around->second -= std::min(time->second, around->second);
        subtracted.push_back(inner + " from " + outer);
    }
    StepBalance balance;
    balance.wall_ns = wall_ns;
    for (const StepTimer& timer : timers) {
        const int64_t time_ns = std::exchange(own_ns[timer.name], 0);
        if (timer.isBufferWait) balance.bufferWait_ns = balance.bufferWait_ns.value_or(0) + time_ns;
        if (timer.part == BalancePart::train) balance.train_ns += time_ns;
        if (timer.part == BalancePart::exposedGeneration) balance.exposed_ns += time_ns;
        if (timer.part == BalancePart::weightSync) balance.weightSync_ns += time_ns;
    }
    balance.unattributed_ns = balance.weightSync_ns;
    balance.other_ns = wall_ns - balance.train_ns - balance.exposed_ns - balance.weightSync_ns;
    return balance;
}

} // namespace lockstep
