// SPDX-License-Identifier: Apache-2.0
// PlainToolTips shows every tooltip of the program as plain text. Tooltips contain names from files, hosts
// and logs, and Qt takes a text that looks like HTML for HTML. An event filter of the application; UI thread.
#pragma once

#include <QObject>

namespace lockstep {

class PlainToolTips : public QObject {
    Q_OBJECT

  public:
    // Filters the application's events until its parent, which must not outlive the application, destroys it.
    explicit PlainToolTips(QObject* parent);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace lockstep
