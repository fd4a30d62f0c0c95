// SPDX-License-Identifier: Apache-2.0
#include "core/align/collective_source.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "core/align/step_markers.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

struct RangeName {
    std::string_view range;
    std::string_view operation;
};

constexpr std::array kRangeNames{
    RangeName{"nccl:all_to_all", "all_to_all"},  RangeName{"c10d::alltoall_base_", "all_to_all"},
    RangeName{"c10d::alltoall_", "all_to_all"},  RangeName{"nccl:gather", "gather"},
    RangeName{"c10d::gather_", "gather"},        RangeName{"nccl:scatter", "scatter"},
    RangeName{"c10d::scatter_", "scatter"},      RangeName{"nccl:all_gather", "all_gather"},
    RangeName{"c10d::allgather_", "all_gather"},
};

constexpr std::array kKinds{TrackKind::ops, TrackKind::nvtx};

} // namespace

std::string_view groupOperationOf(std::string_view range)
{
    for (const RangeName& known : kRangeNames) {
        if (range == known.range) return known.operation;
    }
    return {};
}

LaunchOperation::LaunchOperation(const Report& report) : m_report(report), m_ranges(report, kKinds) {}

SliceId LaunchOperation::rangeOf(SliceId kernel)
{
    const Link* const launch = m_report.links.to(kernel);
    if (launch == nullptr) return {};
    const ThreadId thread = m_report.track(m_report.trackOf(launch->cause)).key.thread;
    if (!thread.isValid()) return {};
    for (const SliceId range : m_ranges.at(thread, m_report.slices.start(launch->cause).ns)) {
        const StringId name = m_report.slices.name[range.value];
        const auto [isNamed, isNew] = m_isNamed.try_emplace(name);
        if (isNew) isNamed->second = !groupOperationOf(m_report.strings.at(name)).empty();
        if (isNamed->second) return range;
    }
    return {};
}

