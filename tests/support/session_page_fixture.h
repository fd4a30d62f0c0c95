// SPDX-License-Identifier: Apache-2.0
// SessionPageFixture is the base of tests of the Session page alone: every test function starts with a new
// page of 1280x720 pixels that has the focus. Qt Test also finds init() and cleanup() in base classes.
#pragma once

#include <memory>

#include <QTest>

#include "ui/session/session_page.h"

namespace lockstep::test {

class SessionPageFixture : public QObject {
    Q_OBJECT

  protected slots:
    // A test with an init() of its own calls this one first.
    void init()
    {
        m_page = std::make_unique<SessionPage>();
        m_page->resize(1280, 720);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
    }
    void cleanup() { m_page.reset(); }

  protected:
    std::unique_ptr<SessionPage> m_page;
};

} // namespace lockstep::test
