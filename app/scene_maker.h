// SPDX-License-Identifier: Apache-2.0
// SceneMaker: makes the Scene that a window looks at: each one off the UI thread from the last and all that
// changed meanwhile, one at a time, with an alignment of the clocks beside it, also one at a time, which
// arrivals do not disturb. Owned by the WorkspaceController. UI thread; nothing here blocks it.
#pragma once

#include <functional>

#include <QElapsedTimer>
#include <QObject>

#include "core/scene/next_scene.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class SceneMaker : public QObject {
    Q_OBJECT

  public:
    using Align = std::function<Result<Alignment>(const Workspace& reports, const AlignOptions& options,
                                                  const Progress& progress)>;

    using Step = std::function<Result<ScenePtr>(const ScenePtr& last, const SceneChange& change,
                                                const Progress& progress)>;

    // align: alignReports(), step: nextScene(), unless a test brings its own.
    explicit SceneMaker(const Workers& workers, Align align = {}, Step step = {}, QObject* parent = nullptr);

    // Never null. What changed since is in one of the next.
    const ScenePtr& scene() const { return m_scene; }
    // Makes it part of the next scene: at once, or with add() once make() is called.
    void change(SceneChange change);
    void add(SceneChange change);
    void make();
    bool hasChange() const { return !m_change.isEmpty(); }
    // What is said of whose this report is waits for a later scene.
    bool saysMoreOf(ReportKey key) const { return m_change.stated.contains(key); }
    bool willShowOrHide(ReportKey key) const { return m_change.shown.contains(key); }
    // The next alignment goes by these.
    void setOptions(const AlignOptions& options) { m_options = options; }
    // Clocks are aligned once more; an alignment under way is stopped.
    void alignAnew();
    bool isBusy() const;
    // What the last scene took, from its beginning until it was taken up by all who show it.
    int cost_ms() const { return m_cost_ms; }

  signals:
    void begun(); // one that has all that changed before
    void made();
    // No scene or no alignment could be made, for want of memory say. What a scene was to take up is part of
    // the next one, which is made when something else changes.
    void failed(const QString& reason);

  private:
    void takeScene(const Result<ScenePtr>& outcome);
    void tellFailure(const Error& error);
    void align();
    void takeAlignment(Result<Alignment> outcome);

    ScenePtr m_scene = std::make_shared<const Scene>();
    SceneChange m_change;                        // what the next scene is to take up
    std::shared_ptr<const SceneChange> m_making; // what the one that is being made takes up
    bool m_isToldToWait = false;
    bool m_hasFailed = false; // the last scene: its change rests
    QElapsedTimer m_begun;
    int m_cost_ms = 0;
    AlignOptions m_options;
    const Align m_alignReports;
    const Step m_step;
    bool m_movesClocks = false; // the scene that is being made, by what it takes up
    bool m_isOutOfDate = false; // the alignment, by what changed since it was begun
    LatestJob<ScenePtr> m_next;
    LatestJob<Alignment> m_align;
};

} // namespace lockstep