namespace {

constexpr Duration kShortest{2'000}; // shorter kernels give little information about their peers

uint64_t hashText(std::string_view text, uint64_t hash = 0xCBF29CE484222325ull)
{
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
    return hash;
}

uint32_t folded(uint64_t hash)
{
    hash ^= hash >> 33;
    hash *= 0xFF51AFD7ED558CCDull;
    return static_cast<uint32_t>(hash ^ (hash >> 32));
}

std::string_view nameWithoutArguments(std::string_view kernel)
{
    return kernel.substr(0, kernel.find_first_of("(<"));
}

// Returns the text of a part if it was recorded. Guessed parts are left out, because they differ between
// captures of one job and would split them.
std::string recordedText(const Sourced<std::string>& part)
{
    return part.confidence >= Confidence::stated ? *part.value : std::string();
}

class CollectiveSource {
  public:
    CollectiveSource(const Report& report, ReportKey id, const ReportIdentity& identity, CollectiveView view)
        : m_report(report), m_id(id), m_identity(identity), m_view(view)
    {
    }

    std::vector<CollectiveRank> run()
    {
        const bool hasAny = !m_report.collectives.empty() ||
                            std::ranges::find(m_report.slices.category, SliceCategory::communication) !=
                                m_report.slices.category.end();
        if (!hasAny) return {}; // there are no collectives for which steps matter
        m_steps = findSteps(m_report);
        m_isTaken.assign(m_report.slices.size(), false);
        if (m_view == CollectiveView::stated) {
            for (const CollectiveOp& op : m_report.collectives)
                addRecorded(op);
        }
        for (const Track& track : m_report.tracks) {
            if (track.key.kind == TrackKind::gpuStream) addUnnamed(track);
        }
        for (CollectiveRank& rank : m_ranks) {
            if (const auto lost = m_withoutKernel.find(rank.process); lost != m_withoutKernel.end())
                rank.missingKernels = lost->second;
            std::ranges::sort(rank.collectives, [](const Collective& a, const Collective& b) {
                return std::tuple(a.group, a.start, a.slice) < std::tuple(b.group, b.start, b.slice);
            });
        }
        return std::move(m_ranks);
    }

  private:
    // Returns the process of a rank in this report; invalid if the whole report is one rank.
    ProcessId ownerOf(ProcessId process) const
    {
        return m_identity.whole.rank.isKnown() ? ProcessId() : process;
    }
    CollectiveRank& rankOf(ProcessId process);
    uint32_t groupOf(CollectiveRank& rank, const CollectiveOp& op);
    SliceId kernelOf(SliceId slice) const;
    void addRecorded(const CollectiveOp& op);
    void addUnnamed(const Track& track);
    void takeOperationOfLaunch(Collective& collective);
    uint32_t opOf(SliceId kernel) const;
    Collective timestampsOf(SliceId kernel) const;
    uint32_t fenceAt(SliceId kernel) const;

    using GroupKey = std::tuple<size_t, StringId, StringId, bool>;

    const Report& m_report;
    const ReportKey m_id;
    const ReportIdentity& m_identity;
    const CollectiveView m_view;
    std::vector<StepMark> m_steps;
    std::vector<CollectiveRank> m_ranks;
    std::map<ProcessId, size_t> m_rankOfProcess;
    std::map<ProcessId, uint64_t> m_withoutKernel;
    std::map<GroupKey, uint32_t> m_groups;
    std::map<std::pair<StringId, StringId>, std::pair<uint64_t, Dependency>>
        m_words;                               // hash and dependency, by name
    std::optional<LaunchOperation> m_launches; // created on first use
    std::vector<bool> m_isTaken;
};

CollectiveRank& CollectiveSource::rankOf(ProcessId process)
{
    process = ownerOf(process);
    const auto [found, isNew] = m_rankOfProcess.try_emplace(process, m_ranks.size());
    if (!isNew) return m_ranks[found->second];
    CollectiveRank rank;
    rank.report = m_id;
    rank.process = process;
    const Identity& own = process.isValid() ? m_identity.processes[process.value] : m_identity.whole;
    rank.rank = own.rank.value.value_or(-1);
    rank.run = recordedText(own.run);
    rank.role = recordedText(own.role);
    // The world consists of the known properties of the job; separateWorlds() refines it if necessary.
    rank.world =
        rank.run + "|" + rank.role + "|" + (own.worldSize.value ? std::to_string(*own.worldSize.value) : "");
    if (own.worldSize.value.value_or(-1) > 0) rank.worldSize = static_cast<uint32_t>(*own.worldSize.value);
    m_ranks.push_back(std::move(rank));
    return m_ranks.back();
}

uint32_t CollectiveSource::groupOf(CollectiveRank& rank, const CollectiveOp& op)
{
    const auto rankIndex = static_cast<size_t>(&rank - m_ranks.data());
    const auto [found, isNew] =
        m_groups.try_emplace(GroupKey(rankIndex, op.group, op.groupRanks, op.isPointToPoint),
                             static_cast<uint32_t>(rank.groups.size()));
    if (isNew) {
        CollectiveGroup group;
        group.name = m_report.strings.at(op.group);
        group.ranksText = m_report.strings.at(op.groupRanks);
        group.ranks = parseRanks(group.ranksText);
        group.size = op.groupSize;
        group.ownRank = op.rankInGroup;
        // If the list is shorter than the group, the list was cut without an ellipsis.
        if (group.size != CollectiveOp::kAbsent && group.ranks.size() != group.size) group.ranks.clear();
        group.rankStart = op.rankStart;
        group.rankStride = op.rankStride;
        group.isPointToPoint = op.isPointToPoint;
        rank.groups.push_back(std::move(group));
    }
    return found->second;
}

SliceId CollectiveSource::kernelOf(SliceId slice) const
{
    const bool isKernel = isGpuWork(m_report.slices.kind[slice.value]) ||
                          m_report.slices.category[slice.value] == SliceCategory::communication;
    if (isKernel) return slice; // formats that do not distinguish kernel kinds record the category
    const TimeRange range = m_report.slices.range(slice);
    const TrackKey& caller = m_report.track(m_report.trackOf(slice)).key;
    for (const Track& track : m_report.tracks) {
        if (track.key.kind != TrackKind::cudaApi || track.key.thread != caller.thread) continue;
        const auto starts = m_report.slices.start_ns.begin() + track.firstSlice.value;
        auto at = std::lower_bound(starts, starts + track.sliceCount, range.begin.ns);
        for (; at != starts + track.sliceCount && *at < range.end.ns; ++at) {
            const SliceId call(static_cast<size_t>(at - m_report.slices.start_ns.begin()));
            for (const Link& link : m_report.links.from(call)) {
                if (m_report.slices.category[link.effect.value] == SliceCategory::communication &&
                    !m_isTaken[link.effect.value]) {
                    return link.effect;
                }
            }
        }
    }
    return {};
}

uint32_t CollectiveSource::fenceAt(SliceId kernel) const
{
    if (m_steps.empty()) return 0;
    TraceTime at = m_report.slices.start(kernel);
    if (!m_steps.front().isOnGpu) {
        const Link* launch = m_report.links.to(kernel);
        if (launch != nullptr) at = m_report.slices.start(launch->cause);
    }
    const auto after =
        std::ranges::upper_bound(m_steps, at, {}, [](const StepMark& m) { return m.range.begin; });
    if (after == m_steps.begin() || !std::prev(after)->range.contains(at)) return 0;
    return static_cast<uint32_t>(std::prev(after)->number) + 1;
}

Collective CollectiveSource::timestampsOf(SliceId kernel) const
{
    Collective collective;
    collective.start = m_report.slices.start(kernel);
    collective.end = m_report.slices.end(kernel);
    collective.slice = kernel;
    collective.fence = fenceAt(kernel);
    const bool atEdge = !m_report.session.isEmpty() && (collective.start <= m_report.session.begin ||
                                                        collective.end >= m_report.session.end);
    constexpr uint8_t kRepairedFlags = sliceFlag::kOpenEnd | sliceFlag::kRepaired | sliceFlag::kInstant;
    collective.isUsable = !atEdge && collective.end - collective.start >= kShortest &&
                          (m_report.slices.flags[kernel.value] & kRepairedFlags) == 0;
    return collective;
}

void CollectiveSource::addRecorded(const CollectiveOp& op)
{
    const SliceId kernel = kernelOf(op.slice);
    if (!kernel.isValid()) {
        ++m_withoutKernel[ownerOf(m_report.track(m_report.trackOf(op.slice)).key.process)];
        return;
    }
    if (m_isTaken[kernel.value]) return; // the GPU kernel itself has the same information
    // without a group, the GPU kernel is matched by pattern
    if (m_report.strings.at(op.group).empty()) return;
    m_isTaken[kernel.value] = true;
    CollectiveRank& rank = rankOf(m_report.track(m_report.trackOf(kernel)).key.process);
    Collective collective = timestampsOf(kernel);
    collective.group = groupOf(rank, op);
    collective.op = static_cast<uint32_t>(&op - m_report.collectives.data());
    // Both values identify an operation of the group on all of its ranks. Unlike "Seq", a "Comms Id" is not
    // consecutive, but that is not needed here.
    collective.sequence = op.sequence != CollectiveOp::kAbsentCount ? op.sequence : op.commsId;
    collective.peer = op.peer;
    const auto [word, isNew] = m_words.try_emplace({op.collective, op.dataType});
    if (isNew) {
        const std::string_view stated = m_report.strings.at(op.collective);
        const std::string name =
            lowerAscii(stated.empty() ? nameWithoutArguments(m_report.shortNameOf(kernel)) : stated);
        word->second = {hashText(m_report.strings.at(op.dataType), hashText(name)), dependencyOf(name)};
    }
    collective.dependency = word->second.second;
    // If one GPU kernel contains several sends and receives ("coalesced"), the kernel determines the kind of
    // operation.
    if (collective.dependency == Dependency::none &&
        lowerAscii(m_report.strings.at(op.collective)).find("all") == std::string::npos) {
        const Dependency ofKernel = dependencyOf(nameWithoutArguments(m_report.shortNameOf(kernel)));
        if (ofKernel == Dependency::exchange) collective.dependency = ofKernel;
    }
    uint64_t hash = word->second.first;
    // Rooted and uneven operations transfer different amounts on every rank. A send and its receive have
    // different names, and the size recorded for the receive may be the sent or the received amount.
    if (op.isPointToPoint) {
        const auto known = [](uint64_t count) { return count == CollectiveOp::kAbsentCount ? 0 : count; };
        const uint64_t elements = std::max(known(op.inElements), known(op.outElements));
        hash = elements > 0 ? elements : known(op.message_bytes);
        if (collective.dependency == Dependency::none) collective.dependency = Dependency::exchange;
    }
    if (collective.dependency == Dependency::all) {
        for (const uint64_t part : {op.inElements, op.outElements, op.message_bytes}) {
            hash = (hash ^ part) * 0x9E3779B97F4A7C15ull;
            hash ^= hash >> 31;
        }
    }
    collective.signature = folded(hash);
    rank.collectives.push_back(collective);
}

uint32_t CollectiveSource::opOf(SliceId kernel) const
{
    const auto& ops = m_report.collectives;
    const auto found = std::ranges::lower_bound(ops, kernel, {}, &CollectiveOp::slice);
    if (found == ops.end() || found->slice != kernel) return CollectiveOp::kAbsent;
    return static_cast<uint32_t>(found - ops.begin());
}

void CollectiveSource::takeOperationOfLaunch(Collective& collective)
{
    if (!m_launches) m_launches.emplace(m_report);
    collective.range = m_launches->rangeOf(collective.slice);
    if (!collective.range.isValid()) return;
    const std::string_view operation =
        groupOperationOf(m_report.strings.at(m_report.slices.name[collective.range.value]));
    collective.signature = folded(hashText(operation));
    collective.dependency = dependencyOf(operation);
}

void CollectiveSource::addUnnamed(const Track& track)
{
    CollectiveRank* rank = nullptr;
    uint32_t group = 0;
    std::map<StringId, std::pair<uint32_t, Dependency>> byName;
    for (uint32_t i = 0; i < track.sliceCount; ++i) {
        const SliceId kernel(track.firstSlice.value + i);
        if (m_report.slices.category[kernel.value] != SliceCategory::communication ||
            m_report.slices.kind[kernel.value] != RowKind::kernel || m_isTaken[kernel.value]) {
            continue;
        }
        if (rank == nullptr) {
            rank = &rankOf(track.key.process);
            group = static_cast<uint32_t>(rank->groups.size());
            CollectiveGroup unnamed;
            unnamed.track = TrackId(static_cast<size_t>(&track - m_report.tracks.data()));
            unnamed.lane = track.key.lane;
            rank->groups.push_back(std::move(unnamed));
        }
        const auto [name, isNew] = byName.try_emplace(m_report.slices.name[kernel.value]);
        if (isNew) {
            const std::string_view base = nameWithoutArguments(m_report.shortNameOf(kernel));
            name->second = {folded(hashText(base)), dependencyOf(base)};
        }
        Collective collective = timestampsOf(kernel);
        collective.group = group;
        collective.op = opOf(kernel);
        collective.signature = name->second.first;
        collective.dependency = name->second.second;
        if (collective.dependency == Dependency::exchange && m_view == CollectiveView::stated)
            takeOperationOfLaunch(collective);
        rank->collectives.push_back(collective);
    }
}

} // namespace

std::vector<CollectiveRank> collectivesOf(const Report& report, ReportKey id)
{
    return CollectiveSource(report, id, identityOf(report, {}, {}), CollectiveView::stated).run();
}

std::vector<CollectiveRank> collectivesOf(const Workspace& workspace, ReportKey id, CollectiveView view)
{
    return CollectiveSource(workspace.report(id), id, workspace.reportIdentity(id), view).run();
}

} // namespace lockstep
