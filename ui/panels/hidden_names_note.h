// SPDX-License-Identifier: Apache-2.0
// HiddenNamesNote is a label in a panel's bar which states that the table also counts slices whose names are
// hidden in the lanes. The label follows the window's view, and is invisible if no names are hidden. UI
// thread.
#pragma once

#include <QLabel>

namespace lockstep {

class ViewState;

class HiddenNamesNote : public QLabel {
    Q_OBJECT

  public:
    // `view` must outlive the label.
    HiddenNamesNote(const ViewState& view, QWidget* parent);

  private:
    void updateText();

    const ViewState& m_view;
};

} // namespace lockstep
