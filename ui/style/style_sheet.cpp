// SPDX-License-Identifier: Apache-2.0
#include "ui/style/style_sheet.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QHash>
#include <QRegularExpression>
#include <QScreen>
#include <QWidget>

namespace lockstep {

namespace {

constexpr double kTextPixels = 13;
constexpr double kSmallPixels = 12;

// {name} is replaced with a color, {12} with a length given in pixels at scale 1.
constexpr const char* kFrameRules = R"(
QMainWindow, QDialog { background: {panel}; }
QMainWindow::separator { background: {line}; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: {accent}; }
QMenuBar { background: {panel}; border-bottom: 1px solid {line}; padding: {1}px {4}px; }
QMenuBar::item { padding: {4}px {9}px; border-radius: {4}px; background: transparent; }
QMenuBar::item:selected { background: {hover}; }
QMenu { background: {panel}; border: 1px solid {line}; padding: {4}px 0; menu-scrollable: 1; }
QMenu::item { padding: {5}px {28}px {5}px {24}px; }
QMenu::item:selected { background: {tint}; }
QMenu::item:disabled { color: {muted}; }
QMenu::separator { height: 1px; background: {line}; margin: {4}px 0; }
QMenu::indicator { left: {6}px; width: {12}px; height: {12}px; }
QToolTip { background: {panel}; color: {text}; border: 1px solid {line}; padding: {4}px; }
QToolBar { background: {panel}; border: 0; border-bottom: 1px solid {line}; padding: 0; spacing: 0; }
QStatusBar { background: {panel}; border-top: 1px solid {line}; font-size: {12}px; }
QStatusBar::item { border: 0; }
QStatusBar QLabel { color: {muted}; font-size: {12}px; padding: 0 {6}px; }
QDockWidget { color: {muted}; }
QDockWidget::title { background: {panel}; padding: {6}px {10}px; border-bottom: 1px solid {line}; }
QSplitter::handle { background: {line}; }
QSplitter::handle:hover { background: {accent}; }
)";

constexpr const char* kControlRules = R"(
QPushButton, QToolButton { background: transparent; border: 1px solid {line}; border-radius: {5}px;
    padding: {4}px {12}px; color: {text}; }
QPushButton:hover, QToolButton:hover { background: {hover}; }
QPushButton:pressed, QToolButton:pressed { background: {line}; }
QPushButton:disabled, QToolButton:disabled { color: {muted}; }
QPushButton:default { border-color: {accent}; }
QPushButton[danger="true"] { color: {bad}; }
QPushButton[danger="true"]:disabled { color: {muted}; }
QPushButton[primary="true"] { background: {accent}; border-color: {accent}; color: {onaccent}; font-weight: 600; }
QPushButton[primary="true"]:disabled { background: transparent; border-color: {line}; color: {muted}; }
QPushButton[primary="true"]:focus { border-color: {text}; }
QPushButton:focus, QToolButton:focus, QComboBox:focus { border-color: {accent}; }
QToolButton { padding: {3}px {8}px; }
QToolButton[flat="true"], QPushButton[flat="true"] { border: 1px solid transparent; color: {muted}; }
QToolButton[flat="true"]:hover, QPushButton[flat="true"]:hover { color: {text}; background: {hover}; }
QToolButton[flat="true"]:focus, QPushButton[flat="true"]:focus { border-color: {accent}; }
QToolButton[link="true"] { border: 1px solid transparent; padding: {1}px {2}px; color: {accent}; font-size: {12}px; }
QToolButton[link="true"]:hover { background: transparent; text-decoration: underline; }
QToolButton[link="true"]:focus { border-color: {accent}; }
QLabel[key="true"] { border: 1px solid {line}; border-radius: {4}px; padding: 0 {6}px; color: {muted}; font-size: {11}px; }
QToolButton[inField="true"] { border: 1px solid transparent; border-radius: {4}px; padding: 0 {5}px; color: {muted}; font-size: {12}px; }
QToolButton[inField="true"]:hover { color: {text}; background: {hover}; }
QToolButton[inField="true"]:checked { background: {tint}; color: {text}; font-weight: 600; }
QToolButton[inField="true"]:focus { border-color: {accent}; }
QToolButton[chip="true"] { border: 1px solid {line}; border-radius: {10}px; padding: {1}px {9}px; font-size: {12}px; }
QToolButton[chip="true"]:hover { border-color: {accent}; }
QFrame#searchPanel { background: {panel}; border: 1px solid {line}; border-radius: {6}px; }
QFrame#tourCard { background: {panel}; border: 1px solid {accent}; border-radius: {8}px; }
QFrame#tourFrame { background: transparent; border: 2px solid {accent}; border-radius: {4}px; }
QFrame#pageBanner { background: {panel}; border: 1px solid {bad}; border-radius: {6}px; }
QFrame#columnChooser { background: {window}; border: 1px solid {line}; }
QToolButton::menu-indicator { image: none; }
QToolButton[popupMode="1"] { padding-right: {22}px; }
QToolButton::menu-button { border: 0; background: transparent; width: {16}px; }
QPushButton[page="true"] { border: 1px solid transparent; border-radius: {6}px; padding: {4}px {14}px; color: {muted}; font-weight: 600; }
QPushButton[page="true"]:checked { background: {window}; border-color: {line}; color: {text}; }
QPushButton[crumb="true"] { border: 1px solid transparent; padding: {2}px {4}px; color: {muted}; }
QPushButton[crumb="true"]:hover { color: {text}; background: transparent; text-decoration: underline; }
QPushButton[crumb="true"]:focus { border-color: {accent}; }
QPushButton[crumb="true"]:disabled { color: {text}; font-weight: 600; }
QPushButton[segment="true"] { border: 1px solid {line}; border-radius: 0; margin-left: -1px; padding: {2}px {10}px;
    color: {muted}; font-size: {12}px; }
QPushButton[choice="true"] { border: 1px solid {line}; border-radius: 0; margin-left: -1px; padding: {3}px {12}px; }
QPushButton[choice="true"]:checked { background: {accent}; border-color: {accent}; color: {onaccent}; font-weight: 600; }
QPushButton[choice="true"]:focus { border-color: {text}; }
QPushButton[first="true"] { margin-left: 0; }
QPushButton[toggle="true"] { border: 1px solid {line}; padding: {2}px {10}px; color: {muted}; font-size: {12}px; }
QPushButton[toggle="true"]:focus { border-color: {accent}; }
QPushButton[toggle="true"]:disabled { color: {scroll}; }
QPushButton[segment="true"]:checked, QPushButton[toggle="true"]:checked { background: {tint}; color: {text}; border-color: {line}; }
QPushButton[segment="true"]:focus { color: {accent}; }
QLineEdit { background: {window}; border: 1px solid {line}; border-radius: {5}px; padding: {3}px {8}px;
    selection-background-color: {accent}; }
QLineEdit:focus { border-color: {accent}; }
QLineEdit[invalid="true"] { border-color: {bad}; color: {bad}; }
QSpinBox { background: {window}; border: 1px solid {line}; border-radius: {5}px; padding: {2}px {6}px; }
QSpinBox:focus { border-color: {accent}; }
QSpinBox::up-button, QSpinBox::down-button { width: 0; border: 0; }
QComboBox { background: transparent; border: 1px solid {line}; border-radius: {5}px; padding: {2}px {8}px; }
QProgressBar { background: {line}; border: 0; border-radius: 1px; max-height: {3}px; min-height: {3}px; }
QProgressBar::chunk { background: {accent}; border-radius: 1px; }
QScrollArea { border: 0; background: transparent; }
QScrollBar:vertical { background: transparent; width: {10}px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: {10}px; margin: 0; }
QScrollBar::handle { background: {scroll}; border-radius: {3}px; margin: {2}px; min-height: {24}px; min-width: {24}px; }
QScrollBar::handle:hover { background: {muted}; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
)";

constexpr const char* kContentRules = R"(
QTabBar { background: {panel}; }
QMainWindow > QTabBar { border-bottom: 1px solid {line}; }
QTabBar::tab { background: transparent; color: {muted}; padding: {6}px {13}px; border: 1px solid transparent;
    border-bottom: 0; margin-top: {3}px; }
QTabBar::tab:selected { background: {window}; color: {text}; font-weight: 600; border-color: {line};
    border-top-left-radius: {6}px; border-top-right-radius: {6}px; }
QTabBar::tab:hover:!selected { color: {text}; }
QTabBar::tab:focus { color: {accent}; }
QTabBar > QToolButton { background: {panel}; border: 0; padding: 0; }
QTabBar > QToolButton[inField="true"] { background: transparent; border: 1px solid transparent; padding: 0 {5}px; }
QAbstractItemView { background: {window}; border: 0; font-size: {12}px; outline: 0;
    selection-background-color: {tint}; selection-color: {text}; }
QTreeView { show-decoration-selected: 1; }
QTreeView::item { padding: {2}px 0; border: 0; }
QTreeView::item:hover { background: {hover}; }
QTreeView::item:selected { background: {tint}; color: {text}; }
QListView[views="true"] { background: {panel}; }
QListView[views="true"]::item { padding-left: {9}px; border-left: {3}px solid transparent; }
QListView[views="true"]::item:hover { background: {hover}; }
QListView[views="true"]::item:selected { background: {tint}; color: {text}; border-left: {3}px solid {accent}; }
QListView[offers="true"] { background: {panel}; border: 1px solid {line}; }
QListView[offers="true"]::item { padding: {3}px {6}px; }
QListView[offers="true"]::item:selected { background: {tint}; color: {text}; }
QTreeView[onPanel="true"] { background: {panel}; }
QTreeView::indicator, QCheckBox::indicator { width: {11}px; height: {11}px; border: 1px solid {muted}; border-radius: {3}px; }
QTreeView::indicator:checked, QCheckBox::indicator:checked { background: {accent}; border-color: {accent}; }
QTreeView::indicator:indeterminate, QCheckBox::indicator:indeterminate { background: {half}; border-color: {accent}; }
QHeaderView { background: {panel}; border: 0; font-size: {12}px; }
QHeaderView::section { background: {panel}; color: {muted}; border: 0; border-bottom: 1px solid {line};
    padding: {4}px {8}px; font-weight: 600; }
QHeaderView::section:hover { color: {text}; }
QTreeView[plain="true"] QHeaderView, QTreeView[plain="true"] QHeaderView::section { background: {window}; }
QTableView { gridline-color: {line}; }
QTableCornerButton::section { background: {panel}; border: 0; }
QLabel[muted="true"] { color: {muted}; font-size: {12}px; }
QLabel[caption="true"] { color: {muted}; font-size: {11}px; font-weight: 600; letter-spacing: 0.5px; }
QLabel[changedMark="true"] { background: {accent}; border-radius: {3}px; }
QLabel[strong="true"] { font-weight: 600; }
QLabel[small="true"], QLabel[tone="quiet"] { font-size: {12}px; }
QLabel[tone="quiet"] { color: {muted}; }
QLabel[title="true"] { font-size: {22}px; font-weight: 600; }
QLabel[tone="bad"] { color: {bad}; font-size: {12}px; }
QLabel[tone="warn"] { color: {warn}; font-size: {12}px; }
QWidget[page="true"] { background: {window}; }
QWidget[panel="true"] { background: {panel}; }
QWidget[notice="true"] { border-top: 1px solid {line}; }
QFrame[section="true"] { background: {window}; border: 1px solid {line}; border-radius: {8}px; }
QAbstractItemView[sheet="true"] { border: 1px solid {line}; border-radius: {5}px; }
QAbstractItemView[sheet="true"]:focus, QPlainTextEdit:focus { border-color: {accent}; }
QPlainTextEdit { background: {window}; border: 1px solid {line}; border-radius: {5}px; }
QFrame[rule="true"] { background: {line}; border: 0; max-height: 1px; min-height: 1px; }
QPushButton[card="true"] { background: {panel}; border: 1px solid {line}; border-radius: {8}px; padding: 0; }
QPushButton[card="true"]:hover { border-color: {accent}; background: {panel}; }
QPushButton[card="true"]:focus { border-color: {accent}; }
)";

