// SPDX-License-Identifier: Apache-2.0
#include "core/search/related_slices.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "core/search/process_steps.h"

namespace lockstep {

namespace {

const CollectiveOp* recordedOpOf(const Report& report, SliceId slice)
{
    const auto at = std::ranges::lower_bound(report.collectives, slice, {}, &CollectiveOp::slice);
    return at != report.collectives.end() && at->slice == slice ? &*at : nullptr;
}

bool isSameOp(const Report& report, const CollectiveOp& op, const Report& other, const CollectiveOp& there)
{
    const auto isSame = [&](StringId a, StringId b) {
        return a.isValid() && b.isValid() && report.strings.at(a) == other.strings.at(b);
    };
    const bool haveRanks = op.groupRanks.isValid() && there.groupRanks.isValid();
    return op.sequence == there.sequence && op.isPointToPoint == there.isPointToPoint &&
           isSame(op.group, there.group) && isSame(op.collective, there.collective) &&
           (!haveRanks || isSame(op.groupRanks, there.groupRanks));
}

} // namespace

CollectivePeers collectiveParts(const Scene& scene, SliceRef of)
{
    CollectivePeers out = peersOf(scene.shown, scene.alignment, of);
    const Report& report = scene.shown.report(of.report);
    const CollectiveOp* const op = recordedOpOf(report, of.slice);
    const bool isStated = op != nullptr && op->group.isValid() && op->collective.isValid() &&
                          op->sequence != CollectiveOp::kAbsentCount;
    if (!out.parts.empty() || !isStated) return out;
    const Identity& own = scene.shown.identity(of.report);
    for (const ReportKey key : scene.shown.keys()) {
        const Report& other = scene.shown.report(key);
        const Identity& identity = scene.shown.identity(key);
        // Other jobs and other steps have their own numbering.
        if (identity.step.value != own.step.value || identity.role.value != own.role.value ||
            identity.run.value != own.run.value)
            continue;
        std::vector<SliceRef> same;
        for (const CollectiveOp& there : other.collectives) {
            if (isSameOp(report, *op, other, there)) same.push_back({key, there.slice});
        }
        if (same.size() == 1)
            out.parts.push_back(same.front()); // if there are several candidates, the part is unknown
    }
    return out;
}

namespace {

// A process in a report, and those of its slices that have a certain name and are on lanes of a certain kind.
struct Place {
    ReportKey report;
    ProcessId process;
    std::vector<TrackId> tracks;             // tracks of that kind, sorted by key
    std::vector<std::vector<SliceId>> lanes; // lanes that contain the name, each sorted by start
    std::vector<std::vector<int>> steps;     // index in marks for each slice, or -1 for none
    ProcessSteps marked;

    const std::vector<StepMark>& marks() const { return marked.marks(); }
    std::optional<int64_t> numberOf(const Scene& scene, int step) const
    {
        if (step >= 0) return marks()[static_cast<size_t>(step)].number;
        const auto& stated = scene.shown.identity(report, process).step.value;
        return marks().empty() && stated ? std::optional<int64_t>(*stated) : std::nullopt;
    }
    // Returns the n-th slice on a lane in the step, or in any step if step is -1.
    std::optional<SliceId> nth(size_t lane, int step, uint64_t n) const
    {
        for (size_t i = 0; i < lanes[lane].size(); ++i) {
            if ((step < 0 || steps[lane][i] == step) && n-- == 0) return lanes[lane][i];
        }
        return std::nullopt;
    }
    uint64_t countOf(size_t lane, int step) const
    {
        return lane >= lanes.size() ? 0
               : step < 0           ? lanes[lane].size()
                                    : static_cast<uint64_t>(std::ranges::count(steps[lane], step));
    }
};

// The position of the given slice among the slices with its name.
struct Occurrence {
    size_t lane = 0;
    int step = -1;
    uint64_t inStep = 0, inReport = 0;
};

class SameSearch {
  public:
    SameSearch(const Scene& scene, SliceRef of)
        : m_scene(scene), m_of(of), m_report(scene.shown.report(of.report)),
          m_key(m_report.track(m_report.trackOf(of.slice)).key), m_name(m_report.nameOf(of.slice))
    {
    }

