// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/area_flame.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <unordered_map>

#include "core/analysis/nvtx_ranges.h"
#include "core/base/text.h"
#include "core/trace/enclosing_ranges.h"

namespace lockstep {

namespace {

constexpr uint32_t kFlameRowsAtOnce = 1 << 16;
constexpr uint16_t kMaxFlameDepth = 512; // deeper slices are counted in the frame at this depth
constexpr std::array kRangeTracks{TrackKind::nvtx, TrackKind::ops};
constexpr std::array kStackTracks{TrackKind::nvtx, TrackKind::ops, TrackKind::python, TrackKind::libraryApi,
                                  TrackKind::cudaApi};

// A tree that grows one name at a time.
template<class Name, class Hash = std::hash<Name>>
class GrowingFlame {
  public:
    struct Node {
        uint32_t parent = 0;
        uint16_t depth = 0;
        Name name{};
        int64_t self_ns = 0;
        uint64_t count = 0;
        SliceCategory category = SliceCategory::other;
    };

    uint32_t child(uint32_t parent, const Name& name, SliceCategory category)
    {
        if (nodes[parent].depth >= kMaxFlameDepth) return parent;
        const auto [at, isNew] =
            m_children.try_emplace(Key{parent, name}, static_cast<uint32_t>(nodes.size()));
        if (isNew) {
            const auto depth = static_cast<uint16_t>(nodes[parent].depth + 1);
            nodes.push_back({parent, depth, name, 0, 0, category});
        }
        return at->second;
    }

    std::deque<Node> nodes{Node{}};

  private:
    using Key = std::pair<uint32_t, Name>;
    struct KeyHash {
        size_t operator()(const Key& key) const
        {
            return (Hash()(key.second) ^ key.first * 0x9E37'79B9'7F4A'7C15u) * 0xFF51'AFD7'ED55'8CCDu >> 7;
        }
    };
    std::unordered_map<Key, uint32_t, KeyHash> m_children;
};

using TextFlame = GrowingFlame<std::string_view>; // names are owned by the scene

// Adds the slices of one run to the tree of one worker.
class FlameBuilder {
  public:
    FlameBuilder(const Scene& scene, const AreaRows& rows, bool isOfWork, FlameBy by)
        : m_scene(scene), m_rows(rows), m_isOfWork(isOfWork),
          m_kinds(by == FlameBy::ranges ? std::span<const TrackKind>(kRangeTracks) : kStackTracks)
    {
    }

    void add(const AreaRun& run, uint32_t first, uint32_t last)
    {
        const Report& report = m_scene.shown.report(run.report);
        if (m_report != &report) {
            m_report = &report;
            m_enclosing = std::make_unique<EnclosingRanges>(report, m_kinds);
            m_known.assign(kKnown, {});
            m_parent = {};
            m_stack.clear();
            m_stackNode = 0;
        }
        const IntervalSet& windows = m_rows.windowsOf(run);
        for (uint32_t at = first; at < last; ++at) {
            const SliceId slice(run.row(at));
            if (report.slices.start_ns[slice.value] < run.counted.ns) continue;
            const bool isWork = isGpuWork(report.slices.kind[slice.value]);
            if (m_isOfWork && !isWork) {
                ++excluded;
                continue;
            }
            const int64_t inside_ns = insideOf(windows, report.slices.range(slice));
            const uint32_t node = isWork ? nodeOfWork(slice) : nodeOfSlice(slice);
            tree.nodes[node].self_ns += inside_ns;
            ++tree.nodes[node].count;
            // A slice nested in another counted slice is not counted again here.
            const SliceId parent = report.slices.parent[slice.value];
            if (isWork || !parent.isValid() || !counts(run, parent)) continue;
            tree.nodes[nodeOfParent(parent)].self_ns -= inside_ns;
        }
    }

    TextFlame tree;
    uint64_t excluded = 0, unlaunched = 0;

  private:
    // Among individually selected slices, only parents that are also selected count.
    static bool counts(const AreaRun& run, SliceId parent)
    {
        if (run.window != kAllTime) return true; // the parent contains its child, so it is in the same window
        return std::binary_search(run.rows, run.rows + run.count, parent.value);
    }