QHash<QString, QColor> namedColors(const Theme& theme)
{
    return {{"window", theme.window},
            {"panel", theme.panel},
            {"line", theme.line},
            {"text", theme.text},
            {"muted", theme.mutedText},
            {"accent", theme.accent},
            {"onaccent", textColorOn(theme.accent)},
            {"warn", theme.warn},
            {"bad", theme.bad},
            {"hover", mixed(theme.panel, theme.text, 0.07)},
            {"scroll", mixed(theme.panel, theme.mutedText, 0.4)},
            {"half", mixed(theme.panel, theme.accent, 0.35)},
            {"tint", mixed(theme.window, theme.accent, 0.18)}};
}

QFont fontOf(double pixels, double scale)
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    static const bool kHasInter = QFontDatabase::hasFamily("Inter");
    if (kHasInter) font.setFamily("Inter");
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(pixels * scale))));
    font.setHintingPreference(QFont::PreferVerticalHinting);
    disableLigatures(font);
    return font;
}

} // namespace

QString styleSheetOf(const Theme& theme, double scale)
{
    static const QRegularExpression kPlaceholder("\\{([a-z]+|[0-9]+)\\}");
    const QHash<QString, QColor> colors = namedColors(theme);
    const QString rules = QString(kFrameRules) + kControlRules + kContentRules;
    QString sheet;
    qsizetype copied = 0;
    for (auto matches = kPlaceholder.globalMatch(rules); matches.hasNext();) {
        const QRegularExpressionMatch match = matches.next();
        sheet += QStringView(rules).mid(copied, match.capturedStart() - copied);
        copied = match.capturedEnd();
        bool isLength = false;
        const int pixels = match.captured(1).toInt(&isLength);
        sheet +=
            isLength ? QString::number(std::lround(pixels * scale)) : colors.value(match.captured(1)).name();
    }
    sheet += QStringView(rules).mid(copied);
    return sheet;
}

