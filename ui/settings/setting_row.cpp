// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/setting_row.h"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QLabel* wrappedLabel(const QString& text, const char* property, QWidget* parent)
{
    auto* const label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setProperty(property, true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setFocusPolicy(Qt::NoFocus);
    return label;
}

} // namespace

SettingRow::SettingRow(const Setting& setting, QWidget* parent)
    : QWidget(parent), m_setting(setting), m_mark(new QLabel(this)), m_remark(new QLabel(this)),
      m_refusal(new QLabel(this)), m_reset(new QToolButton(this))
{
    m_reset->setObjectName("reset");
    setObjectName(setting.name());
    setAccessibleName(setting.label);
    auto* const grid = new QGridLayout(this);
    grid->setContentsMargins(0, scaledPixels(7), 0, scaledPixels(7));
    grid->setHorizontalSpacing(scaledPixels(10));
    grid->setVerticalSpacing(scaledPixels(1));
    m_mark->setFixedSize(scaledPixels(6), scaledPixels(6));
    m_mark->setProperty("changedMark", true);
    m_mark->setToolTip(tr("Changed from the default"));
    grid->addWidget(m_mark, 0, 0, Qt::AlignVCenter);
    grid->addWidget(wrappedLabel(setting.label, "plain", this), 0, 1);
    grid->addWidget(wrappedLabel(setting.description, "muted", this), 1, 1);
    grid->setColumnMinimumWidth(0, scaledPixels(8));
    grid->setColumnStretch(1, 1);
    m_control = makeControl();
    if (m_control != nullptr) {
        m_control->setAccessibleName(setting.label);
        m_control->setAccessibleDescription(setting.description);
        grid->addWidget(m_control, 0, 2, 2, 1, Qt::AlignTop);
    }
    m_reset->setText(setting.kind == Setting::Kind::remembered ? tr("Forget") : tr("Reset"));
    m_reset->setProperty("link", true);
    m_reset->setFocusPolicy(Qt::StrongFocus);
    m_reset->setAccessibleName(m_reset->text() + " " + setting.label);
    for (QWidget* const widget : {static_cast<QWidget*>(m_reset), static_cast<QWidget*>(m_mark)}) {
        QSizePolicy keepsRoom = widget->sizePolicy();
        keepsRoom.setRetainSizeWhenHidden(true);
        widget->setSizePolicy(keepsRoom);
    }
    grid->addWidget(m_reset, 0, 3, Qt::AlignTop);
    m_refusal->setProperty("tone", "bad");
    m_remark->setProperty("muted", true);
    for (QLabel* const label : {m_refusal, m_remark}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->hide();
    }
    grid->addWidget(m_refusal, 2, 1, 1, 2);
    grid->addWidget(m_remark, 3, 1, 1, 2);
    connect(m_reset, &QToolButton::clicked, this, [this] {
        setError({});
        emit resetRequested();
    });
    showValue(setting.defaultValue, false);
}

// A focused field loses the focus during its destruction and would then call the destroyed row.
SettingRow::~SettingRow()
{
    if (m_field != nullptr) m_field->disconnect(this);
}

QWidget* SettingRow::makeControl()
{
    if (m_setting.kind == Setting::Kind::toggle) {
        auto* const box = new QCheckBox(tr("On"), this);
        box->setFixedWidth(scaledPixels(300));
        connect(box, &QCheckBox::clicked, this, [this](bool isOn) { emit changeRequested(isOn); });
        return box;
    }
    if (m_setting.kind == Setting::Kind::choice) {
        auto* const box = new QComboBox(this);
        for (const Setting::Choice& choice : m_setting.choices)
            box->addItem(choice.text, choice.word);
        box->setFixedWidth(scaledPixels(300));
        box->setFocusPolicy(Qt::StrongFocus);
        box->installEventFilter(this);
        connect(box, &QComboBox::activated, this, [this, box] { emit changeRequested(box->currentData()); });
        return box;
    }
    if (m_setting.kind == Setting::Kind::number || m_setting.kind == Setting::Kind::text) return makeField();
    return nullptr;
}

