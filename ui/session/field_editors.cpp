// SPDX-License-Identifier: Apache-2.0
#include "ui/session/field_editors.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStyle>
#include <QWheelEvent>

#include "core/session/session_fields.h"
#include "core/session/typed_value.h"
#include "ui/session/field_hints.h"
#include "ui/session/session_draft.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

std::optional<ConfigValue> fieldValue(const SessionDraft& draft, const std::string& path)
{
    const SessionField* const field = findSessionField(path);
    return field == nullptr ? std::nullopt : field->write(draft.config());
}

ConfigValue valueOfWord(const std::string& word)
{
    ConfigValue value;
    if (word.empty()) return value;
    value.kind = plainWordKind(word);
    value.text = word;
    return value;
}

size_t chosenIndex(const SessionDraft& draft, const std::string& path,
                   const std::vector<FieldChoice>& choices)
{
    const std::optional<ConfigValue> value = fieldValue(draft, path);
    const std::string word = value ? value->text : std::string();
    const auto found = std::ranges::find(choices, word, &FieldChoice::word);
    return static_cast<size_t>(found - choices.begin());
}

// The style sheet writes the selected choice in semibold, which the size hint does not consider.
int selectedWidth(const QAbstractButton& button)
{
    QFont font = button.font();
    font.setWeight(QFont::DemiBold);
    return QFontMetrics(font).horizontalAdvance(button.text()) + 2 * scaledPixels(12) + 2;
}

} // namespace

std::vector<FieldChoice> switchChoices()
{
    return {{"", {}}, {"true", FieldButtons::tr("on")}, {"false", FieldButtons::tr("off")}};
}

FieldEdit::FieldEdit(SessionDraft& draft, std::string path, FieldText kind, QWidget* parent)
    : QLineEdit(parent), m_draft(draft), m_path(std::move(path)), m_kind(kind)
{
    connect(this, &QLineEdit::textEdited, this, &FieldEdit::take);
    connect(this, &QLineEdit::returnPressed, this, &FieldEdit::commit);
    connect(&draft, &SessionDraft::changed, this, &FieldEdit::refresh);
    refresh();
}

void FieldEdit::take(const QString& text)
{
    m_isTaking = true;
    const Result<ConfigValue> value = readFieldText(m_kind, text.toStdString());
    const Status taken =
        value ? m_draft.setField(m_path, *value) : Status(tl::make_unexpected(value.error()));
    if (!taken) {
        m_draft.refuse(m_path, {text.toStdString(), accessibleName().toStdString(), taken.error().message},
                       m_before);
    }
    m_written = fieldValue(m_draft, m_path).value_or(ConfigValue());
    m_isTaking = false;
}

// Ends typing: from now on, the present value is the one to keep.
void FieldEdit::commit()
{
    if (m_draft.refused(m_path) == nullptr) m_before = m_written;
}

// Does not replace text that already has the same meaning, such as text with a trailing comma.
void FieldEdit::refresh()
{
    const std::optional<ConfigValue> present = fieldValue(m_draft, m_path);
    if (!m_isTaking && present.value_or(ConfigValue()) != m_written)
        m_before = m_written = present.value_or(ConfigValue());
    setPlaceholderText(fieldHint(m_draft, m_path, m_kind));
    const RefusedText* const refused = m_draft.refused(m_path);
    markInvalid(refused == nullptr ? QString() : QString::fromStdString(refused->reason));
    if (refused != nullptr) {
        const QString typed = QString::fromStdString(refused->text);
        if (text() != typed) setText(typed);
        return;
    }
    const Result<ConfigValue> shown = readFieldText(m_kind, text().toStdString());
    const bool isSame =
        shown && writeFieldText(m_kind, shown->kind == ConfigValue::Kind::null
                                            ? std::nullopt
                                            : std::optional(*shown)) == writeFieldText(m_kind, present);
    if (!isSame) setText(QString::fromStdString(writeFieldText(m_kind, present)));
}

void FieldEdit::markInvalid(const QString& reason)
{
    setAccessibleDescription(reason);
    if (property("invalid").toBool() == !reason.isEmpty()) return;
    setProperty("invalid", !reason.isEmpty());
    style()->unpolish(this);
    style()->polish(this);
}

