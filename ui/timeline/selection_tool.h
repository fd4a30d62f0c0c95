// SPDX-License-Identifier: Apache-2.0
// SelectionTool selects slices and blocks: by clicks, by steps to the next slice, and on requests of the
// window. The selection itself is in ViewState. UI thread.
#pragma once

#include <QObject>

#include "ui/timeline/timeline_context.h"

namespace lockstep {

class LaneTool;
class NavigationTool;

class SelectionTool : public QObject, public TimelineTool {
    Q_OBJECT

  public:
    // All arguments must outlive the tool.
    SelectionTool(TimelineContext& context, NavigationTool& navigation, LaneTool& lanes);

    // Selects the slice; an invalid slice clears the selection. If isRevealed is true, also expands and
    // scrolls to the lane and moves the view to the slice.
    void select(SliceRef slice, bool isRevealed);
    // Replaces the individually selected slices; the areas stay.
    void selectSeveral(SliceList slices);
    // Expands and scrolls to the lane of the slice, and moves the view to the slice.
    void reveal(SliceRef slice);

    bool click(const Hit& hit) override;
    bool doubleClick(const QMouseEvent& event) override;

  private:
    void connectView();
    void addCommands();
    // Selects the block of memory at the hit. Returns false if there is none.
    bool selectBlock(const Hit& hit);
    void step(bool isForward);
    void stepToSameName(SliceRef (*next)(const Scene&, SliceRef));
    void followFlow(SliceRef (*next)(const Workspace&, SliceRef));
    // Clears one level of the selection: first the areas and the range; if there are none, the individually
    // selected slices; if there are none, the current slice or block. Returns false if nothing is selected.
    bool deselect();

    TimelineContext& m_context;
    TimelineState& m_state;
    ViewState& m_view;
    NavigationTool& m_navigation;
    LaneTool& m_lanes;
};

} // namespace lockstep
