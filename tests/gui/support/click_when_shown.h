// SPDX-License-Identifier: Apache-2.0
// ClickWhenShown clicks a button that is shown while work runs, always before the result of the work is
// delivered. The click is queued before the work begins, and queued events keep their order.
#pragma once

#include <QAbstractButton>
#include <QEvent>
#include <QTest>

namespace lockstep::test {

class ClickWhenShown : public QObject {
  public:
    // Clicks once. The button must outlive the object.
    explicit ClickWhenShown(QAbstractButton& button) : m_button(button) { button.installEventFilter(this); }
    bool hasClicked() const { return m_hasClicked; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Show && !m_isQueued) {
            m_isQueued = true;
            QMetaObject::invokeMethod(
                this,
                [this] {
                    QTest::mouseClick(&m_button, Qt::LeftButton);
                    m_hasClicked = true;
                },
                Qt::QueuedConnection);
        }
        return QObject::eventFilter(watched, event);
    }

  private:
    QAbstractButton& m_button;
    bool m_isQueued = false, m_hasClicked = false;
};

} // namespace lockstep::test
