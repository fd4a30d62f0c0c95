// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/key_editor.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/panels/key_press_edit.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kNameRole = Qt::UserRole;

} // namespace

KeyEditor::KeyEditor(KeyMap keys, const QStringList& presets, QWidget* parent)
    : QWidget(parent), m_keys(std::move(keys)), m_preset(new QComboBox(this)), m_filter(new QLineEdit(this)),
      m_list(new QTreeWidget(this)), m_commandLabel(new QLabel(this)), m_press(new KeyPressEdit(this)),
      m_conflicts(new QLabel(this)), m_add(new QPushButton(tr("Add"), this)),
      m_only(new QPushButton(tr("Replace"), this)), m_remove(new QPushButton(tr("Clear"), this)),
      m_reset(new QPushButton(tr("Reset"), this)), m_resetAll(new QPushButton(tr("Reset all"), this))
{
    m_only->setObjectName("replace");
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    auto* const top = new QHBoxLayout;
    auto* const caption = new QLabel(tr("&Preset"), this);
    caption->setBuddy(m_preset);
    m_preset->addItems(presets);
    m_preset->setCurrentIndex(static_cast<int>(m_keys.preset()));
    m_preset->setAccessibleName(tr("Preset"));
    m_filter->setPlaceholderText(tr("Find a command or a key"));
    m_filter->setAccessibleName(m_filter->placeholderText());
    top->addWidget(caption);
    top->addWidget(m_preset);
    top->addWidget(m_filter, 1);
    top->addWidget(m_resetAll);
    column->addLayout(top);
    makeList();
    column->addWidget(m_list, 1);
    column->addWidget(makeEditing());
    connect(m_preset, &QComboBox::activated, this, [this](int index) {
        m_keys.setPreset(static_cast<KeyPreset>(index));
        change();
    });
    connect(m_filter, &QLineEdit::textChanged, this, &KeyEditor::filter);
    connect(m_resetAll, &QPushButton::clicked, this, [this] {
        m_keys.resetAll();
        change();
    });
    setFocusProxy(m_filter);
    showKeys();
    showChosen();
}

void KeyEditor::setKeys(const KeyMap& keys)
{
    m_keys = keys;
    m_preset->setCurrentIndex(static_cast<int>(keys.preset()));
    showKeys();
    showChosen();
}

void KeyEditor::makeList()
{
    m_list->setProperty("sheet", true);
    m_list->setAccessibleName(tr("Commands and their keys"));
    m_list->setHeaderLabels({tr("Command"), tr("Keys")});
    m_list->setUniformRowHeights(true);
    m_list->setMinimumHeight(scaledPixels(300));
    fill();
    m_list->expandAll();
    m_list->header()->setStretchLastSection(true);
    m_list->setColumnWidth(0, scaledPixels(390));
    connect(m_list, &QTreeWidget::currentItemChanged, this, &KeyEditor::showChosen);
}

QWidget* KeyEditor::makeEditing()
{
    auto* const all = new QWidget(this);
    auto* const column = new QVBoxLayout(all);
    column->setContentsMargins(0, 0, 0, 0);
    m_commandLabel->setProperty("strong", true);
    column->addWidget(m_commandLabel);
    auto* const line = new QHBoxLayout;
    line->addWidget(m_press, 1);
    for (QPushButton* const button : {m_add, m_only, m_remove, m_reset})
        line->addWidget(button);
    column->addLayout(line);
    m_conflicts->setWordWrap(true);
    m_conflicts->setTextFormat(Qt::PlainText);
    m_conflicts->setMinimumHeight(scaledPixels(34));
    column->addWidget(m_conflicts);
    connect(m_press, &KeyPressEdit::keyPressed, this, &KeyEditor::showConflicts);
    connect(m_add, &QPushButton::clicked, this, [this] { take(false); });
    connect(m_only, &QPushButton::clicked, this, [this] { take(true); });
    connect(m_remove, &QPushButton::clicked, this, [this] {
        m_keys.bind(chosen(), {});
        change();
    });
    connect(m_reset, &QPushButton::clicked, this, [this] {
        m_keys.reset(chosen());
        change();
    });
    return all;
}

void KeyEditor::fill()
{
    QTreeWidgetItem* group = nullptr;
    for (const KeyCommand& command : m_keys.commands()) {
        if (group == nullptr || group->text(0) != command.group) {
            group = new QTreeWidgetItem(m_list, {command.group});
            group->setFlags(Qt::ItemIsEnabled);
        }
        auto* const item = new QTreeWidgetItem(group, {command.text});
        item->setData(0, kNameRole, command.name);
        item->setToolTip(0, command.text);
    }
}