    Result<SameSlices> run(const Progress& progress)
    {
        findPlaces();
        progress.workers().run(m_places.size(), [&](size_t i, size_t) {
            if (!progress.isCanceled()) fill(m_places[i]);
        });
        LOCKSTEP_TRY(progress.check());
        const Occurrence own = occurrenceOf(m_of, ownPlace());
        SameSlices out;
        out.of = m_of;
        out.nth = own.step >= 0 ? own.inStep : own.inReport;
        out.step = ownPlace().numberOf(m_scene, own.step);
        const std::vector<SliceRef> parts = collectiveParts(m_scene, m_of).parts;
        for (const Place& place : m_places)
            findIn(place, own, parts, out);
        std::ranges::sort(out.found, {}, &SameSlice::slice);
        const auto order = [](const SameMiss& miss) {
            return std::tuple(miss.report, miss.process, miss.step);
        };
        std::ranges::sort(out.missing, {}, order);
        return out;
    }

  private:
    bool isOfThisRun(ReportKey key, ProcessId process) const
    {
        const Identity& a = m_scene.shown.identity(m_of.report, m_key.process);
        const Identity& b = m_scene.shown.identity(key, process);
        return a.run.value == b.run.value && a.role.value == b.role.value;
    }

    void findPlaces()
    {
        for (const ReportKey key : m_scene.shown.keys()) {
            const Report& report = m_scene.shown.report(key);
            const size_t first = m_places.size();
            for (size_t i = 0; i < report.tracks.size(); ++i) {
                const Track& track = report.tracks[i];
                if (track.key.kind != m_key.kind || track.sliceCount == 0) continue;
                if (!isOfThisRun(key, track.key.process)) continue;
                auto place = std::find_if(m_places.begin() + static_cast<ptrdiff_t>(first), m_places.end(),
                                          [&](const Place& p) { return p.process == track.key.process; });
                if (place == m_places.end())
                    place = m_places.insert(place, {key, track.key.process, {}, {}, {}, {}});
                place->tracks.push_back(TrackId(i));
            }
        }
    }

    const Place& ownPlace() const
    {
        return *std::ranges::find_if(m_places, [&](const Place& place) {
            return place.report == m_of.report && place.process == m_key.process;
        });
    }

    void fill(Place& place) const
    {
        const Report& report = m_scene.shown.report(place.report);
        place.marked = ProcessSteps(report, place.process);
        const StringId name = report.strings.find(m_name);
        if (!name.isValid()) return;
        std::ranges::sort(place.tracks, {}, [&](TrackId id) {
            const TrackKey& key = report.track(id).key;
            return std::tuple(key.device, key.lane, key.context, key.thread, id);
        });
        for (const TrackId id : place.tracks) {
            const Track& track = report.track(id);
            std::vector<SliceId> slices;
            for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount;
                 ++row) {
                if (report.slices.name[row] == name) slices.push_back(SliceId(row));
            }
            if (slices.empty()) continue;
            std::vector<int> of;
            for (const SliceId slice : slices)
                of.push_back(place.marks().empty() ? -1 : place.marked.at(stepReferenceTime(report, slice)));
            place.lanes.push_back(std::move(slices));
            place.steps.push_back(std::move(of));
        }
    }

    Occurrence occurrenceOf(SliceRef slice, const Place& place) const
    {
        Occurrence out;
        for (; out.lane < place.lanes.size(); ++out.lane) {
            const std::vector<SliceId>& lane = place.lanes[out.lane];
            const auto at = std::ranges::lower_bound(lane, slice.slice);
            if (at == lane.end() || *at != slice.slice) continue;
            out.inReport = static_cast<uint64_t>(at - lane.begin());
            out.step = place.steps[out.lane][out.inReport];
            out.inStep = static_cast<uint64_t>(std::count(place.steps[out.lane].begin(),
                                                          place.steps[out.lane].begin() + (at - lane.begin()),
                                                          out.step));
            break;
        }
        return out;
    }

