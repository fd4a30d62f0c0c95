// SPDX-License-Identifier: Apache-2.0
// NoticeBar: one line above the pages for what goes on with the whole workspace: a saving with its progress,
// a failure with what can be done about it, something worth knowing. Empty it takes no room. UI thread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <QWidget>

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
        std::function<void()> run; // called once; the bar is cleared before
    };

    explicit NoticeBar(QWidget* parent = nullptr);

    // Replaces what is shown. Without choices it gets a button to dismiss it; where a help page knows more,
    // one that asks for it and leaves the notice where it is.
    void tell(Tone tone, const QString& text, const std::vector<Choice>& choices = {});
    // A job under way: text, a bar, a button that stops it.
    void showProgress(const QString& text, std::optional<double> fraction, const std::function<void()>& stop);
    void clear();
    bool isEmpty() const;
    bool isProgress() const { return m_isProgress; }
    QString text() const;

  signals:
    void cleared(); // there is room for another
    // Of what is told: a help page, and maybe a section of it.
    void helpRequested(const QString& place);

  private:
    void setButtons(const std::vector<Choice>& choices);
    QToolButton* addButton(const QString& text);

    QLabel* m_text;
    QProgressBar* m_progress;
    QHBoxLayout* m_buttons;
    bool m_isProgress = false;
};

} // namespace lockstep