QWidget* SettingRow::makeField()
{
    m_field = new QLineEdit(this);
    m_field->setPlaceholderText(m_setting.placeholder);
    m_field->setAccessibleName(m_setting.label);
    connect(m_field, &QLineEdit::editingFinished, this, &SettingRow::takeText);
    connect(m_field, &QLineEdit::textEdited, this, [this] { setError({}); });
    if (m_setting.kind == Setting::Kind::text) {
        m_field->setFixedWidth(scaledPixels(300));
        return m_field;
    }
    auto* const all = new QWidget(this);
    auto* const line = new QHBoxLayout(all);
    line->setContentsMargins(0, 0, 0, 0);
    auto* const unit = new QLabel(m_setting.unit, all);
    unit->setProperty("muted", true);
    const int needed = m_field->fontMetrics().horizontalAdvance(m_setting.placeholder) + scaledPixels(32);
    m_field->setFixedWidth(std::max(scaledPixels(110), needed));
    line->addWidget(m_field);
    line->addWidget(unit, 1);
    all->setFixedWidth(scaledPixels(300));
    all->setFocusProxy(m_field);
    return all;
}

void SettingRow::showValue(const QVariant& value, bool isChanged)
{
    m_value = value;
    if (auto* const check = qobject_cast<QCheckBox*>(m_control)) check->setChecked(value.toBool());
    if (auto* const box = qobject_cast<QComboBox*>(m_control)) box->setCurrentIndex(box->findData(value));
    if (m_field != nullptr && m_refusal->isHidden()) {
        const bool isNumber = m_setting.kind == Setting::Kind::number && value.isValid();
        m_field->setText(isNumber ? shownNumber(m_setting, value.toDouble()) : value.toString());
    }
    const bool canForget = isChanged && m_setting.kind != Setting::Kind::fact;
    m_mark->setVisible(isChanged && m_setting.kind != Setting::Kind::remembered);
    m_reset->setVisible(canForget);
}

void SettingRow::takeText()
{
    const bool isNumber = m_setting.kind == Setting::Kind::number;
    QVariant typed = m_field->text().trimmed();
    if (typed.toString().isEmpty()) {
        setError({});
        if (!m_value.toString().isEmpty()) emit resetRequested();
        return;
    }
    bool isReadable = true;
    if (isNumber) {
        const double number = QString(m_field->text()).replace(',', '.').toDouble(&isReadable);
        if (isReadable) typed = number / m_setting.shown;
    }
    const QString now =
        isNumber && m_value.isValid() ? shownNumber(m_setting, m_value.toDouble()) : m_value.toString();
    if (m_field->text().trimmed() == now) return setError({});
    if (const QString sentence = settingError(m_setting, typed); !sentence.isEmpty())
        return setError(tr("\"%1\" was not accepted: %2.").arg(m_field->text(), sentence));
    setError({});
    emit changeRequested(*settingValue(m_setting, typed));
}

void SettingRow::setError(const QString& sentence)
{
    m_refusal->setText(sentence);
    m_refusal->setVisible(!sentence.isEmpty());
}

void SettingRow::setRemark(const QString& remark)
{
    m_remark->setText(remark);
    m_remark->setVisible(!remark.isEmpty());
}

void SettingRow::addBelow(QWidget* widget)
{
    auto* const grid = static_cast<QGridLayout*>(layout());
    grid->setRowMinimumHeight(4, scaledPixels(8));
    grid->addWidget(widget, 5, 1, 1, 3);
    m_control = widget;
}

bool SettingRow::has(const QStringList& words) const
{
    const QString all =
        QStringList{m_setting.group, m_setting.label, m_setting.description, m_setting.keys.join(' ')}.join(
            ' ');
    return std::ranges::all_of(words,
                               [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

QString SettingRow::refusal() const
{
    return m_refusal->isHidden() ? QString() : m_refusal->text();
}

bool SettingRow::isMarked() const
{
    return !m_mark->isHidden();
}

// The wheel over a combo box scrolls the page, so that scrolling does not change the value.
bool SettingRow::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::Wheel) return QWidget::eventFilter(watched, event);
    event->ignore();
    return true;
}

} // namespace lockstep
