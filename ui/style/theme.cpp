// SPDX-License-Identifier: Apache-2.0
#include "ui/style/theme.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

namespace {

Theme makeLight()
{
    Theme t;
    t.window = 0xFFFFFF;
    t.lane = 0xFFFFFF;
    t.laneAlternate = 0xF7F8FA;
    t.panel = 0xF2F4F7;
    t.line = 0xD8DEE6;
    t.text = 0x1B2430;
    t.mutedText = 0x5B6776;
    t.accent = 0x2563EB;
    t.selection = 0x111827;
    t.good = 0x1B7F4B;
    t.warn = 0x9A5B00;
    t.bad = 0xC62828;
    t.idle = 0xD8DEE6;
    t.categories = {0x4C78A8, 0xE07B39, 0x4FA66A, 0xB8629B, 0x8F7A52, 0x8C9AA8, 0x7A6BB0, 0x5E9EA6,
                    0x6B8E8A, 0xB08F2A, 0x5FA39B, 0x9A8F7F, 0x7FA86B, 0xB5523B, 0x5B6FB5, 0x7F8C9B};
    return t;
}

Theme makeDark()
{
    Theme t;
    t.isDark = true;
    t.window = 0x15181D;
    t.lane = 0x15181D;
    t.laneAlternate = 0x1A1E24;
    t.panel = 0x1E232A;
    t.line = 0x2E353F;
    t.text = 0xE6EAF0;
    t.mutedText = 0x9AA6B5;
    t.accent = 0x6EA8FE;
    t.selection = 0xFFFFFF;
    t.good = 0x5BD08F;
    t.warn = 0xF2B35E;
    t.bad = 0xFF7B72;
    t.idle = 0x2E353F;
    t.categories = {0x6A9BD1, 0xF0945A, 0x63BE80, 0xD07FB5, 0xB39B6C, 0x77869A, 0x9686D1, 0x74B8C1,
                    0x86ADA8, 0xD9BC5E, 0x6FB5AC, 0xA89C8A, 0x93BD7E, 0xD0705A, 0x7C8FD6, 0x8793A3};
    return t;
}

// The CIE Lab distance between any two of the first eight colors is at least 17, also as seen with protan,
// deutan or tritan color vision.
Theme forColorBlind(Theme t)
{
    t.isColorBlind = true;
    if (t.isDark)
        t.categories = {0x287EC6, 0xF8CF24, 0x9CF4BC, 0xDC84A9, 0x9B5F1C, 0x76637D, 0x784BE4, 0xA2C4FA,
                        0x86ADA8, 0xC9A227, 0x6FB5AC, 0xA89C8A, 0x93BD7E, 0xD0705A, 0x7C8FD6, 0x8793A3};
    else
        t.categories = {0x0D5BB4, 0xECA400, 0x58DCA0, 0xCC6290, 0x58500F, 0xCCC1D2, 0x512078, 0x6CABF4,
                        0x6B8E8A, 0x8A6D00, 0x5FA39B, 0x9A8F7F, 0x7FA86B, 0xB5523B, 0x5B6FB5, 0x7F8C9B};
    return t;
}

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

// Returns the WCAG 2 relative luminance, 0..1.
double luminance(const QColor& c)
{
    return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

double contrast(const QColor& a, const QColor& b)
{
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace

QColor Theme::shadeColor(SliceCategory c, int shade) const
{
    const QColor base = category(c);
    const int step = shade - 2; // -2 .. 3
    const int amount = 100 + std::abs(step) * 7;
    return step < 0 ? base.darker(amount) : base.lighter(amount);
}

QColor Theme::ownColor(uint32_t rgb) const
{
    // Keeps the program's hue and limits saturation and lightness, so that, for example, pure red or blue
    // goes with the theme's other colors.
    QColor color(static_cast<QRgb>(0xFF000000u | rgb));
    const float maxSaturation = isDark ? 0.62f : 0.72f;
    const float low = isDark ? 0.42f : 0.30f, high = isDark ? 0.72f : 0.78f;
    if (color.hslHueF() >= 0)
        color = QColor::fromHslF(color.hslHueF(), std::min(color.hslSaturationF(), maxSaturation),
                                 std::clamp(color.lightnessF(), low, high));
    for (int i = 0; i < 12 && contrast(color, lane) < 1.8; ++i) {
        color = isDark ? QColor::fromHslF(color.hslHueF(), color.hslSaturationF(),
                                          std::min(1.0f, color.lightnessF() + 0.06f))
                       : color.darker(112);
    }
    return color;
}

QColor Theme::roleColor(std::string_view role) const
{
    if (role == "actor") return 0x0072B2;
    if (role == "rollout") return 0xE69F00;
    if (role == "ref") return 0x009E73;
    if (role == "critic") return 0xCC79A7;
    if (role == "reward") return 0xD55E00;
    if (role == "controller") return 0x56B4E9;
    return 0x7F8C9B;
}

QPalette Theme::palette() const
{
    QPalette p;
    p.setColor(QPalette::Window, panel);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, window);
    p.setColor(QPalette::AlternateBase, laneAlternate);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, mutedText);
    p.setColor(QPalette::Button, panel);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, bad);
    p.setColor(QPalette::ToolTipBase, panel);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::Highlight, accent);
    p.setColor(QPalette::HighlightedText, textColorOn(accent));
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::Light, line);
    p.setColor(QPalette::Midlight, line);
    p.setColor(QPalette::Mid, line);
    p.setColor(QPalette::Dark, line);
    p.setColor(QPalette::Shadow, line);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        p.setColor(QPalette::Disabled, role, mutedText);
    }
    return p;
}

const Theme& lightTheme()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme& darkTheme()
{
    static const Theme theme = makeDark();
    return theme;
}

const Theme& themeOf(bool isDark, bool isColorBlind)
{
    static const Theme light = forColorBlind(makeLight()), dark = forColorBlind(makeDark());
    if (!isColorBlind) return isDark ? darkTheme() : lightTheme();
    return isDark ? dark : light;
}

QColor textColorOn(const QColor& background)
{
    const QColor black(Qt::black), white(Qt::white);
    return contrast(background, black) >= contrast(background, white) ? black : white;
}

uint32_t stableNameHash(std::string_view name)
{
    uint32_t hash = 2166136261u;
    for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return hash;
}

} // namespace lockstep
