// SPDX-License-Identifier: Apache-2.0
// SliceCommands runs the commands for the selected slice of a timeline, from its menu and keys, and
// highlights launch chains and critical paths. Searches through reports run off the UI thread; the status
// line shows the results. UI thread.
#pragma once

#include <QObject>
#include <QPointer>

#include "core/analysis/training/critical_path.h"
#include "core/search/related_slices.h"
#include "core/search/same_name.h"
#include "ui/async/latest_job.h"
#include "ui/timeline/timeline_context.h"

namespace lockstep {

class LaneTool;
class MarksTool;
class NavigationTool;
class SelectionTool;
class SliceMenu;

class SliceCommands : public QObject, public TimelineTool {
    Q_OBJECT

  public:
    // All arguments must outlive this object.
    SliceCommands(TimelineContext& context, NavigationTool& navigation, LaneTool& lanes,
                  SelectionTool& selection, MarksTool& marks);

    // Returns the open menu of the selected slice, or nullptr.
    SliceMenu* menu() const;
    bool isBusy() const;

    bool openMenu(const Hit& hit, QPoint global) override;

  signals:
    void commandRequested(CommandId command); // a command that the window carries out

  private:
    template<class T>
    struct SliceResult {
        ScenePtr scene;
        SliceRef of;
        T what;
    };
    struct Selecting {
        NameScope scope;
        SameNameSlices found;
    };

    // Runs a command of the slice menu for the selected slice, or reports that no slice is selected.
    void runMenu(CommandId command);
    // Opens the menu of the selected slice at a screen position.
    void openMenuAt(QPoint global);
    bool openMenuOfSelected();
    // Highlights the slices and dims all others, until the user presses Esc or the open reports change;
    // nullptr for none.
    void highlight(SliceList slices);
    bool clearHighlight();
    void copy(bool asRow);
    void selectName(NameScope scope);
    void applySelection(const Result<SliceResult<Selecting>>& made);
    void findSame();
    void applySame(const Result<SliceResult<SameSlices>>& made);
    void highlightChain();
    void highlightPath();
    void goToLastArrival();
    void applyPath(const Result<SliceResult<StepPath>>& made);
    void hideName();
    QString selectedSliceName() const;
    // Returns how many of the slices are in collapsed or hidden lanes; 0 if there are too many slices to
    // check.
    int foldedCount(const SliceList& slices) const;
    // Returns true if the result of a job applies to the currently visible reports. Otherwise shows a message
    // that the visible reports changed.
    bool checkSameReports(const ScenePtr& scene);
    void reportFailure(const Error& error);

    TimelineContext& m_context;
    TimelineState& m_state;
    ViewState& m_view;
    Notices& m_notices;
    NavigationTool& m_navigation;
    LaneTool& m_lanes;
    SelectionTool& m_selection;
    MarksTool& m_marks;
    QPointer<SliceMenu> m_menu;
    LatestJob<SliceResult<NameCounts>> m_counting;
    LatestJob<SliceResult<Selecting>> m_selecting;
    LatestJob<SliceResult<SameSlices>> m_finding;
    LatestJob<SliceResult<StepPath>> m_pathJob;
};

} // namespace lockstep