bool FieldEdit::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* const key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
        if (key->key() == Qt::Key_Escape && m_draft.refused(m_path) != nullptr) {
            event->accept();
            return true;
        }
    }
    return QLineEdit::event(event);
}

void FieldEdit::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_draft.refused(m_path) != nullptr) return m_draft.revert(m_path);
    QLineEdit::keyPressEvent(event);
}

void FieldEdit::focusOutEvent(QFocusEvent* event)
{
    QLineEdit::focusOutEvent(event);
    commit();
    refresh();
}

FieldButtons::FieldButtons(SessionDraft& draft, std::string path, std::vector<FieldChoice> choices,
                           QWidget* parent)
    : QWidget(parent), m_draft(draft), m_path(std::move(path)), m_choices(std::move(choices))
{
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    auto* const group = new QButtonGroup(this);
    group->setExclusive(true);
    for (const FieldChoice& choice : m_choices) {
        auto* const button = new QPushButton(choice.label, this);
        button->setProperty("choice", true);
        button->setProperty("first", m_buttons.empty());
        button->setCheckable(true);
        button->setObjectName(QString::fromStdString(m_path + "=" + choice.word));
        group->addButton(button);
        line->addWidget(button);
        m_buttons.push_back(button);
        connect(button, &QPushButton::clicked, this, [this, word = choice.word] {
            static_cast<void>(m_draft.setField(m_path, valueOfWord(word)));
        });
    }
    line->addStretch(1);
    connect(&draft, &SessionDraft::changed, this, &FieldButtons::refresh);
    refresh();
}

void FieldButtons::refresh()
{
    const size_t chosen = chosenIndex(m_draft, m_path, m_choices);
    for (size_t i = 0; i < m_buttons.size(); ++i) {
        if (m_choices[i].label.isEmpty())
            m_buttons[i]->setText(defaultChoiceLabel(m_draft, m_path, m_choices));
        m_buttons[i]->setMinimumWidth(selectedWidth(*m_buttons[i]));
    }
    QButtonGroup* const group = m_buttons.empty() ? nullptr : m_buttons.front()->group();
    if (group == nullptr) return;
    group->setExclusive(false);
    for (size_t i = 0; i < m_buttons.size(); ++i)
        m_buttons[i]->setChecked(i == chosen);
    group->setExclusive(true);
    if (chosen < m_buttons.size()) {
        setFocusProxy(m_buttons[chosen]);
    } else if (!m_buttons.empty()) {
        setFocusProxy(m_buttons.front());
    }
}

FieldCombo::FieldCombo(SessionDraft& draft, std::string path, std::vector<FieldChoice> choices,
                       QWidget* parent)
    : QComboBox(parent), m_draft(draft), m_path(std::move(path)), m_choices(std::move(choices))
{
    for (const FieldChoice& choice : m_choices)
        addItem(choice.label);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    connect(this, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index < 0) return;
        static_cast<void>(m_draft.setField(m_path, valueOfWord(m_choices[static_cast<size_t>(index)].word)));
    });
    connect(&draft, &SessionDraft::changed, this, &FieldCombo::refresh);
    refresh();
}

void FieldCombo::setChoices(std::vector<FieldChoice> choices)
{
    if (std::ranges::equal(choices, m_choices, {}, &FieldChoice::word, &FieldChoice::word)) return;
    const QSignalBlocker blocker(this);
    m_choices = std::move(choices);
    clear();
    for (const FieldChoice& choice : m_choices)
        addItem(choice.label);
    refresh();
}

void FieldCombo::wheelEvent(QWheelEvent* event)
{
    if (hasFocus()) {
        QComboBox::wheelEvent(event);
    } else {
        event->ignore();
    }
}

void FieldCombo::refresh()
{
    const size_t chosen = chosenIndex(m_draft, m_path, m_choices);
    const QSignalBlocker blocker(this);
    for (size_t i = 0; i < m_choices.size(); ++i) {
        if (m_choices[i].label.isEmpty())
            setItemText(static_cast<int>(i), defaultChoiceLabel(m_draft, m_path, m_choices));
    }
    setCurrentIndex(chosen < m_choices.size() ? static_cast<int>(chosen) : -1);
}

} // namespace lockstep
