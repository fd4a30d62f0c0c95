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

void LiveMerging::requestMerge(MergeRequest request)
{
    const auto isSameSpool = [&](const auto& one) { return one.spool == request.spool; };
    if (std::ranges::any_of(m_queue, isSameSpool) || std::ranges::any_of(m_done, isSameSpool)) return;
    m_queue.push_back(std::move(request));
    if (m_queue.size() == 1) next();
}

void LiveMerging::next()
{
    if (m_queue.empty()) return;
    m_job.start(
        [request = m_queue.front(), placement = m_placement](const Progress& progress) -> Result<Outcome> {
            Outcome outcome{{request.spool, request.merge, {}}, {}};
            LivePlacement::Placed placed =
                LOCKSTEP_TRY(placement->read(request.path, request.merge, request.bytes, progress));
            outcome.message = std::move(placed.message);
            if (placed.report != nullptr) {
                outcome.merged.built.report = std::move(placed.report);
                outcome.merged.built.lod = buildLod(*outcome.merged.built.report, progress);
            }
            LOCKSTEP_TRY(progress.check());
            return outcome;
        });
}

void LiveMerging::handleOutcome(Result<Outcome> outcome)
{
    if (m_queue.empty()) return;
    m_queue.pop_front();
    if (!outcome) {
        m_report({outcome.error().message, outcome.error().help});
    } else {
        if (!outcome->message.text.empty()) m_report(outcome->message);
        m_isStuck |= outcome->merged.built.report == nullptr && !outcome->message.text.empty();
        if (outcome->merged.built.report != nullptr) m_done.push_back(std::move(outcome->merged));
    }
    next();
}

std::vector<LiveMerging::Merged> LiveMerging::take(size_t spool)
{
    std::vector<Merged> result;
    const auto rest = std::stable_partition(m_done.begin(), m_done.end(),
                                            [&](const Merged& one) { return one.spool != spool; });
    std::move(rest, m_done.end(), std::back_inserter(result));
    m_done.erase(rest, m_done.end());
    return result;
}

std::optional<LivePlacement::Chunk> LiveMerging::toMove(std::span<const LivePlacement::Chunk> chunks,
                                                        uint64_t inUse_bytes)
{
    m_placement->setUsedMemory(inUse_bytes);
    // Do not move a chunk while a merge is pending, because the merge may free memory.
    if (m_isStuck || !m_queue.empty() || !m_done.empty()) return {};
    return m_placement->toMove(chunks);
}

void LiveMerging::cancel()
{
    m_job.cancel();
    m_queue.clear();
    m_done.clear();
    m_isStuck = false;
    m_placement->setUsedMemory(0);
}

} // namespace lockstep
