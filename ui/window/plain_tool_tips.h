// SPDX-License-Identifier: Apache-2.0
// PlainToolTips shows every tooltip of the program as plain text. Tooltips contain names from files, hosts
// and logs, and Qt would interpret text that looks like HTML as HTML. An event filter of the application; UI
// thread.
#pragma once

#include <QObject>

namespace lockstep {

class PlainToolTips : public QObject {
    Q_OBJECT

  public:
    // Filters the application's events until `parent` destroys this object. `parent` must not outlive the
    // application.
    explicit PlainToolTips(QObject* parent);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace lockstep