    void findIn(const Place& place, const Occurrence& own, const std::vector<SliceRef>& parts,
                SameSlices& out) const
    {
        const Report& report = m_scene.shown.report(place.report);
        const bool isOwn = place.report == m_of.report && place.process == m_key.process;
        const bool isBySteps = own.step >= 0 && !place.marks().empty();
        // the last entry is for slices outside steps
        std::vector<bool> isFound(place.marks().size() + 1, false);
        const auto placeOf = [&](int step) {
            return isBySteps && step >= 0 ? static_cast<size_t>(step) : place.marks().size();
        };
        if (isOwn) isFound[placeOf(own.step)] = true;
        for (const SliceRef& part : parts) {
            if (part.report != place.report || part == m_of) continue;
            if (report.track(report.trackOf(part.slice)).key.process != place.process) continue;
            const int step =
                place.marks().empty() ? -1 : place.marked.at(stepReferenceTime(report, part.slice));
            if (isFound[placeOf(step)]) continue;
            isFound[placeOf(step)] = true;
            out.found.push_back({part, SameRule::collective, place.numberOf(m_scene, step)});
        }
        if (place.lanes.empty()) { // reported once, not per step
            if (std::ranges::find(isFound, true) == isFound.end())
                out.missing.push_back({place.report, place.process, {}, 0, false});
            return;
        }
        const int count = isBySteps ? static_cast<int>(place.marks().size()) : 0;
        for (int step = isBySteps ? 0 : -1; step < count; ++step) {
            if (!isFound[placeOf(step)]) findOnLane(place, step, own, out);
        }
    }

    void findOnLane(const Place& place, int step, const Occurrence& own, SameSlices& out) const
    {
        const bool hasLane = own.lane < place.lanes.size();
        const auto slice =
            hasLane ? place.nth(own.lane, step, step < 0 ? own.inReport : own.inStep) : std::nullopt;
        const std::optional<int64_t> number = place.numberOf(m_scene, step);
        if (slice) {
            const SameRule rule = step < 0 ? SameRule::inReport : SameRule::inStep;
            out.found.push_back({{place.report, *slice}, rule, number});
        } else {
            out.missing.push_back(
                {place.report, place.process, number, place.countOf(own.lane, step), !hasLane});
        }
    }

    const Scene& m_scene;
    SliceRef m_of;
    const Report& m_report;
    const TrackKey m_key;
    std::string_view m_name;
    std::vector<Place> m_places;
};

std::string ordinal(uint64_t n)
{
    const uint64_t tens = n % 100 / 10, ones = n % 10;
    const char* const ending = tens == 1 || ones == 0 || ones > 3 ? "th"
                               : ones == 1                        ? "st"
                               : ones == 2                        ? "nd"
                                                                  : "rd";
    return groupedText(static_cast<int64_t>(n)) + ending;
}

std::string missText(const Scene& scene, const SameMiss& miss)
{
    const Identity& identity = scene.shown.identity(miss.report, miss.process);
    std::string out = identity.rank.value
                          ? "rank " + std::to_string(*identity.rank.value)
                          : scene.shown.report(miss.report).provenance.path.filename().string();
    if (miss.step) out += " step " + std::to_string(*miss.step);
    if (miss.hasNoLane) return out + " (fewer lanes with this name)";
    return out + (miss.there == 0
                      ? " (none with this name)"
                      : " (" + groupedText(static_cast<int64_t>(miss.there)) + " with this name)");
}

} // namespace

uint64_t SameSlices::countBy(SameRule rule) const
{
    return static_cast<uint64_t>(std::ranges::count(found, rule, &SameSlice::rule));
}

Result<SameSlices> sameSlices(const Scene& scene, SliceRef of, const Progress& progress)
{
    return SameSearch(scene, of).run(progress);
}

std::string sameSlicesText(const Scene& scene, const SameSlices& same)
{
    std::string out;
    const auto add = [&](SameRule rule, const std::string& how) {
        const uint64_t count = same.countBy(rule);
        if (count == 0) return;
        out += (out.empty() ? "" : ", ") + groupedText(static_cast<int64_t>(count)) + how;
    };
    const std::string nth = " as the " + ordinal(same.nth + 1) + " with this name in the ";
    add(SameRule::collective, " by collective");
    add(SameRule::inStep, nth + "step");
    add(SameRule::inReport, nth + "report");
    if (out.empty()) out = "no matching slices";
    if (same.missing.empty()) return out;
    constexpr size_t kNamed = 2;
    out += "; not on ";
    for (size_t i = 0; i < std::min(kNamed, same.missing.size()); ++i)
        out += (i > 0 ? ", " : "") + missText(scene, same.missing[i]);
    if (same.missing.size() > kNamed)
        out += " and in " + groupedText(static_cast<int64_t>(same.missing.size() - kNamed)) + " more places";
    return out;
}