// Qt 6.4 has no QFont::setFeature(). Letter spacing would turn off only "liga", but Inter replaces glyphs
// through "calt". If shaping is turned off, Qt maps each character to its own glyph; scripts that need
// shaping are still shaped.
void disableLigatures(QFont& font)
{
    font.setStyleStrategy(static_cast<QFont::StyleStrategy>(font.styleStrategy() | QFont::PreferNoShaping));
}

QFont interfaceFont(double scale)
{
    return fontOf(kTextPixels, scale);
}

QFont smallFont(double scale)
{
    return fontOf(kSmallPixels, scale);
}

QFont codeFont(double pixels)
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPixelSize(scaledPixels(pixels));
    disableLigatures(font);
    return font;
}

int scaledPixels(double pixels)
{
    return static_cast<int>(std::lround(pixels * QFontInfo(QApplication::font()).pixelSize() / kTextPixels));
}

QSize sizeWithin(QSize room, QSize wanted)
{
    // Assumed size of the window manager's frame, which is unknown before the window is shown.
    constexpr QSize kFrame(16, 48);
    return room.isEmpty() ? wanted : wanted.boundedTo((room - kFrame).expandedTo(kFrame));
}

bool resizeWithinScreen(QWidget& window, QSize wanted)
{
    const bool hasScreen =
        QGuiApplication::platformName() != "offscreen"; // the offscreen platform pretends to have a screen
    const QSize size = sizeWithin(hasScreen ? window.screen()->availableSize() : QSize(), wanted);
    window.resize(size);
    return size == wanted;
}

QRect placeWithin(const QRect& room, const QRect& wanted)
{
    constexpr QMargins kFrame(8, 40, 8, 8); // assumed, as in sizeWithin()
    const QRect inner = room.marginsRemoved(kFrame);
    if (room.contains(wanted) || inner.isEmpty()) return wanted;
    QRect place(wanted.topLeft(), wanted.size().boundedTo(inner.size()));
    place.moveLeft(std::clamp(place.left(), inner.left(), inner.right() + 1 - place.width()));
    place.moveTop(std::clamp(place.top(), inner.top(), inner.bottom() + 1 - place.height()));
    return place;
}

QColor mixed(const QColor& a, const QColor& b, double share)
{
    const auto mix = [share](int from, int to) {
        return static_cast<int>(std::lround(from + (to - from) * share));
    };
    return QColor(mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue()));
}

} // namespace lockstep
