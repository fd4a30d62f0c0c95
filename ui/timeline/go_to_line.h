// SPDX-License-Identifier: Apache-2.0
// GoToLine: the line over the ruler in which a time, a step, a mark or a link is written, and under it what
// was understood, before Enter goes there. Whoever owns the window says what a text means. GUI thread.
#pragma once

#include <QFrame>

class QLabel;
class QLineEdit;

namespace lockstep {

class GoToLine : public QFrame {
    Q_OBJECT

  public:
    explicit GoToLine(QWidget* parent);

    // Empty, at the top of its parent, with the keyboard.
    void open();
    bool isOpen() const { return !isHidden(); }
    QLineEdit* field() const { return m_field; }
    // What the text is taken for, or why it cannot be.
    void setHint(const QString& text, bool isError);
    QString hint() const;
    void close();

  signals:
    void edited(const QString& text);
    void entered(const QString& text);
    void closed();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QLineEdit* m_field;
    QLabel* m_hint;
};

} // namespace lockstep
