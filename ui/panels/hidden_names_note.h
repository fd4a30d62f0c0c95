// SPDX-License-Identifier: Apache-2.0
// HiddenNamesNote: says in a panel's bar that lanes do not show all that its table counts. Follows the
// window's view; hidden where no name is. UI thread.
#pragma once

#include <QLabel>

namespace lockstep {

class ViewState;

class HiddenNamesNote : public QLabel {
    Q_OBJECT

  public:
    // view outlives it.
    HiddenNamesNote(const ViewState& view, QWidget* parent);

  private:
    void tell();

    const ViewState& m_view;
};

} // namespace lockstep
