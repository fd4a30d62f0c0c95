// SPDX-License-Identifier: Apache-2.0
// KeyPressEdit is an input field that shows the key, including modifiers, that the user presses in it. Tab
// leaves the field; Esc goes to the dialog. UI thread.
#pragma once

#include <QKeySequence>
#include <QLineEdit>

namespace lockstep {

class KeyPressEdit : public QLineEdit {
    Q_OBJECT

  public:
    explicit KeyPressEdit(QWidget* parent = nullptr);

    const QKeySequence& pressed() const { return m_pressed; }
    void forget();

  signals:
    void keyPressed();

  protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QKeySequence m_pressed;
};

} // namespace lockstep
