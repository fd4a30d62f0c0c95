// SPDX-License-Identifier: Apache-2.0
// Tests colors for color-blind users: kinds of GPU work stay distinguishable; patterns never make a label
// less readable; a program's own colors are adapted to each theme; and the window saves the choice.
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <QLineEdit>
#include <QtTest>

#include "app/window/main_window.h"
#include "tests/support/in_window.h"
#include "tests/support/loop_watchdog.h"
#include "tests/support/made_reports.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "ui/panels/top_strip.h"
#include "ui/timeline/slice_palette.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

using namespace lockstep;

namespace {

using Three = std::array<double, 3>;
using Matrix = std::array<Three, 3>;

// Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB: protans, deutans, tritans.
constexpr std::array<Matrix, 3> kSights{
    Matrix{Three{0.152286, 1.052583, -0.204868}, Three{0.114503, 0.786281, 0.099216},
           Three{-0.003882, -0.048116, 1.051998}},
    Matrix{Three{0.367322, 0.860646, -0.227968}, Three{0.280085, 0.672501, 0.047413},
           Three{-0.01182, 0.04294, 0.968881}},
    Matrix{Three{1.255528, -0.076749, -0.178779}, Three{-0.078411, 0.930809, 0.147602},
           Three{0.004733, 0.691367, 0.3039}}};

double linearOf(double c)
{
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

Three linearOf(const QColor& c)
{
    return {linearOf(c.redF()), linearOf(c.greenF()), linearOf(c.blueF())};
}

Three labOf(Three c)
{
    for (double& part : c)
        part = std::clamp(part, 0.0, 1.0);
    const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double x = f((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.9505);
    const double y = f(0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]);
    const double z = f((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.089);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(const QColor& a, const QColor& b, const Matrix& sight)
{
    const auto seen = [&](const QColor& color) {
        const Three c = linearOf(color);
        Three out{};
        for (size_t i = 0; i < 3; ++i)
            out[i] = sight[i][0] * c[0] + sight[i][1] * c[1] + sight[i][2] * c[2];
        return labOf(out);
    };
    const Three p = seen(a), q = seen(b);
    return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

double contrastOf(const QColor& a, const QColor& b)
{
    const auto light = [](const QColor& color) {
        const Three c = linearOf(color);
        return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2] + 0.05;
    };
    return std::max(light(a), light(b)) / std::min(light(a), light(b));
}

} // namespace

class ColorBlindTest : public QObject {
    Q_OBJECT

  private slots:
    void kindsOfWorkAreDistinguishable()
    {
        for (const bool isDark : {false, true}) {
            const Theme& theme = themeOf(isDark, true);
            QVERIFY(theme.isColorBlind && theme.isDark == isDark);
            for (const Matrix& sight : kSights) {
                for (int a = 0; a < 8; ++a) {
                    for (int b = 0; b < a; ++b)
                        QVERIFY(distance(theme.category(static_cast<SliceCategory>(a)),
                                         theme.category(static_cast<SliceCategory>(b)), sight) > 17);
                }
            }
        }
    }

    void patternsKeepLabelsReadable()
    {
        for (const bool isDark : {false, true}) {
            const SlicePalette palette(themeOf(isDark, true)), plain(themeOf(isDark, false));
            for (const SliceCategory category :
                 {SliceCategory::communication, SliceCategory::synchronization, SliceCategory::overhead}) {
                for (uint32_t hash = 0; hash < 64; ++hash) {
                    const Ink ink{Ink::Kind::slice, category, 255, hash};
                    QVERIFY(palette.pattern(ink) != SlicePalette::Pattern::none);
                    // Without the color-blind theme, only communication has no pattern.
                    QCOMPARE(plain.pattern(ink) == SlicePalette::Pattern::none,
                             category == SliceCategory::communication);
                    const QColor text(palette.textOn(ink));
                    QVERIFY(contrastOf(text, QColor(palette.color(ink))) >= 4.5);
                    QVERIFY(contrastOf(text, QColor(palette.mark(ink))) >=
                            contrastOf(text, QColor(palette.color(ink))));
                }
            }
        }
    }

    void customColorsAreAdaptedToTheTheme()
    {
        QVERIFY(rc::check("readable on every theme", [] {
            const auto rgb = *rc::gen::inRange<uint32_t>(0, 0x1000000);
            for (const bool isDark : {false, true}) {
                const QColor toned = themeOf(isDark, *rc::gen::arbitrary<bool>()).ownColor(rgb);
                RC_ASSERT(contrastOf(toned, textColorOn(toned)) >= 4.5);
                RC_ASSERT(contrastOf(toned, themeOf(isDark, false).lane) >= 1.8);
            }
        }));
    }

    // A pure red or blue is too strong next to the theme's colors: its hue stays, and near-gray colors are
    // unchanged.
    void strongColorsAreReduced()
    {
        for (const bool isDark : {false, true}) {
            const Theme& theme = themeOf(isDark, false);
            for (const uint32_t rgb : {0xFF0000u, 0x0000FFu, 0x00FF00u, 0xFF00FFu}) {
                const QColor asked(static_cast<QRgb>(0xFF000000u | rgb)), toned = theme.ownColor(rgb);
                QVERIFY2(toned.hslSaturationF() < 0.75f, qPrintable(toned.name()));
                const float apart = std::abs(toned.hslHueF() - asked.hslHueF());
                QVERIFY2(std::min(apart, 1 - apart) < 0.02f, qPrintable(toned.name()));
                QVERIFY2(toned.lightnessF() > 0.25f && toned.lightnessF() < 0.8f, qPrintable(toned.name()));
            }
            QVERIFY(theme.ownColor(0x808080).hslSaturationF() < 0.02f);
        }
    }

    void patternsHaveTheSameSizeAtScale2()
    {
        const SlicePalette one(themeOf(false, true), 1), two(themeOf(false, true), 2);
        for (const auto pattern :
             {SlicePalette::Pattern::dots, SlicePalette::Pattern::diagonal, SlicePalette::Pattern::cross}) {
            for (int y = 0; y < 40; ++y) {
                for (int x = 0; x < 40; ++x)
                    QCOMPARE(two.isMarked(pattern, x, y), one.isMarked(pattern, x / 2, y / 2));
            }
        }
        QVERIFY(two.isHatched(1, 1) == one.isHatched(0, 0));
    }

    void windowShowsPatternsAndSavesTheChoice()
    {
        const test::TempDir folder;
        Settings settings(test::settingsFile(folder));
        {
            MainWindow window(settings, false, test::workers(), test::memory());
            window.resize(1280, 720);
            window.show();
            QVERIFY(QTest::qWaitForWindowActive(&window));
            const test::LoopWatchdog::Collector slow; // Qt restyles every widget
            QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
            QLineEdit* const field = test::part<TopStrip>(window).searchField();
            QTest::keyClicks(field, "color-blind");
            QTest::keyClick(field, Qt::Key_Return);
            QVERIFY(window.look().theme().isColorBlind);
            QVERIFY(test::part<TimelineView>(window).state().theme == &themeOf(false, true));
        }
        QVERIFY(settings.isColorBlind());
        MainWindow again(settings, true, test::workers(), test::memory());
        QVERIFY(again.look().theme().isColorBlind && again.look().theme().isDark);
    }

    void patternsAreDrawn()
    {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        ViewState viewState;
        Notices notices;
        TimelineView view(viewState, notices, test::workers());
        view.navigation().setReducedMotion(true);
        view.resize(1280, 720);
        view.setScene(test::madeScene(test::madeWorkspace(2)));
        view.show();
        for (const bool isDark : {false, true}) {
            view.setTheme(themeOf(isDark, true));
            view.navigation().fitAll();
            const QImage image = view.grab().toImage();
            if (!folder.isEmpty())
                image.save(folder + (isDark ? "/color_blind_dark.png" : "/color_blind_light.png"));
            const SlicePalette palette(themeOf(isDark, true));
            int marks = 0;
            for (uint32_t hash = 0; hash < 6; ++hash) {
                const QRgb mark = palette.mark({Ink::Kind::slice, SliceCategory::communication, 255, hash});
                for (int y = 0; y < image.height(); ++y) {
                    for (int x = 0; x < image.width(); ++x)
                        marks += (image.pixel(x, y) | 0xFF000000u) == (mark | 0xFF000000u) ? 1 : 0;
                }
            }
            QVERIFY(marks > 50);
        }
    }
};

LOCKSTEP_TEST(ColorBlindTest, "color_blind_test")
#include "color_blind_test.moc"
