// SPDX-License-Identifier: Apache-2.0
// NoticeBar is a line below the pages for notices about the whole workspace: a save in progress, a failure
// with its remedies, or useful information. It takes no space while empty. UI thread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <QWidget>

#include "core/base/help_topic.h"

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QToolButton;

namespace lockstep {

class NoticeBar : public QWidget {
    Q_OBJECT

  public:
    enum class Tone : uint8_t { quiet, warn, bad };
    struct Choice {
        QString text;
        std::function<void()> run; // called at most once, after the bar was cleared
    };

    explicit NoticeBar(QWidget* parent = nullptr);

    // Replaces the notice. If there are no choices, a Dismiss button is shown. If there is a help topic, a
    // Help button is shown; the button requests the help page and leaves the notice open.
    void showNotice(Tone tone, const QString& text, const std::vector<Choice>& choices = {},
                    HelpTopic help = HelpTopic::none);
    // Shows a running job: text, progress bar and Cancel button. fraction: 0..1, or nullopt if unknown.
    void showProgress(const QString& text, std::optional<double> fraction, const std::function<void()>& stop);
    void clear();
    bool isEmpty() const;
    bool isProgress() const { return m_isProgress; }
    QString text() const;

  signals:
    void cleared(); // the bar is empty, so another notice can be shown
    // page: a help page for the notice, optionally with a section.
    void helpRequested(const QString& page);

  private:
    void setButtons(const std::vector<Choice>& choices);
    QToolButton* addButton(const QString& text);

    QLabel* m_text;
    QProgressBar* m_progress;
    QHBoxLayout* m_buttons;
    bool m_isProgress = false;
};

} // namespace lockstep
