// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/top_strip.h"

#include <algorithm>

#include <QAbstractItemView>
#include <QCompleter>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardItemModel>
#include <QToolButton>

#include "ui/panels/command_delegate.h"
#include "ui/panels/crumb_bar.h"
#include "ui/style/style_sheet.h"
#include "ui/window/command_match.h"

namespace lockstep {

namespace {

const QString kLanePrefix = "lane:";
constexpr int kRestingWidth = 380, kFocusedWidth = 660; // width of the search field, px at scale 1
constexpr int kMaxState = 230;                          // maximum width of the search state in the field

// CommandCompleter writes the chosen command into the field after ">". The strip filters and ranks the
// commands.
class CommandCompleter : public QCompleter {
  public:
    using QCompleter::QCompleter;

    QString pathFromIndex(const QModelIndex& index) const override
    {
        return "> " + QCompleter::pathFromIndex(index);
    }
};

} // namespace

TopStrip::TopStrip(QWidget* parent)
    : QWidget(parent), m_tabs(new QHBoxLayout), m_trail(new CrumbBar(this)), m_search(new QLineEdit(this)),
      m_state(new QLabel(this)), m_live(new QPushButton(this)), m_completer(nullptr),
      m_offered(new QStandardItemModel(this))
{
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(scaledPixels(12), scaledPixels(6), scaledPixels(12), scaledPixels(6));
    line->setSpacing(scaledPixels(8));
    m_state->setObjectName("searchState");
    m_state->setProperty("muted", true);
    m_live->setObjectName("live");
    m_live->setProperty("toggle", true);
    m_live->setCheckable(true);
    m_live->hide();
    connect(m_live, &QPushButton::clicked, this, [this] {
        m_live->setChecked(true); // a click does not change the state; setLive() does
        emit liveClicked();
        emit pageFocusRequested();
    });
    makeSearch();
    m_tabs->setSpacing(line->spacing());
    line->addLayout(m_tabs);
    line->addSpacing(scaledPixels(8));
    line->addWidget(m_trail);
    line->addStretch(1);
    line->addWidget(m_live);
    line->addWidget(m_search, 1);
}

// Makes the search field, with the search state and the switches at its right end.
void TopStrip::makeSearch()
{
    setSearchKey({});
    m_search->setToolTip(tr(
        "Finds slices whose names contain all words. Also: /regex/, name:, lane:, arg:, rank:0-15, dur>200us, "
        "dur<2ms. Quote text with spaces. lane:text alone filters lanes. >text runs a command."));
    m_search->setAccessibleName(tr("Search names, lanes and commands"));
    m_search->setMinimumWidth(scaledPixels(180));
    m_search->setMaximumWidth(scaledPixels(kRestingWidth));
    m_search->installEventFilter(this);
    m_completer = new CommandCompleter(m_offered, this);
    m_completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    m_completer->setMaxVisibleItems(14);
    m_search->setCompleter(m_completer);
    m_completer->popup()->setProperty("offers", true);
    m_completer->popup()->setItemDelegate(new CommandDelegate(m_completer->popup()));
    m_completer->popup()->installEventFilter(this);
    connect(m_completer, QOverload<const QString&>::of(&QCompleter::activated), this,
            [this](const QString& text) {
                // Queued, because the completer still writes its text into the field.
                QMetaObject::invokeMethod(
                    this, [this, text] { requestCommand(text.mid(1).trimmed()); }, Qt::QueuedConnection);
            });
    connect(m_search, &QLineEdit::textChanged, this, &TopStrip::takeText);
    m_switches = makeSwitches();
}

QWidget* TopStrip::makeSwitches()
{
    auto* const all = new QWidget(m_search);
    auto* const line = new QHBoxLayout(all);
    line->setContentsMargins(0, 0, scaledPixels(4), 0);
    line->setSpacing(scaledPixels(2));
    m_state->setParent(all);
    line->addWidget(m_state);
    const auto button = [&](const QString& text, const QString& tooltip, bool isSwitch) {
        auto* const made = new QToolButton(all);
        made->setText(text);
        made->setToolTip(tooltip);
        made->setAccessibleName(tooltip);
        made->setProperty("inField", true);
        made->setCheckable(isSwitch);
        made->setFocusPolicy(Qt::TabFocus);
        made->setCursor(Qt::ArrowCursor);
        line->addWidget(made);
        return made;
    };
    m_case = button(QStringLiteral("Aa"), tr("Match case"), true);
    m_case->setObjectName("matchCase");
    m_regex = button(QStringLiteral(".*"), tr("Use regular expressions"), true);
    m_regex->setObjectName("regex");
    auto* const clear = button(QString(QChar(0x00D7)), tr("Clear search"), false);
    clear->hide();
    for (const QToolButton* made : {m_case, m_regex}) {
        connect(made, &QToolButton::toggled, this, [this] { takeText(m_search->text()); });
    }
    connect(clear, &QToolButton::clicked, m_search, &QLineEdit::clear);
    connect(m_search, &QLineEdit::textChanged, clear, [this, clear](const QString& text) {
        clear->setVisible(!text.isEmpty());
        placeSwitches();
    });
    return all;
}

void TopStrip::placeSwitches()
{
    const int width = m_switches->sizeHint().width();
    m_search->setTextMargins(0, 0, width, 0);
    m_switches->setGeometry(m_search->width() - width - 1, 1, width, m_search->height() - 2);
}

// Widens the focused field to make room for a query, as far as the window allows.
void TopStrip::grow(bool hasFocus)
{
    const int maxWidth = scaledPixels(kFocusedWidth), rest = scaledPixels(kRestingWidth);
    m_search->setMaximumWidth(hasFocus ? maxWidth : rest);
    const int room = width() - m_tabs->sizeHint().width() - scaledPixels(140);
    m_search->setMinimumWidth(hasFocus ? std::clamp(room, scaledPixels(180), maxWidth) : scaledPixels(180));
    emit searchFocusChanged(hasFocus);
}

bool TopStrip::isSearch() const
{
    const QString text = m_search->text();
    return !text.isEmpty() && !text.startsWith('>') && !text.startsWith(kLanePrefix);
}

void TopStrip::setLive(const QString& text, const QString& tooltip, bool isFollowing)
{
    m_live->setVisible(!text.isEmpty());
    m_live->setText(text);
    m_live->setToolTip(tooltip);
    m_live->setChecked(isFollowing);
    m_live->setAccessibleName(text);
}

void TopStrip::addTab(const QString& title, const QString& tooltip)
{
    auto* const tab = new QPushButton(title, this);
    tab->setProperty("page", true);
    tab->setCheckable(true);
    tab->setToolTip(tooltip);
    m_tabs->addWidget(tab);
    connect(tab, &QPushButton::clicked, this, [this, tab] {
        tab->setChecked(true);
        emit tabRequested(tab->text());
        emit pageFocusRequested();
    });
}

void TopStrip::setTab(const QString& title, bool hasTrail)
{
    for (int i = 0; i < m_tabs->count(); ++i) {
        auto* const tab = qobject_cast<QPushButton*>(m_tabs->itemAt(i)->widget());
        tab->setChecked(tab->text() == title);
    }
    m_trail->setVisible(hasTrail);
}

void TopStrip::setSearchKey(const QString& key)
{
    m_search->setPlaceholderText(tr("Search names, lanes, commands        %1").arg(key).trimmed());
}

void TopStrip::setCommands(std::vector<Command> commands)
{
    m_commands = std::move(commands);
    takeText(m_search->text());
}

// Offers the commands that match, best first; of equal matches, those that are first in m_commands.
void TopStrip::offerCommands(const QString& typed)
{
    std::vector<std::pair<int, const Command*>> matches;
    for (const Command& command : m_commands) {
        if (const auto score = typed.isEmpty() ? 0 : commandMatch(typed, command.text, command.description))
            matches.emplace_back(-*score, &command);
    }
    std::ranges::stable_sort(matches, {}, &std::pair<int, const Command*>::first);
    m_offered->clear();
    for (const auto& [score, command] : matches) {
        auto* const row = new QStandardItem(command->text);
        row->setData(command->keys, CommandDelegate::kKeysRole);
        const QString spoken = command->keys.isEmpty() ? command->text : command->text + ", " + command->keys;
        row->setData(spoken, Qt::AccessibleTextRole);
        m_offered->appendRow(row);
    }
}

// The command runs after the focus has returned: some commands apply to the focused panel.
void TopStrip::requestCommand(const QString& text)
{
    m_search->clear();
    returnFocus();
    emit commandRequested(text);
}

void TopStrip::returnFocus()
{
    m_completer->popup()->hide();
    if (m_focusBefore == nullptr || !m_focusBefore->isVisible()) return emit pageFocusRequested();
    m_focusBefore->setFocus();
}

void TopStrip::setSearchState(const QString& text)
{
    m_state->setText(m_state->fontMetrics().elidedText(text, Qt::ElideRight, scaledPixels(kMaxState)));
    m_state->setToolTip(text);
    placeSwitches();
}

void TopStrip::startSearch(const QString& prefix)
{
    if (!m_search->hasFocus()) m_focusBefore = window()->focusWidget();
    m_search->setFocus(Qt::ShortcutFocusReason);
    if (prefix.isEmpty()) {
        m_search->selectAll();
    } else {
        m_search->setText(prefix);
        layout()->activate(); // the field has grown, and the popup is placed below it
        if (prefix == ">") m_completer->complete();
    }
}

void TopStrip::filterLanes(const QString& regex)
{
    if (!regex.isEmpty()) {
        m_search->setText(kLanePrefix + regex);
    } else if (m_search->text().startsWith(kLanePrefix)) {
        m_search->clear();
    }
}

void TopStrip::takeText(const QString& text)
{
    const bool isLane = text.startsWith(kLanePrefix), isCommand = text.startsWith('>');
    isCommand ? offerCommands(text.mid(1).trimmed()) : m_offered->clear();
    emit laneFilterChanged(isLane ? text.mid(kLanePrefix.size()).trimmed() : QString());
    emit searchTextChanged(isLane || isCommand ? QString() : text,
                           {m_case->isChecked(), m_regex->isChecked()});
}

void TopStrip::enter(bool isForward)
{
    const QString text = m_search->text();
    if (text.startsWith('>')) {
        if (m_offered->rowCount() == 0) return setSearchState(tr("unknown command"));
        requestCommand(m_offered->item(0)->text());
    } else if (text.startsWith(kLanePrefix)) {
        emit pageFocusRequested();
    } else if (!text.isEmpty()) {
        emit searchKeyPressed(isForward ? SearchKey::next : SearchKey::previous);
    }
}

bool TopStrip::pressSearchKey(const QKeyEvent& key)
{
    const bool isEnter = key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter;
    if (key.key() == Qt::Key_Escape) {
        m_search->clear();
        returnFocus();
        return true;
    }
    if (isEnter && isSearch() && (key.modifiers() & (Qt::ControlModifier | Qt::AltModifier)) != 0) {
        const bool isAlt = (key.modifiers() & Qt::AltModifier) != 0;
        emit searchKeyPressed(isAlt ? SearchKey::list : SearchKey::selectAll);
        return true;
    }
    if (isEnter) {
        enter((key.modifiers() & Qt::ShiftModifier) == 0);
        return true;
    }
    const bool isNavigationKey = key.key() == Qt::Key_Up || key.key() == Qt::Key_Down;
    if (!isNavigationKey || !isSearch()) return false;
    emit searchKeyPressed(key.key() == Qt::Key_Down ? SearchKey::down : SearchKey::up);
    return true;
}

// While the popup is open, it gets the keys and would send them to the field past the field's event filter.
bool TopStrip::pressPopupKey(const QKeyEvent& key)
{
    const bool isEnter = key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter;
    const bool isChosen = m_completer->popup()->currentIndex().isValid(); // then activated() runs the command
    if (key.key() != Qt::Key_Escape && (!isEnter || isChosen)) return false;
    return pressSearchKey(key);
}

bool TopStrip::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_completer->popup() && event->type() == QEvent::KeyPress)
        return pressPopupKey(*static_cast<QKeyEvent*>(event));
    if (watched != m_search) return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::KeyPress && pressSearchKey(*static_cast<QKeyEvent*>(event))) return true;
    if (event->type() == QEvent::Resize) placeSwitches();
    if (event->type() == QEvent::FocusIn) grow(true);
    const auto isPopup = [event] {
        return static_cast<QFocusEvent*>(event)->reason() ==
               Qt::PopupFocusReason; // the focus moved to a menu or to the popup of the completer
    };
    if (event->type() == QEvent::FocusOut && !isPopup()) grow(false);
    return QWidget::eventFilter(watched, event);
}

} // namespace lockstep