namespace {

class ChainWalk {
  public:
    ChainWalk(const Scene& scene, SliceRef of) : m_scene(scene), m_report(scene.shown.report(of.report))
    {
        m_chain.of = of;
        m_slices.insert(of);
    }

    SliceChain run()
    {
        walk(true);
        walk(false);
        addLine();
        addPeers();
        m_chain.slices = sliceListOf({m_slices.begin(), m_slices.end()});
        return std::move(m_chain);
    }

  private:
    bool add(SliceRef slice)
    {
        if (m_slices.size() >= kMaxChain && !m_slices.contains(slice)) {
            m_chain.isCut = true;
            return false;
        }
        return m_slices.insert(slice).second;
    }

    // Follows causes of causes, or effects of effects. Other effects of a cause are not part of the chain.
    void walk(bool isUp)
    {
        std::vector<SliceId> pending{m_chain.of.slice};
        const auto reach = [&](SliceId slice) {
            if (add({m_chain.of.report, slice})) pending.push_back(slice);
        };
        while (!pending.empty()) {
            const SliceId at = pending.back();
            pending.pop_back();
            if (isUp) {
                for (size_t n = 0; const Link* const link = m_report.links.to(at, n); ++n)
                    reach(link->cause);
            } else {
                for (const Link& link : m_report.links.from(at))
                    reach(link.effect);
            }
        }
    }

    void addLine()
    {
        std::vector<SliceRef>& line = m_chain.line;
        const auto isNew = [&](SliceRef next) {
            return next.isValid() && m_slices.contains(next) && std::ranges::find(line, next) == line.end();
        };
        line.push_back(m_chain.of);
        for (SliceRef next = firstCause(m_scene.shown, line.back()); isNew(next);
             next = firstCause(m_scene.shown, next))
            line.push_back(next);
        std::ranges::reverse(line);
        for (SliceRef next = firstEffect(m_scene.shown, line.back()); isNew(next);
             next = firstEffect(m_scene.shown, next))
            line.push_back(next);
    }

    void addPeers()
    {
        // Each collective in a chain requires a search through all collectives.
        constexpr size_t kMaxCollectives = 64;
        std::vector<SliceRef> searched;
        for (const SliceRef& slice : m_slices) {
            const Report& report = m_scene.shown.report(slice.report);
            if (report.slices.category[slice.slice.value] == SliceCategory::communication)
                searched.push_back(slice);
        }
        if (searched.size() > kMaxCollectives) {
            searched.resize(kMaxCollectives);
            m_chain.isCut = true;
        }
        std::set<ReportKey> ranks;
        for (const SliceRef& slice : searched) {
            const CollectivePeers peers = collectiveParts(m_scene, slice);
            for (const SliceRef& part : peers.parts) {
                add(part);
                ranks.insert(part.report);
            }
            if (peers.cause.isValid()) m_chain.cause = peers.cause;
        }
        m_chain.ranks = ranks.size();
    }

    const Scene& m_scene;
    const Report& m_report;
    SliceChain m_chain;
    std::set<SliceRef> m_slices;
};

} // namespace

SliceChain chainOf(const Scene& scene, SliceRef of)
{
    return ChainWalk(scene, of).run();
}

