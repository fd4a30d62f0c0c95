// SPDX-License-Identifier: Apache-2.0
// LoopWatchdog is the application of the GUI tests. It fails a test if one event from the event loop computed
// for more than kLongestWork_ms or was blocked for more than kLongestWait_ms. Waiting for a processor of a
// busy machine does not count. A person notices 100 ms, but the same work takes up to three times as much
// processor time while other programs use the caches and the other thread of the core. Blocking has the
// larger limit, because reading a page of a font may take long on such a machine. Direct actions of a test,
// such as showing or grabbing a widget, do not count.
#pragma once

#include <array>
#include <cstdio>
#include <ctime>

#include <fcntl.h>
#include <unistd.h>

#include <QApplication>
#include <QEvent>
#include <QMetaEnum>
#include <QStringList>
#include <QtTest>

#include "tests/support/slowness.h"

namespace lockstep::test {

class LoopWatchdog : public QApplication {
  public:
    static constexpr int kLongestWork_ms = 300 * kSlowness;
    static constexpr int kLongestWait_ms = 1'000 * kSlowness;

    LoopWatchdog(int& argc, char** argv)
        : QApplication(argc, argv), m_account(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC))
    {
    }
    // Prints the longest event, which shows how far the tests are from the limit.
    ~LoopWatchdog() override
    {
        std::printf("longest event: %s computed for %d ms, the limit is %d ms\n", qPrintable(m_longest),
                    static_cast<int>(m_longest_ms), kLongestWork_ms);
        if (m_account >= 0) ::close(m_account);
    }

    bool notify(QObject* receiver, QEvent* event) override
    {
        if (m_isInside || !comesFromLoop(event->type())) return QApplication::notify(receiver, event);
        const QEvent::Type type = event->type();
        const char* const className = receiver->metaObject()->className(); // the event may delete it
        const QString name = receiver->objectName();
        m_isInside = true;
        const Moment began = now();
        const bool isTaken = QApplication::notify(receiver, event);
        const Moment ended = now();
        m_isInside = false;
        const int64_t worked_ms = (ended.ran_ns - began.ran_ns) / 1'000'000;
        const int64_t waited_ms = (ended.blocked_ns() - began.blocked_ns()) / 1'000'000;
        if (worked_ms == 0 && waited_ms <= kLongestWait_ms) return isTaken;
        note(QString("%1 for %2 '%3'")
                 .arg(QMetaEnum::fromType<QEvent::Type>().valueToKey(type), className, name),
             worked_ms, waited_ms);
        return isTaken;
    }

    // While one of these exists, stalls are collected and do not fail a test.
    class Collector {
      public:
        Collector() { s_collector = this; }
        ~Collector() { s_collector = nullptr; }
        Collector(const Collector&) = delete;
        Collector& operator=(const Collector&) = delete;
        QStringList stalls;
        int64_t longestWork_ms = 0; // longest event, and which one it was
        QString longest;
    };

  private:
    // Events that an event loop delivers by itself or a person causes; the others (show, resize, immediate
    // paint) are sent by the caller, which in a test is mostly its body.
    static bool comesFromLoop(QEvent::Type type)
    {
        switch (type) {
        case QEvent::Timer:
        case QEvent::MetaCall:
        case QEvent::SockAct:
        case QEvent::UpdateRequest:
        case QEvent::LayoutRequest:
        case QEvent::DeferredDelete:
        case QEvent::KeyPress:
        case QEvent::KeyRelease:
        case QEvent::Shortcut:
        case QEvent::ShortcutOverride:
        case QEvent::MouseMove:
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonRelease:
        case QEvent::MouseButtonDblClick:
        case QEvent::HoverMove:
        case QEvent::Wheel:
        case QEvent::ContextMenu:
        case QEvent::ToolTip:
        case QEvent::DragEnter:
        case QEvent::Drop:
            return true;
        default:
            return false;
        }
    }

    static int64_t nowOf(clockid_t clock)
    {
        timespec at{};
        ::clock_gettime(clock, &at);
        return int64_t(at.tv_sec) * 1'000'000'000 + at.tv_nsec;
    }

    // Totals from any time on.
    struct Moment {
        int64_t wall_ns = 0;
        int64_t ran_ns = 0;    // the thread ran on a processor
        int64_t queued_ns = 0; // it waited for one

        int64_t blocked_ns() const { return wall_ns - ran_ns - queued_ns; }
    };

    // The kernel's statistics of the thread are "ran_ns queued_ns slices"; if there are none, no event counts
    // as blocked.
    Moment now() const
    {
        Moment moment{nowOf(CLOCK_MONOTONIC), nowOf(CLOCK_THREAD_CPUTIME_ID), 0};
        std::array<char, 96> text{};
        long long ran_ns = 0, queued_ns = 0;
        if (m_account < 0 || ::pread(m_account, text.data(), text.size() - 1, 0) <= 0 ||
            std::sscanf(text.data(), "%lld %lld", &ran_ns, &queued_ns) != 2) {
            moment.queued_ns = moment.wall_ns - moment.ran_ns;
        } else {
            moment.queued_ns = queued_ns;
        }
        return moment;
    }

    void note(const QString& event, int64_t worked_ms, int64_t waited_ms)
    {
        if (s_collector != nullptr && worked_ms > s_collector->longestWork_ms) {
            s_collector->longestWork_ms = worked_ms;
            s_collector->longest = event;
        }
        if (worked_ms > m_longest_ms) {
            m_longest_ms = worked_ms;
            m_longest = event;
        }
        if (worked_ms <= kLongestWork_ms && waited_ms <= kLongestWait_ms) return;
        const QString stall =
            QString("the event loop stood still: %1 computed for %2 ms, was blocked for %3 ms")
                .arg(event)
                .arg(worked_ms)
                .arg(waited_ms);
        if (s_collector != nullptr) {
            s_collector->stalls << stall;
        } else {
            QTest::qFail(qPrintable(stall), __FILE__, __LINE__);
        }
    }

    inline static Collector* s_collector = nullptr;
    int64_t m_longest_ms = 0; // of all events
    QString m_longest;
    int m_account; // -1 = none
    bool m_isInside = false;
};

} // namespace lockstep::test
