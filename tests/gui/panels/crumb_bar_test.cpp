// SPDX-License-Identifier: Apache-2.0
// Tests that the breadcrumb shows whole buttons at every width, and as many as fit.
#include "ui/panels/crumb_bar.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

#include "tests/support/test_registry.h"

using namespace lockstep;

class CrumbBarTest : public QObject {
    Q_OBJECT

  private slots:
    void init()
    {
        ZoomTrail trail;
        trail.setWhole({{0}, {4'000'000'000}});
        for (const int64_t length_ns : {1'000'000'000, 100'000'000, 10'000'000, 1'000'000})
            trail.visit({{0}, {length_ns}});
        m_bar = std::make_unique<CrumbBar>();
        m_bar->setTrail(trail);
        m_bar->show();
    }

    void stepsInTheMiddleMakeRoom()
    {
        const int whole = m_bar->sizeHint().width();
        QCOMPARE(shown(whole), (QStringList{"whole 4 s", "1 s", "100 ms", "10 ms", "1 ms"}));
        const QStringList fewer = shown(whole - 1);
        QCOMPARE(fewer.first(), QString("whole 4 s"));
        QVERIFY(fewer.contains(QString(QChar(0x2026))));
        QVERIFY(!fewer.contains("1 s") && fewer.contains("1 ms"));
        QStringList least;
        for (int width = whole; width >= 0; --width) {
            const QStringList now = shown(width);
            QVERIFY(now.isEmpty() || now.last() == "1 ms"); // the visible range is given up last
            if (!now.isEmpty()) least = now;
        }
        QCOMPARE(least.last(), QString("1 ms"));
        QVERIFY(!least.contains("whole 4 s"));
    }

    void clicksZoomOut()
    {
        shown(m_bar->sizeHint().width());
        const QSignalSpy zooms(m_bar.get(), &CrumbBar::zoomRequested);
        QTest::mouseClick(m_bar->findChildren<QPushButton*>()[1], Qt::LeftButton);
        QCOMPARE(zooms.count(), 1);
        QVERIFY(zooms[0][0].value<TimeRange>() == (TimeRange{{0}, {1'000'000'000}}));
    }

  private:
    // Returns the visible texts except arrows, and checks that each has the room it needs.
    QStringList shown(int width)
    {
        m_bar->resize(width, m_bar->sizeHint().height());
        QStringList texts;
        int end = 0;
        QList<QWidget*> parts = m_bar->findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
        std::ranges::stable_sort(parts, {}, &QWidget::x);
        for (const QWidget* const part : parts) {
            if (!part->isVisible()) continue;
            [&] { QVERIFY(part->x() >= end && part->width() >= part->sizeHint().width()); }();
            end = part->x() + part->width();
            const QString text = part->property("text").toString();
            if (text != QString(QChar(0x203A))) texts << text;
        }
        [&] { QVERIFY(end <= std::max(width, m_bar->width())); }();
        return texts;
    }

    std::unique_ptr<CrumbBar> m_bar;
};

LOCKSTEP_TEST(CrumbBarTest, "crumb_bar_test")
#include "crumb_bar_test.moc"
