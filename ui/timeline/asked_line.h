// SPDX-License-Identifier: Apache-2.0
// AskedLine: a line over the ruler in which one thing is written: where to go, what lanes are to be called;
// under it what was understood, before Enter takes it. Whoever opens it says what a text means. GUI thread.
#pragma once

#include <QFrame>

class QLabel;
class QLineEdit;

namespace lockstep {

class AskedLine : public QFrame {
    Q_OBJECT

  public:
    struct Words {
        QString placeholder; // in the empty line
        QString name;        // for screen readers
        QString hint;        // under the empty line
    };

    AskedLine(QWidget* parent, Words words);

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
    Words m_words;
    QLineEdit* m_field;
    QLabel* m_hint;
};

} // namespace lockstep
