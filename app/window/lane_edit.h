// SPDX-License-Identifier: Apache-2.0
// LaneEdit is one undoable change of the lane state: lanes were collapsed, expanded, hidden, pinned or
// sorted. Owned by the undo stack of the window. Consecutive changes of the same lane are merged into one
// step. UI thread.
#pragma once

#include <functional>

#include <QUndoCommand>

#include "core/lanes/lane_state.h"
#include "core/lanes/lane_tree.h"

namespace lockstep {

class LaneEdit : public QUndoCommand {
  public:
    using Show = std::function<void(const LaneState& state)>;

    // `tree` provides the lane names. The first redo() does nothing, because the timeline already shows the
    // change.
    LaneEdit(const LaneTree& tree, LaneState before, LaneState after, Show show);

    void undo() override { m_show(m_before); }
    void redo() override;
    int id() const override { return kId; }
    bool mergeWith(const QUndoCommand* other) override;

    // Identifies a LaneEdit, because lane changes alone do not count as unsaved work.
    static constexpr int kId = 0x4C61; // "La"

  private:
    LaneState m_before, m_after;
    std::string m_lane; // key of the changed lane; empty if several lanes changed
    Show m_show;
    bool m_isShown = true;
};

} // namespace lockstep
