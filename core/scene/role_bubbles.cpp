// SPDX-License-Identifier: Apache-2.0
#include "core/scene/role_bubbles.h"

#include <algorithm>
#include <set>

#include "core/lanes/phase_lanes.h"
#include "core/scene/role_work.h"

namespace lockstep {

namespace {

// A process whose GPU work can be compared with the work of other roles.
struct WorkingProcess {
    uint32_t lane = 0;
    // device of the process; empty if there are several or if the device is not recorded
    std::string device;
    IntervalSet busy, recorded;
};

class BubbleSearch {
  public:
    BubbleSearch(const Workspace& shown, const Alignment& alignment, const ReportLods& lods,
                 const LaneTree& tree)
        : m_shown(shown), m_alignment(alignment), m_lods(lods), m_tree(tree)
    {
    }

    RoleBubbles run()
    {
        RoleBubbles out;
        std::set<std::string> roles;
        for (uint32_t i = 0; i < m_tree.size(); ++i) {
            const Lane& lane = m_tree.lane(i);
            const auto* const process = lane.data.as<ProcessLaneData>();
            if (process == nullptr || lane.role.empty() || !process->isPlaced) continue;
            if (read(i)) roles.insert(lane.role);
        }
        if (roles.size() < 2) return out;
        for (const WorkingProcess& of : m_processes)
            m_work.add(m_tree.lane(of.lane).role, of.device, of.busy.ranges());
        m_work.close();
        for (const WorkingProcess& of : m_processes) {
            if (!hasPhases(of.lane)) continue;
            const Lane& lane = m_tree.lane(of.lane);
            ProcessBubbles& bubbles = out.ofProcess[lane.key] = bubblesOf(of);
            for (const std::string& role : roles) {
                if (role != lane.role) bubbles.others += (bubbles.others.empty() ? "" : ", ") + role;
            }
        }
        return out;
    }

    bool hasPhases(uint32_t process) const
    {
        return std::ranges::any_of(m_tree.childrenOf(process), [&](uint32_t child) {
            return m_tree.lane(child).data.is<PhaseLaneData>();
        });
    }

  private:
    bool read(uint32_t process)
    {
        WorkingProcess out;
        out.lane = process;
        std::vector<TimeRange> busy, recorded, lost;
        std::set<std::string> devices;
        for (const auto& [key, id] : m_tree.lane(process).data.as<ProcessLaneData>()->members) {
            const ClockMap& map = m_alignment.map(key);
            const Report& report = m_shown.report(key);
            bool isOfMember = false;
            for (const BusyRow& row : m_lods[key]->busyRows()) {
                if (row.process() != id) continue;
                isOfMember = true;
                devices.insert(machineDevice(m_shown, key, id, row.device()));
                for (const TimeRange stretch : row.stretches())
                    busy.push_back(map.alignedFromTrace(stretch));
            }
            if (!isOfMember) continue;
            recorded.push_back(map.alignedFromTrace(report.extent));
            for (const TimeRange gap : report.gaps)
                lost.push_back(map.alignedFromTrace(gap));
        }
        if (busy.empty()) return false;
        out.busy = IntervalSet::unionOf(std::move(busy));
        out.recorded =
            IntervalSet::unionOf(std::move(recorded)).without(IntervalSet::unionOf(std::move(lost)));
        if (devices.size() == 1) out.device = *devices.begin();
        m_processes.push_back(std::move(out));
        return true;
    }

    ProcessBubbles bubblesOf(const WorkingProcess& of) const
    {
        ProcessBubbles out;
        const RoleWork::Idle idle = m_work.idleOf(m_tree.lane(of.lane).role, of.device, of.busy);
        out.isDeviceKnown = idle.onSameDevice.has_value();
        const IntervalSet bubbles =
            idle.onSameDevice ? idle.whileOthersBusy.without(*idle.onSameDevice) : idle.whileOthersBusy;
        const IntervalSet recorded = bubbles.intersectedWith(of.recorded);
        for (const TimeRange range : recorded.ranges()) {
            if (range.length() < BusyRow::kMinIdle) continue;
            out.ranges.push_back(range);
            out.sums_ns.push_back(out.total.ns);
            out.total = out.total + range.length();
        }
        out.recorded = of.recorded.length();
        return out;
    }

    const Workspace& m_shown;
    const Alignment& m_alignment;
    const ReportLods& m_lods;
    const LaneTree& m_tree;
    std::vector<WorkingProcess> m_processes;
    RoleWork m_work;
};

} // namespace

Duration ProcessBubbles::lengthWithin(TimeRange range) const
{
    const auto first = std::ranges::upper_bound(ranges, range.begin, {}, &TimeRange::end);
    const auto after = std::ranges::lower_bound(ranges, range.end, {}, &TimeRange::begin);
    if (first >= after) return {};
    const auto placeOf = [&](auto at) { return static_cast<size_t>(at - ranges.begin()); };
    const auto last = std::prev(after);
    const Duration whole{sums_ns[placeOf(last)] + last->length().ns - sums_ns[placeOf(first)]};
    return whole - Duration{std::max<int64_t>(0, (range.begin - first->begin).ns)} -
           Duration{std::max<int64_t>(0, (last->end - range.end).ns)};
}

const ProcessBubbles* RoleBubbles::of(const LaneTree& tree, uint32_t process) const
{
    const auto found = ofProcess.find(tree.lane(process).key);
    return found == ofProcess.end() ? nullptr : &found->second;
}

RoleBubbles findRoleBubbles(const Workspace& shown, const Alignment& alignment, const ReportLods& lods,
                            const LaneTree& tree)
{
    BubbleSearch search(shown, alignment, lods, tree);
    for (uint32_t i = 0; i < tree.size(); ++i) {
        if (tree.lane(i).data.is<PhaseLaneData>()) return search.run();
    }
    return {};
}

} // namespace lockstep
