// SceneMaker: makes the Scene that a window looks at: each one off the UI thread from the last and all that
// changed meanwhile, one at a time, with an alignment of the clocks beside it, also one at a time, which
// arrivals do not disturb. Owned by the WorkspaceController. UI thread; nothing here blocks it.
#pragma once

#include <functional>

#include <QObject>

#include "core/scene/next_scene.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class SceneMaker : public QObject {
    Q_OBJECT

  public:
    using Align = std::function<Result<Alignment>(const Workspace& reports, const AlignOptions& options,
                                                  const Progress& progress)>;

    // align: alignReports() unless a test brings its own.
    explicit SceneMaker(Align align = {}, QObject* parent = nullptr);

    // Never null. What changed since is in one of the next.
    const ScenePtr& scene() const { return m_scene; }
    // Makes it part of the next scene: at once, or with add() once make() is called.
    void change(SceneChange change);
    void add(SceneChange change);
    void make();
    bool hasChange() const { return !m_change.isEmpty(); }
    // What is said of whose this report is waits for a later scene.
    bool saysMoreOf(ReportKey key) const { return m_change.stated.contains(key); }
    // The next alignment goes by these.
    void setOptions(const AlignOptions& options) { m_options = options; }
    // Clocks are aligned once more; an alignment under way is stopped.
    void alignAnew();
    bool isBusy() const;

  signals:
    void begun(); // one that has all that changed before
    void made();

  private:
    void takeScene(const Result<ScenePtr>& outcome);
    void align();
    void takeAlignment(Result<Alignment> outcome);

    ScenePtr m_scene = std::make_shared<const Scene>();
    SceneChange m_change; // what the next scene is to take up
    bool m_isToldToWait = false;
    AlignOptions m_options;
    const Align m_alignReports;
    bool m_movesClocks = false; // the scene that is being made, by what it takes up
    bool m_isOutOfDate = false; // the alignment, by what changed since it was begun
    LatestJob<ScenePtr> m_next;
    LatestJob<Alignment> m_align;
};

} // namespace lockstep
