// SPDX-License-Identifier: Apache-2.0
// PageBanner shows a message over the top of a page, with a link to its help topic, an optional action, and a
// close button. It covers the page below it and takes no space in a layout, so that nothing moves. Hidden
// while there is no message. UI thread.
#pragma once

#include <functional>

#include <QFrame>

#include "core/base/help_topic.h"

class QLabel;
class QToolButton;

namespace lockstep {

class HelpLink;

class PageBanner : public QFrame {
    Q_OBJECT

  public:
    struct Action {
        QString text; // "" if there is no action
        std::function<void()> run;
    };

    // `below` is the widget below which the banner appears. It must be a child of `page`.
    PageBanner(QWidget* page, QWidget* below);

    // An empty message hides the banner. The action is called at most once, after the banner is hidden.
    void setMessage(const QString& message, HelpTopic help, const Action& action);

  signals:
    void helpRequested(const QString& page);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void place();

    QWidget* m_below;
    QLabel* m_text;
    HelpLink* m_help;
    QToolButton* m_action;
    std::function<void()> m_run;
};

} // namespace lockstep
