// SPDX-License-Identifier: Apache-2.0
#include "core/scene/next_scene.h"

#include <algorithm>

#include "core/trace/process_groups.h"
#include "core/trace/repeated_work.h"

namespace lockstep {

namespace {

class Step {
  public:
    Step(const Scene& last, const SceneChange& change)
        : m_last(last), m_change(change), m_next(std::make_shared<Scene>(last))
    {
        ++m_next->generation;
    }

    Result<ScenePtr> run(const Progress& progress)
    {
        const bool areReportsNew = m_change.changesReports();
        if (areReportsNew) reconcileIdentities();
        LOCKSTEP_TRY(progress.check());
        placeClocks(progress.workers());
        if (areReportsNew || !m_change.shown.empty()) show();
        if (areReportsNew || !m_change.shown.empty() || m_change.alignment) {
            ++m_next->dataGeneration;
            m_next->quiet = std::make_shared<const QuietTime>(
                findQuietTime(m_next->shown, m_next->alignment, m_next->lods));
        }
        if (m_change.laneOptions) m_next->laneOptions = *m_change.laneOptions;
        LOCKSTEP_TRY(progress.check());
        if (areReportsNew || !m_change.shown.empty() || m_change.alignment || m_change.laneOptions) {
            m_next->tree = std::make_shared<const LaneTree>(buildLaneTree(
                m_next->shown, m_next->alignment, m_next->lods, m_next->laneOptions, m_last.tree.get()));
            m_next->bubbles = std::make_shared<const RoleBubbles>(
                findRoleBubbles(m_next->shown, m_next->alignment, m_next->lods, *m_next->tree));
        }
        return m_next;
    }

  private:
    struct OpenReport {
        std::shared_ptr<const Report> report;
        std::shared_ptr<const ReportIdentity> own;
    };

    // Reconciles the identities of all open reports, in order.
    void reconcileIdentities()
    {
        std::vector<ReportKey> keys = orderedKeys();
        m_next->open = {};
        for (const ReportKey key : keys) {
            const OpenReport entry = openReportAt(key);
            m_next->own.set(key, entry.own);
            m_next->open.add(key, entry.report, entry.own);
        }
        completeIdentities(m_next->open);
    }

    std::vector<ReportKey> orderedKeys()
    {
        std::map<ReportKey, size_t> place;
        for (const ReportKey key : m_change.order)
            place.emplace(key, place.size());
        std::vector<ReportKey> keys;
        for (const ReportKey key : m_last.open.keys()) {
            if (m_change.closed.contains(key)) {
                m_next->lods[key] = nullptr;
                m_next->own[key] = nullptr;
            } else {
                keys.push_back(key);
            }
        }
        for (const OpenedInScene& opened : m_change.opened) {
            keys.push_back(opened.key);
            m_opened[opened.key] = &opened;
            m_next->lods.set(opened.key, opened.lod);
        }
        const auto placeOf = [&](ReportKey key) {
            const auto found = place.find(key);
            return found == place.end() ? place.size() : found->second;
        };
        std::ranges::stable_sort(keys, {}, placeOf);
        return keys;
    }

    OpenReport openReportAt(ReportKey key) const
    {
        const auto opened = m_opened.find(key);
        OpenReport entry = opened != m_opened.end()
                               ? OpenReport{opened->second->report, opened->second->identity}
                               : OpenReport{m_last.open.shared(key), m_last.own[key]};
        const auto stated = m_change.stated.find(key);
        if (stated != m_change.stated.end()) {
            entry.own = std::make_shared<const ReportIdentity>(
                identityOf(*entry.report, stated->second, entry.own->planned, entry.own->processEdits));
        }
        return entry;
    }

    void placeClocks(const Workers& workers)
    {
        if (m_next->open.isEmpty()) { // the next report defines a new axis
            m_next->alignment = {};
            m_next->lateness = std::make_shared<const Lateness>();
            return;
        }
        if (m_change.alignment) {
            m_next->alignment = *m_change.alignment;
            m_next->lateness = measureLateness(m_next->open, m_next->alignment, workers);
        }
        placeNewReports(m_next->alignment, m_next->open);
    }

    // Hides reports that only repeat work contained in other reports, until the user shows them.
    void show()
    {
        m_next->shown = {};
        const Workspace distinct = withoutRepeatedWork(m_next->open);
        for (const ReportKey key : m_next->open.keys()) {
            const auto choice = m_change.shown.find(key);
            const bool isShown = choice != m_change.shown.end() ? choice->second
                                 : m_last.open.has(key)         ? m_last.shown.has(key)
                                                                : distinct.has(key);
            if (isShown) m_next->shown.add(key, m_next->open.shared(key), m_next->open.sharedIdentity(key));
        }
    }

    const Scene& m_last;
    const SceneChange& m_change;
    std::map<ReportKey, const OpenedInScene*> m_opened;
    std::shared_ptr<Scene> m_next;
};

} // namespace

bool SceneChange::isEmpty() const
{
    return !changesReports() && shown.empty() && !alignment && !laneOptions;
}

void SceneChange::add(SceneChange later)
{
    std::erase_if(opened, [&](const OpenedInScene& report) { return later.closed.contains(report.key); });
    opened.insert(opened.end(), std::make_move_iterator(later.opened.begin()),
                  std::make_move_iterator(later.opened.end()));
    if (!later.order.empty()) order = std::move(later.order);
    closed.merge(later.closed);
    for (const auto& [key, isShown] : later.shown)
        shown[key] = isShown;
    for (auto& [key, choice] : later.stated)
        stated[key] = std::move(choice);
    if (later.alignment) alignment = std::move(later.alignment);
    if (later.laneOptions) laneOptions = later.laneOptions;
}

Result<ScenePtr> nextScene(const ScenePtr& last, const SceneChange& change, const Progress& progress)
{
    return Step(*last, change).run(progress);
}

} // namespace lockstep
