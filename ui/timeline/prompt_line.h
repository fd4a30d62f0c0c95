// SPDX-License-Identifier: Apache-2.0
// PromptLine is a one-line input above the ruler, for example for "Go to…" or for the name of a lane layout.
// A hint below the line shows how the text is interpreted before Enter accepts it. The owner interprets the
// text. UI thread.
#pragma once

#include <QFrame>

class QLabel;
class QLineEdit;

namespace lockstep {

class PromptLine : public QFrame {
    Q_OBJECT

  public:
    struct Texts {
        QString placeholder; // placeholder text of the empty line
        QString name;        // accessible name, for screen readers
        QString hint;        // hint that is shown below the empty line
    };

    PromptLine(QWidget* parent, Texts texts);

    // Shows an empty line at the top of the parent widget, and gives the line the keyboard focus. If the user
    // moves the focus elsewhere, the line is hidden, without closed().
    void open();
    bool isOpen() const { return !isHidden(); }
    QLineEdit* field() const { return m_field; }
    // Shows how the text is interpreted or, if isError is true, why it is invalid.
    void setHint(const QString& text, bool isError);
    QString hint() const;
    void close();

  signals:
    void edited(const QString& text);
    // isShifted: Shift was held when Enter was pressed.
    void entered(const QString& text, bool isShifted);
    void closed();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    Texts m_texts;
    QLineEdit* m_field;
    QLabel* m_hint;
};

} // namespace lockstep
