// SPDX-License-Identifier: Apache-2.0
// HelpLink is a button below an error message that opens the help page for the error. Hidden if the error has
// no help topic. UI thread.
#pragma once

#include <QPushButton>

#include "core/base/help_topic.h"

namespace lockstep {

class HelpLink : public QPushButton {
    Q_OBJECT

  public:
    explicit HelpLink(QWidget* parent = nullptr);

    // Sets the help topic of the message on screen.
    void setTopic(HelpTopic topic);

  signals:
    void helpRequested(const QString& page);

  private:
    HelpTopic m_topic = HelpTopic::none;
};

} // namespace lockstep
