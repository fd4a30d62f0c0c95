// SPDX-License-Identifier: Apache-2.0
#include "core/search/slice_chain.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/search/collective_parts.h"
#include "core/search/slice_step.h"

namespace lockstep {

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
        constexpr size_t kMaxAsked = 64; // maximum number of collectives in a chain, because each costs a
                                         // search through all collectives
        std::vector<SliceRef> asked;
        for (const SliceRef& slice : m_slices) {
            const Report& report = m_scene.shown.report(slice.report);
            if (report.slices.category[slice.slice.value] == SliceCategory::communication)
                asked.push_back(slice);
        }
        if (asked.size() > kMaxAsked) {
            asked.resize(kMaxAsked);
            m_chain.isCut = true;
        }
        std::set<ReportKey> ranks;
        for (const SliceRef& slice : asked) {
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
    constexpr size_t kMaxSaid = 4, kMaxLetters = 40;
    std::string out;
    for (size_t i = 0; i < std::min(kMaxSaid, chain.line.size()); ++i) {
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
    if (chain.line.size() > kMaxSaid)
        out += " \u2192 " + std::to_string(chain.line.size() - kMaxSaid) + " more";
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

} // namespace lockstep
