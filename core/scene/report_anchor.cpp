// SPDX-License-Identifier: Apache-2.0
#include "core/scene/report_anchor.h"

#include <filesystem>
#include <set>

#include "core/base/sha256.h"

namespace lockstep {

namespace {

constexpr size_t kHashedTimestamps = 256;
constexpr size_t kFingerprintDigits = 16;

std::string fingerprintOf(const Report& report)
{
    std::string text;
    const auto add = [&text](int64_t number) { text += std::to_string(number) + ' '; };
    add(report.clock.utcAtZero_ns.value_or(0));
    for (const TimeRange& range : {report.session, report.extent}) {
        add(range.begin.ns);
        add(range.end.ns);
    }
    add(static_cast<int64_t>(report.chunk.value_or(0)));
    const size_t count = std::min(kHashedTimestamps, report.slices.size());
    for (size_t i = 0; i < count; ++i) {
        add(report.slices.start_ns[i]);
        add(report.slices.duration_ns[i]);
    }
    return Sha256::of(text).substr(0, kFingerprintDigits);
}

// Returns a key for the process, or "" if too little is known to distinguish processes.
std::string ownerOf(const ReportAnchor& anchor)
{
    if (anchor.host.empty() || !anchor.pid) return {};
    return anchor.host + ' ' + std::to_string(*anchor.pid);
}

template<class Key>
void note(std::map<Key, ReportKey>& index, const Key& key, ReportKey report)
{
    const auto [at, isNew] = index.try_emplace(key, report);
    if (!isNew) at->second = {};
}

} // namespace

ReportAnchor anchorOf(const Report& report, const Identity& identity)
{
    ReportAnchor anchor;
    if (!report.chunk) anchor.fingerprint = fingerprintOf(report);
    anchor.name = report.provenance.path.filename().string();
    anchor.host = identity.host.value.value_or("");
    if (identity.rank.value) anchor.rank = *identity.rank.value;
    anchor.pid = identity.pid.value;
    return anchor;
}

std::string describe(const ReportAnchor& anchor)
{
    std::string place = anchor.rank ? "rank " + std::to_string(*anchor.rank) : std::string();
    if (!anchor.host.empty()) place += (place.empty() ? "" : ", ") + anchor.host;
    const std::string name = anchor.name.empty() ? "unnamed report" : anchor.name;
    return place.empty() ? name : name + " (" + place + ")";
}

ReportFinder::ReportFinder(const Workspace& open)
{
    std::set<std::filesystem::path> inChunks;
    for (const ReportKey key : open.keys()) {
        const Report& report = open.report(key);
        if (report.chunk && !inChunks.insert(report.provenance.path).second) continue;
        const ReportAnchor anchor = anchorOf(report, open.identity(key));
        if (!anchor.fingerprint.empty()) {
            note(m_fingerprintsAndNames, {anchor.fingerprint, anchor.name}, key);
            note(m_fingerprints, anchor.fingerprint, key);
        }
        note(m_names, anchor.name, key);
        if (!anchor.host.empty()) note(m_namesAndHosts, {anchor.name, anchor.host}, key);
        const std::string owner = ownerOf(anchor);
        if (owner.empty()) continue;
        note(m_owners, owner, key);
        note(m_namesAndOwners, {anchor.name, owner}, key);
    }
}

ReportFinder::Found ReportFinder::find(const ReportAnchor& anchor) const
{
    const auto in = [](const auto& index, const auto& key, AnchorMatch match) -> std::optional<Found> {
        const auto at = index.find(key);
        if (at == index.end()) return std::nullopt;
        return Found{at->second, at->second.isValid() ? match : AnchorMatch::ambiguous};
    };
    const auto both =
        in(m_fingerprintsAndNames, std::pair(anchor.fingerprint, anchor.name), AnchorMatch::exact);
    if (both) return *both;
    if (const auto found = in(m_fingerprints, anchor.fingerprint, AnchorMatch::exact)) return *found;
    const std::string owner = ownerOf(anchor);
    if (anchor.fingerprint.empty() && !owner.empty()) {
        const auto found = in(m_namesAndOwners, std::pair(anchor.name, owner), AnchorMatch::exact);
        if (found) return *found;
    }
    // The event logs of all hosts have the same name.
    const auto atHost = in(m_namesAndHosts, std::pair(anchor.name, anchor.host), AnchorMatch::name);
    if (atHost) return *atHost;
    if (const auto found = in(m_names, anchor.name, AnchorMatch::name)) return *found;
    if (owner.empty()) return {};
    return in(m_owners, owner, AnchorMatch::owner).value_or(Found{});
}

} // namespace lockstep
