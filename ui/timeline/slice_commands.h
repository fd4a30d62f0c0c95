// SPDX-License-Identifier: Apache-2.0
// SliceCommands runs the commands for the selected slice of a TimelineView, from its menu and keys. Searches
// through reports run off the UI thread; the status line shows the results. Owned by the view. UI thread.
#pragma once

#include <QObject>
#include <QPointer>

#include "core/analysis/training/step_path.h"
#include "core/timeline/same_name.h"
#include "core/timeline/same_slice.h"
#include "ui/async/latest_job.h"
#include "ui/window/command_table.h"

namespace lockstep {

class SliceMenu;
class TimelineState;
class TimelineView;

class SliceCommands : public QObject {
    Q_OBJECT

  public:
    // The view owns this object and `state`.
    SliceCommands(TimelineView& view, TimelineState& state);

    // Runs a command of the slice menu for the selected slice, or reports that no slice is selected.
    void run(CommandId command);
    // Opens the menu of the selected slice at a screen position.
    void openMenu(QPoint global);
    // Returns the open menu, or nullptr.
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
    void applySelection(const Result<Made<Selecting>>& made);
    void findSame();
    void applySame(const Result<Made<SameSlices>>& made);
    void highlightChain();
    void highlightPath();
    void goToLastArrival();
    void applyPath(const Result<Made<StepPath>>& made);
    void hideName();
    QString selectedSliceName() const;
    // Returns how many of the slices are in collapsed or hidden lanes; 0 if there are too many slices to
    // check.
    int foldedCount(const SliceList& slices) const;
    // Returns true if the result of a job applies to the currently visible reports. Otherwise shows a message
    // that the visible reports changed.
    bool isOfThis(const ScenePtr& scene);
    void reportFailure(const Error& error);

    TimelineView& m_view;
    TimelineState& m_state;
    QPointer<SliceMenu> m_menu;
    LatestJob<Made<NameCounts>> m_counting;
    LatestJob<Made<Selecting>> m_selecting;
    LatestJob<Made<SameSlices>> m_finding;
    LatestJob<Made<StepPath>> m_pathJob;
};

} // namespace lockstep
