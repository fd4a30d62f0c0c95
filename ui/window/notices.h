// SPDX-License-Identifier: Apache-2.0
// Notices are one-line messages about what a command did, such as "Marker 3 added". The status line shows
// each for a moment. Messages that the user must not miss go to the NoticeBar instead. UI thread.
#pragma once

#include <QObject>
#include <QString>

namespace lockstep {

class Notices : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    void post(const QString& text) { emit posted(text); }

  signals:
    void posted(const QString& text);
};

} // namespace lockstep