std::string chainText(const Scene& scene, const SliceChain& chain)
{
    constexpr size_t kMaxNamed = 4, kMaxLetters = 40;
    std::string out;
    for (size_t i = 0; i < std::min(kMaxNamed, chain.line.size()); ++i) {
        const SliceRef& slice = chain.line[i];
        std::string name(scene.shown.report(slice.report).shortNameOf(slice.slice));
        if (name.size() > kMaxLetters) {
            size_t at = kMaxLetters;
            while (at > 0 && (static_cast<unsigned char>(name[at]) & 0xC0) == 0x80)
                --at;
            name = name.substr(0, at) + "\u2026";
        }
        out += (out.empty() ? "" : " \u2192 ") + name;
    }
    if (chain.line.size() > kMaxNamed)
        out += " \u2192 " + std::to_string(chain.line.size() - kMaxNamed) + " more";
    if (chain.ranks > 1) {
        out += " \u2192 collective on " + groupedText(static_cast<int64_t>(chain.ranks)) + " ranks";
        if (chain.cause.isValid()) {
            const Report& report = scene.shown.report(chain.cause.report);
            const ProcessId process = report.track(report.trackOf(chain.cause.slice)).key.process;
            const auto& rank = scene.shown.identity(chain.cause.report, process).rank.value;
            if (rank) out += ", rank " + std::to_string(*rank) + " arrived last";
        }
    }
    if (chain.isCut) out += " (first " + groupedText(static_cast<int64_t>(chain.slices->size())) + " slices)";
    return out;
}

namespace {

SliceRef stepOnTrack(const Scene& scene, SliceRef ref, bool forwards)
{
    const Report& report = scene.shown.report(ref.report);
    const TrackId track = report.trackOf(ref.slice);
    const LodRow row =
        scene.lods[ref.report]->slices().row(report, track, report.slices.depth[ref.slice.value]);
    // Several instants may have the same start, so continue scanning until the slice itself is found.
    uint32_t at = row.firstStartingAt(report.slices.start_ns[ref.slice.value]);
    while (at < row.count() && row.sliceAt(at) < ref.slice)
        ++at;
    if (forwards) {
        if (at < row.count() && row.sliceAt(at) == ref.slice) ++at;
        return at < row.count() ? SliceRef{ref.report, row.sliceAt(at)} : SliceRef();
    }
    return at > 0 ? SliceRef{ref.report, row.sliceAt(at - 1)} : SliceRef();
}

// Returns the first or last slice of the nearest capture after (or before) the slice's own on its row. The
// sources on one row are sorted by time.
SliceRef stepOverCaptures(const Scene& scene, SliceRef ref, bool forwards)
{
    const Report& report = scene.shown.report(ref.report);
    const TrackId track = report.trackOf(ref.slice);
    const uint16_t depth = report.slices.depth[ref.slice.value];
    const uint32_t lane = scene.tree->laneOf({ref.report, track});
    if (lane == kNoLane) return {};
    const std::vector<RowSource>& sources = scene.tree->lane(lane).sources;
    const auto own = std::ranges::find_if(sources, [&](const RowSource& source) {
        return source.report == ref.report && source.track == track;
    });
    const std::ptrdiff_t way = forwards ? 1 : -1;
    for (std::ptrdiff_t i = own - sources.begin() + way; i >= 0 && i < std::ssize(sources); i += way) {
        const RowSource& source = sources[static_cast<size_t>(i)];
        if (source.row != own->row) break;
        const Report& other = scene.shown.report(source.report);
        if (depth >= other.track(source.track).depthCount) continue;
        const LodRow row = scene.lods[source.report]->slices().row(other, source.track, depth);
        if (row.count() > 0) return {source.report, row.sliceAt(forwards ? 0 : row.count() - 1)};
    }
    return {};
}

SliceRef step(const Scene& scene, SliceRef slice, bool forwards)
{
    const SliceRef next = stepOnTrack(scene, slice, forwards);
    return next.isValid() ? next : stepOverCaptures(scene, slice, forwards);
}

} // namespace

SliceRef sliceAfter(const Scene& scene, SliceRef slice)
{
    return step(scene, slice, true);
}

SliceRef sliceBefore(const Scene& scene, SliceRef slice)
{
    return step(scene, slice, false);
}

SliceRef firstEffect(const Workspace& workspace, SliceRef slice)
{
    const auto links = workspace.report(slice.report).links.from(slice.slice);
    return links.empty() ? SliceRef() : SliceRef{slice.report, links.front().effect};
}

SliceRef firstCause(const Workspace& workspace, SliceRef slice)
{
    const Link* const link = workspace.report(slice.report).links.to(slice.slice);
    return link == nullptr ? SliceRef() : SliceRef{slice.report, link->cause};
}

} // namespace lockstep
