// SPDX-License-Identifier: Apache-2.0
// HelpLink: stands below the message of an error and leads to the help page that knows more of it; hidden
// where none does. UI thread.
#pragma once

#include <QPushButton>

namespace lockstep {

class HelpLink : public QPushButton {
    Q_OBJECT

  public:
    explicit HelpLink(QWidget* parent = nullptr);

    // The message that is shown now.
    void setMessage(const QString& message);

  signals:
    void helpRequested(const QString& place);

  private:
    QString m_place;
};

} // namespace lockstep
