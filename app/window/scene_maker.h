// SPDX-License-Identifier: Apache-2.0
// SceneMaker computes the Scenes of a window off the UI thread, one at a time. Each scene is computed from
// the previous one and all changes since then. Clock alignments run concurrently with scenes, also one at a
// time; new reports do not interrupt them. Owned by the WorkspaceController. UI thread; never blocks.
#pragma once

#include <functional>

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

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

    using Order = std::function<std::vector<ReportKey>()>;

    // By default, `align` is alignReports() and `step` is nextScene().
    explicit SceneMaker(const Workers& workers, Align align = {}, Step step = {}, QObject* parent = nullptr);

    // Returns the current scene, never null. Pending changes become part of a later scene.
    const ScenePtr& scene() const { return m_scene; }
    // Adds a change to the next scene. change() also starts that scene; after add(), call make().
    void change(SceneChange change);
    void add(SceneChange change);
    void make();
    bool hasChange() const { return !m_change.isEmpty(); }
    // Returns true if a new identity of this report is pending.
    bool hasPendingIdentity(ReportKey key) const { return m_change.stated.contains(key); }
    bool willShowOrHide(ReportKey key) const { return m_change.shown.contains(key); }
    // Sets a function that returns the open reports in the order of the scene. It is called once for each
    // scene that opens reports, however many it opens.
    void setOrder(Order order) { m_order = std::move(order); }
    // Sets the options for the next alignment.
    void setOptions(const AlignOptions& options) { m_options = options; }
    // Cancels a running alignment and aligns again.
    void alignAnew();
    // While more reports are coming, an alignment waits for three times as long as the last one took, because
    // its result is soon out of date. The cost of all alignments then grows with that of the last one.
    void setMoreComing(bool isMoreComing);
    bool isBusy() const;
    // Returns how long the last scene took, from the start of its computation until it was painted.
    int cost_ms() const { return m_cost_ms; }

  signals:
    void begun(); // emitted when the computation of a scene with all changes so far starts
    void made();
    // Emitted if a scene or an alignment fails, for example for lack of memory. The changes of the failed
    // scene become part of the next scene, which is computed after the next change.
    void failed(const QString& reason, lockstep::HelpTopic help);

  protected:
    bool event(QEvent* event) override;

  private:
    void applyScene(const Result<ScenePtr>& outcome);
    void reportFailure(const Error& error);
    void align();
    void applyAlignment(Result<Alignment> outcome);

    ScenePtr m_scene = std::make_shared<const Scene>();
    SceneChange m_change;                        // changes for the next scene
    std::shared_ptr<const SceneChange> m_making; // changes of the scene in progress
    bool m_waitsForMake = false;
    bool m_hasFailed = false; // the last scene failed; its changes are pending
    QElapsedTimer m_begun;
    QElapsedTimer m_lastBegun; // of the last scene that was made
    int m_cost_ms = 0;
    AlignOptions m_options;
    const Align m_alignReports;
    const Step m_step;
    Order m_order;
    bool m_movesClocks = false; // true if the scene in progress changes reports
    bool m_isOutOfDate = false; // true if reports changed since the alignment started
    bool m_isMoreComing = false;
    QTimer m_alignPause;
    QElapsedTimer m_alignBegun;
    LatestJob<ScenePtr> m_next;
    LatestJob<Alignment> m_align;
};

} // namespace lockstep