    // Looks up children by name, because equal names have different StringIds in different reports. Within
    // one report, the StringId is sufficient. Results are cached, because a few names under a few nodes
    // recur.
    uint32_t childOf(uint32_t node, SliceId slice)
    {
        const uint64_t key = (uint64_t(node) << 32 | m_report->slices.name[slice.value].value) + 1;
        Known& known = m_known[(key * 0x9E37'79B9'7F4A'7C15u) >> (64 - kKnownBits)];
        if (known.key != key) {
            known.node = tree.child(node, m_report->nameOf(slice), m_report->slices.category[slice.value]);
            known.key = key;
        }
        return known.node;
    }

    uint32_t nodeOfSlice(SliceId slice)
    {
        const SliceId parent = m_report->slices.parent[slice.value];
        return childOf(parent.isValid() ? nodeOfParent(parent) : 0, slice);
    }

    // Neighboring slices usually have the same parent.
    uint32_t nodeOfParent(SliceId parent)
    {
        if (m_parent == parent) return m_parentNode;
        SliceId chain[kMaxFlameDepth];
        size_t depth = 0;
        for (SliceId at = parent; at.isValid() && depth < kMaxFlameDepth;
             at = m_report->slices.parent[at.value])
            chain[depth++] = at;
        uint32_t node = 0;
        while (depth > 0)
            node = childOf(node, chain[--depth]);
        m_parent = parent;
        m_parentNode = node;
        return node;
    }

    uint32_t nodeOfStack(std::span<const SliceId> stack)
    {
        if (std::ranges::equal(stack, m_stack)) return m_stackNode;
        uint32_t node = 0;
        for (size_t i = stack.size(); i > 0; --i)
            node = childOf(node, stack[i - 1]);
        m_stack.assign(stack.begin(), stack.end());
        m_stackNode = node;
        return node;
    }

    uint32_t nodeOfWork(SliceId work)
    {
        const SliceId call = launchOf(*m_report, work);
        uint32_t node = 0;
        if (call.isValid()) {
            const ThreadId thread = m_report->track(m_report->trackOf(call)).key.thread;
            node = nodeOfStack(m_enclosing->at(thread, m_report->slices.start_ns[call.value]));
        } else {
            ++unlaunched;
        }
        return childOf(node, work);
    }

    const Scene& m_scene;
    const AreaRows& m_rows;
    const bool m_isOfWork;
    const std::span<const TrackKind> m_kinds;
    const Report* m_report = nullptr;
    std::unique_ptr<EnclosingRanges> m_enclosing;
    // The latest results for m_report.
    struct Known {
        uint64_t key = 0; // node, and StringId of the name plus 1
        uint32_t node = 0;
    };
    static constexpr int kKnownBits = 16;
    static constexpr size_t kKnown = size_t(1) << kKnownBits;
    std::vector<Known> m_known;
    SliceId m_parent; // the stack's node is the next member
    uint32_t m_parentNode = 0;
    std::vector<SliceId> m_stack; // latest stack; the stack's node is the next member
    uint32_t m_stackNode = 0;
};

void addFlame(TextFlame& to, const TextFlame& from)
{
    std::vector<uint32_t> nodes(from.nodes.size(), 0);
    for (uint32_t i = 0; i < from.nodes.size(); ++i) {
        const TextFlame::Node& node = from.nodes[i];
        if (i > 0) nodes[i] = to.child(nodes[node.parent], node.name, node.category);
        to.nodes[nodes[i]].self_ns += node.self_ns;
        to.nodes[nodes[i]].count += node.count;
    }
}

TextFlame inverted(const TextFlame& flame)
{
    TextFlame out;
    for (const TextFlame::Node& node : flame.nodes) {
        const int64_t self_ns = std::max<int64_t>(0, node.self_ns);
        if (node.count == 0 && self_ns == 0) continue;
        uint32_t at = 0;
        for (const TextFlame::Node* up = &node; up->depth > 0; up = &flame.nodes[up->parent])
            at = out.child(at, up->name, up->category);
        out.nodes[at].self_ns += self_ns;
        out.nodes[at].count += node.count;
    }
    return out;
}

// Sorts frames for layout: level by level; siblings are sorted by size, then by name.
void arrange(const TextFlame& flame, AreaFlame& out)
{
    std::vector<FlameFrame> sums(flame.nodes.size());
    std::vector<std::vector<uint32_t>> children(flame.nodes.size());
    for (size_t i = flame.nodes.size(); i-- > 0;) {
        const TextFlame::Node& node = flame.nodes[i];
        sums[i].size += std::max<int64_t>(0, node.self_ns); // children that cross each other can take more
                                                            // time than their parent
        sums[i].count += node.count;
        if (i == 0 || (sums[i].size == 0 && sums[i].count == 0)) continue;
        sums[node.parent].size += sums[i].size;
        sums[node.parent].count += sums[i].count;
        children[node.parent].push_back(static_cast<uint32_t>(i));
    }
    std::vector<uint32_t> order{0};
    out.frames = {{0, 0, sums[0].size, sums[0].count}};
    for (size_t at = 0; at < order.size(); ++at) {
        std::vector<uint32_t>& below = children[order[at]];
        std::ranges::sort(below, [&](uint32_t a, uint32_t b) {
            if (sums[a].size != sums[b].size) return sums[a].size > sums[b].size;
            return flame.nodes[a].name < flame.nodes[b].name;
        });
        for (const uint32_t child : below) {
            order.push_back(child);
            out.frames.push_back(
                {static_cast<uint32_t>(at), flame.nodes[child].depth, sums[child].size, sums[child].count});
        }
    }
    for (const uint32_t node : order) {
        out.names.emplace_back(flame.nodes[node].name);
        out.categories.push_back(flame.nodes[node].category);
    }
}

} // namespace

Result<AreaFlame> areaFlame(const Scene& scene, const AreaQuery& query, FlameBy by, bool isInverted,
                            const Progress& progress)
{
    const AreaRows rows = LOCKSTEP_TRY(areaRowsOf(scene, query, progress));
    struct Chunk {
        const AreaRun* run;
        uint32_t first, last;
    };
    std::vector<Chunk> chunks;
    AreaFlame out;
    for (const AreaRun& run : rows.runs()) {
        const TrackKind kind = scene.shown.report(run.report).track(run.track).key.kind;
        out.isOfWork |=
            by == FlameBy::ranges && (kind == TrackKind::gpuStream || kind == TrackKind::gpuGraph);
        for (uint32_t at = 0; at < run.count; at += kFlameRowsAtOnce)
            chunks.push_back({&run, at, std::min(run.count, at + kFlameRowsAtOnce)});
    }
    std::vector<FlameBuilder> builders;
    for (size_t i = 0; i < progress.workers().count(); ++i)
        builders.emplace_back(scene, rows, out.isOfWork, by);
    progress.workers().run(chunks.size(), [&](size_t i, size_t worker) {
        if (progress.isCanceled()) return;
        builders[worker].add(*chunks[i].run, chunks[i].first, chunks[i].last);
    });
    LOCKSTEP_TRY(progress.check());
    TextFlame whole;
    for (const FlameBuilder& part : builders) {
        addFlame(whole, part.tree);
        out.excluded += part.excluded;
        out.unlaunched += part.unlaunched;
    }
    LOCKSTEP_TRY(progress.check());
    arrange(isInverted ? inverted(whole) : whole, out);
    return out;
}

FlameHits flameHits(const AreaFlame& flame, std::string_view text, bool isByCount)
{
    const std::string needle = lowerAscii(text);
    FlameHits out;
    out.isHit.resize(flame.frames.size(), false);
    out.found.resize(flame.frames.size(), 0);
    std::vector<bool> isBelow(flame.frames.size(), false); // the frame or one of its ancestors is a hit
    const auto sizeOf = [&](size_t i) {
        return isByCount ? static_cast<int64_t>(flame.frames[i].count) : flame.frames[i].size;
    };
    for (size_t i = 1; i < flame.frames.size(); ++i) {
        out.isHit[i] = !needle.empty() && lowerAscii(flame.names[i]).find(needle) != std::string::npos;
        out.frames += out.isHit[i] ? 1 : 0;
        isBelow[i] = out.isHit[i] || isBelow[flame.frames[i].parent];
    }
    for (size_t i = flame.frames.size(); i-- > 1;) {
        if (isBelow[i]) out.found[i] = sizeOf(i);
        const uint32_t parent = flame.frames[i].parent;
        if (!isBelow[parent]) out.found[parent] += out.found[i];
    }
    out.found_all = out.found[0];
    out.size = sizeOf(0);
    return out;
}

} // namespace lockstep
