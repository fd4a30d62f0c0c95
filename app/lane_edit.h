// SPDX-License-Identifier: Apache-2.0
// LaneEdit: one undoable change by hand of how lanes are shown: folded, hidden, pinned, opened, sorted. Made
// from the state before and after; the undo stack of the window owns it. Changes of one lane that follow each
// other are one step. UI thread.
#pragma once

#include <functional>

#include <QUndoCommand>

#include "core/lanes/lane_state.h"
#include "core/lanes/lane_tree.h"

namespace lockstep {

class LaneEdit : public QUndoCommand {
  public:
    using Show = std::function<void(const LaneState& state)>;

    // tree: where names of lanes come from. The first redo() changes nothing: the timeline shows it already.
    LaneEdit(const LaneTree& tree, LaneState before, LaneState after, Show show);

    void undo() override { m_show(m_before); }
    void redo() override;
    int id() const override { return kId; }
    bool mergeWith(const QUndoCommand* other) override;

    // Whether a command is one: lanes alone are no work that closing would lose.
    static constexpr int kId = 0x4C61; // "La"

  private:
    LaneState m_before, m_after;
    std::string m_lane; // the key of the only lane that it changes; empty: several
    Show m_show;
    bool m_isShown = true;
};

} // namespace lockstep
