// SPDX-License-Identifier: Apache-2.0
#include "core/search/hidden_names.h"

namespace lockstep {

std::shared_ptr<const HiddenNames> HiddenNames::make(const Scene& scene, const std::set<std::string>& names)
{
    if (names.empty()) return nullptr;
    auto out = std::make_shared<HiddenNames>();
    out->m_parts = ByReport<std::shared_ptr<const Part>>(scene.shown.slotCount());
    bool hasAny = false;
    for (const ReportKey key : scene.shown.keys()) {
        const Report& report = scene.shown.report(key);
        std::vector<StringId> ids;
        for (const std::string& name : names) {
            if (const StringId id = report.strings.find(name); id.isValid()) ids.push_back(id);
        }
        if (ids.empty()) continue;
        auto part = std::make_shared<Part>();
        part->names.assign(report.strings.size(), 0);
        for (const StringId id : ids)
            part->names[id.value] = 1;
        const std::vector<bool> blocks =
            scene.lods[key]->names().blocksWith(NameSet(ids, report.strings.size()));
        for (const Track& track : report.tracks) {
            const size_t first = track.firstSlice.value, end = first + track.sliceCount;
            bool mayHave = false;
            for (size_t block = first / NameIndex::kBlock;
                 !mayHave && block < blocks.size() && block * NameIndex::kBlock < end; ++block)
                mayHave = blocks[block];
            part->tracks.push_back(mayHave);
        }
        out->m_parts[key] = std::move(part);
        hasAny = true;
    }
    return hasAny ? out : nullptr;
}

const std::vector<uint8_t>* HiddenNames::on(ReportKey report, TrackId track) const
{
    if (!m_parts.has(report) || m_parts[report] == nullptr) return nullptr;
    const Part& part = *m_parts[report];
    return part.tracks[track.value] ? &part.names : nullptr;
}

const std::vector<uint8_t>* HiddenNames::in(ReportKey report) const
{
    return m_parts.has(report) && m_parts[report] != nullptr ? &m_parts[report]->names : nullptr;
}

bool HiddenNames::has(const Scene& scene, SliceRef slice) const
{
    const Report& report = scene.shown.report(slice.report);
    const auto* const names = on(slice.report, report.trackOf(slice.slice));
    return names != nullptr && (*names)[report.slices.name[slice.slice.value].value] != 0;
}

} // namespace lockstep
