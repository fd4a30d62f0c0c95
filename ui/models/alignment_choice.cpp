#include "ui/models/alignment_choice.h"

namespace lockstep {

AlignOptions AlignmentChoice::optionsFor(const std::vector<int>& keys) const
{
    AlignOptions out = options;
    for (size_t i = 0; i < keys.size(); ++i) {
        const auto clock = kept.find(keys[i]);
        if (clock != kept.end())
            out.kept.push_back({ReportId(i), clock->second.map, clock->second.utcAtZero_ns});
        const auto shift = shifts.find(keys[i]);
        if (shift != shifts.end()) out.manual.push_back({ReportId(i), shift->second});
    }
    return out;
}

AlignmentChoice AlignmentChoice::of(const AlignOptions& options, const std::set<size_t>& locked,
                                    const std::vector<int>& keys)
{
    AlignmentChoice out;
    out.options = options;
    out.options.manual.clear();
    out.options.kept.clear();
    for (const ManualShift& shift : options.manual) {
        if (shift.report.value < keys.size() && shift.shift_ns != 0)
            out.shifts[keys[shift.report.value]] = shift.shift_ns;
    }
    for (const KeptClock& clock : options.kept) {
        if (clock.report.value < keys.size())
            out.kept[keys[clock.report.value]] = {{}, clock.map, clock.utcAtZero_ns};
    }
    for (const size_t position : locked) {
        if (position < keys.size() && out.kept.contains(keys[position])) out.locked.insert(keys[position]);
    }
    return out;
}

std::set<size_t> AlignmentChoice::lockedAmong(const std::vector<int>& keys) const
{
    std::set<size_t> out;
    for (size_t i = 0; i < keys.size(); ++i) {
        if (locked.contains(keys[i])) out.insert(i);
    }
    return out;
}

void AlignmentChoice::forget(int key)
{
    shifts.erase(key);
    kept.erase(key);
    locked.erase(key);
}

} // namespace lockstep