void KeyEditor::showKeys()
{
    for (QTreeWidgetItemIterator at(m_list); *at != nullptr; ++at) {
        const QString name = (*at)->data(0, kNameRole).toString();
        if (name.isEmpty()) continue;
        const QString keys = m_keys.shownKeys(name);
        (*at)->setText(1, m_keys.find(name)->isFixed ? tr("%1 (fixed)").arg(keys) : keys);
        QFont font = (*at)->font(1);
        font.setBold(m_keys.isOwn(name));
        (*at)->setFont(1, font);
    }
    m_resetAll->setEnabled(m_keys.hasOwn());
}

void KeyEditor::filter(const QString& text)
{
    for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
        QTreeWidgetItem* const group = m_list->topLevelItem(i);
        bool isAny = false;
        for (int j = 0; j < group->childCount(); ++j) {
            QTreeWidgetItem* const item = group->child(j);
            const bool isShown = item->text(0).contains(text, Qt::CaseInsensitive) ||
                                 item->text(1).contains(text, Qt::CaseInsensitive);
            item->setHidden(!isShown);
            isAny = isAny || isShown;
        }
        group->setHidden(!isAny);
    }
}

QString KeyEditor::chosen() const
{
    return m_list->currentItem() == nullptr ? QString()
                                            : m_list->currentItem()->data(0, kNameRole).toString();
}

void KeyEditor::choose(const QString& command)
{
    for (QTreeWidgetItemIterator at(m_list); *at != nullptr; ++at) {
        if ((*at)->data(0, kNameRole).toString() == command) m_list->setCurrentItem(*at);
    }
}

void KeyEditor::showChosen()
{
    const KeyCommand* const command = m_keys.find(chosen());
    m_commandLabel->setText(command == nullptr ? tr("No command selected") : command->text);
    m_press->setEnabled(command != nullptr && !command->isFixed);
    m_press->forget();
    showConflicts();
}

QStringList KeyEditor::enumNames(const QStringList& commands) const
{
    QStringList words;
    for (const QString& name : commands)
        words << m_keys.find(name)->text;
    return words;
}

// Shows which commands already use the pressed keys, and enables the buttons for the changes that are
// possible.
void KeyEditor::showConflicts()
{
    const KeyCommand* const command = m_keys.find(chosen());
    const QKeySequence pressed = m_press->pressed();
    const QStringList others =
        command == nullptr || pressed.isEmpty() ? QStringList() : m_keys.conflicts(command->name, pressed);
    bool isFree = true;
    for (const QString& other : others)
        isFree = isFree && !m_keys.find(other)->isFixed;
    const bool canChange = command != nullptr && !command->isFixed;
    const bool canTake = canChange && isFree && !pressed.isEmpty();
    m_add->setEnabled(canTake && !m_keys.keysOf(command->name).contains(pressed));
    m_only->setEnabled(canTake);
    m_remove->setEnabled(canChange && !m_keys.keysOf(command->name).isEmpty());
    m_reset->setEnabled(canChange && m_keys.isOwn(command->name));
    QString words;
    if (command != nullptr && command->isFixed)
        words = tr("These keys are fixed and cannot be changed.");
    else if (!others.isEmpty() && !isFree)
        words = tr("%1 is reserved for: %2. Choose other keys.")
                    .arg(pressed.toString(QKeySequence::NativeText), enumNames(others).join("; "));
    else if (!others.isEmpty())
        words = tr("%1 is used by: %2. Assigning it here removes it there.")
                    .arg(pressed.toString(QKeySequence::NativeText), enumNames(others).join("; "));
    else if (const QStringList clashes = m_keys.clashes(); !clashes.isEmpty() && pressed.isEmpty())
        words =
            tr("Keys assigned to several commands, which may then do nothing: %1").arg(clashes.join("; "));
    m_conflicts->setProperty("tone", isFree ? "warn" : "bad");
    m_conflicts->style()->unpolish(m_conflicts);
    m_conflicts->style()->polish(m_conflicts);
    m_conflicts->setText(words);
    m_conflicts->setAccessibleName(words);
}

void KeyEditor::take(bool isOnly)
{
    const QString name = chosen();
    const QKeySequence pressed = m_press->pressed();
    if (pressed.isEmpty()) return;
    for (const QString& other : m_keys.conflicts(name, pressed)) {
        QList<QKeySequence> left = m_keys.keysOf(other);
        left.removeIf(
            [&](const QKeySequence& keys) { return keys.matches(pressed) || pressed.matches(keys); });
        m_keys.bind(other, left);
    }
    QList<QKeySequence> keys = isOnly ? QList<QKeySequence>() : m_keys.keysOf(name);
    keys << pressed;
    m_keys.bind(name, keys);
    change();
}

void KeyEditor::change()
{
    showKeys();
    showChosen();
    emit keysChanged(m_keys);
}

} // namespace lockstep
