// SPDX-License-Identifier: Apache-2.0
#include "app/window/live_merging.h"

#include <algorithm>
#include <iterator>

namespace lockstep {

LiveMerging::LiveMerging(const Workers& workers, MemoryBudget& memory,
                         std::function<void(const MessageWithHelp&)> report)
    : m_report(std::move(report)), m_placement(std::make_shared<LivePlacement>(memory)),
      m_job([this](Result<Outcome> outcome) { handleOutcome(std::move(outcome)); }, workers)
{
}

void LiveMerging::want(Wanted wanted)
{
    const auto isOfIt = [&](const auto& one) { return one.spool == wanted.spool; };
    if (std::ranges::any_of(m_wanted, isOfIt) || std::ranges::any_of(m_done, isOfIt)) return;
    m_wanted.push_back(std::move(wanted));
    if (m_wanted.size() == 1) next();
}

void LiveMerging::next()
{
    if (m_wanted.empty()) return;
    m_job.start(
        [wanted = m_wanted.front(), placement = m_placement](const Progress& progress) -> Result<Outcome> {
            Outcome outcome{{wanted.spool, wanted.merge, {}}, {}};
            LivePlacement::Placed placed =
                LOCKSTEP_TRY(placement->read(wanted.path, wanted.merge, wanted.bytes, progress));
            outcome.told = std::move(placed.told);
            if (placed.report != nullptr) {
                outcome.merged.made.report = std::move(placed.report);
                outcome.merged.made.lod = buildLod(*outcome.merged.made.report, progress);
            }
            LOCKSTEP_TRY(progress.check());
            return outcome;
        });
}

void LiveMerging::handleOutcome(Result<Outcome> outcome)
{
    if (m_wanted.empty()) return;
    m_wanted.pop_front();
    if (!outcome) {
        m_report({outcome.error().message, outcome.error().help});
    } else {
        if (!outcome->told.text.empty()) m_report(outcome->told);
        m_isStuck |= outcome->merged.made.report == nullptr && !outcome->told.text.empty();
        if (outcome->merged.made.report != nullptr) m_done.push_back(std::move(outcome->merged));
    }
    next();
}

std::vector<LiveMerging::Merged> LiveMerging::take(size_t spool)
{
    std::vector<Merged> taken;
    const auto rest = std::stable_partition(m_done.begin(), m_done.end(),
                                            [&](const Merged& one) { return one.spool != spool; });
    std::move(rest, m_done.end(), std::back_inserter(taken));
    m_done.erase(rest, m_done.end());
    return taken;
}

std::optional<LivePlacement::Piece> LiveMerging::toMove(std::span<const LivePlacement::Piece> pieces,
                                                        uint64_t inUse_bytes)
{
    m_placement->setUsedMemory(inUse_bytes);
    // Do not move a chunk while a merge is pending, because the merge may free memory.
    if (m_isStuck || !m_wanted.empty() || !m_done.empty()) return {};
    return m_placement->toMove(pieces);
}

void LiveMerging::cancel()
{
    m_job.cancel();
    m_wanted.clear();
    m_done.clear();
    m_isStuck = false;
    m_placement->setUsedMemory(0);
}

} // namespace lockstep
