// SPDX-License-Identifier: Apache-2.0
// SliceCommands: does what a TimelineView is told to do with the slice in hand, by its menu or by keys: what
// looks through reports is done off the UI thread, and what came of it goes to the status line. Owned by the
// view. UI thread.
#pragma once

#include <QObject>
#include <QPointer>

#include "core/analysis/training/step_path.h"
#include "core/timeline/same_name.h"
#include "core/timeline/same_slice.h"
#include "ui/async/latest_job.h"
#include "ui/timeline/slice_command.h"

namespace lockstep {

class SliceMenu;
class TimelineState;
class TimelineView;

class SliceCommands : public QObject {
    Q_OBJECT

  public:
    // The view owns it; state is the view's.
    SliceCommands(TimelineView& view, TimelineState& state);

    // Of the selected slice; says so where none is.
    void run(SliceCommand command);
    // Of the selected slice, at a point of the screen.
    void openMenu(QPoint global);
    // nullptr: none is open.
    SliceMenu* menu() const;
    bool isBusy() const;

  private:
    template<class T>
    struct Made {
        ScenePtr scene;
        SliceRef of;
        T what;
    };
    struct Selecting {
        NameScope scope;
        SameNameSlices found;
    };

    void copy(bool asRow);
    void selectName(NameScope scope);
    void takeSelection(const Result<Made<Selecting>>& made);
    void findSame();
    void takeSame(const Result<Made<SameSlices>>& made);
    void lightChain();
    void lightPath();
    void goToLastArrival();
    void takePath(const Result<Made<StepPath>>& made);
    void hideName();
    QString nameInHand() const;
    // "12 of them in folded lanes", as far as so many are looked for; else empty.
    QString foldedText(const SliceList& slices) const;
    // Whether what was made is of what is shown; else says that it is not.
    bool isOfThis(const ScenePtr& scene);
    void tellFailure(const Error& error);

    TimelineView& m_view;
    TimelineState& m_state;
    QPointer<SliceMenu> m_menu;
    LatestJob<Made<NameCounts>> m_counting;
    LatestJob<Made<Selecting>> m_selecting;
    LatestJob<Made<SameSlices>> m_finding;
    LatestJob<Made<StepPath>> m_walking;
};

} // namespace lockstep
