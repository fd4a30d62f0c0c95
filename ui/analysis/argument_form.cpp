// SPDX-License-Identifier: Apache-2.0
#include "ui/analysis/argument_form.h"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QString qText(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// Escapes colons and backslashes as analysis arguments require: "a:b" becomes "a\:b".
std::string escaped(const QString& text)
{
    std::string out;
    for (const char c : text.toStdString())
        out += c == ':' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    return out;
}

} // namespace

ArgumentForm::ArgumentForm(QWidget* parent) : QWidget(parent), m_line(new QHBoxLayout(this))
{
    m_line->setContentsMargins(scaledPixels(12), 0, scaledPixels(8), scaledPixels(6));
    m_line->setSpacing(scaledPixels(8));
}

void ArgumentForm::setArguments(std::span<const AnalysisArgument> arguments)
{
    m_fields.clear();
    while (QLayoutItem* const item = m_line->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const AnalysisArgument& argument : arguments)
        addField(argument);
    // A layout ignores children that are not shown yet: the size hint would be that of an empty row.
    for (int i = 0; i < m_line->count(); ++i)
        m_line->itemAt(i)->widget()->show();
    m_line->addStretch(1);
}

void ArgumentForm::addField(const AnalysisArgument& argument)
{
    QWidget* widget = nullptr;
    if (argument.type == ArgumentType::flag) {
        auto* const box = new QCheckBox(qText(argument.name), this);
        connect(box, &QCheckBox::toggled, this, &ArgumentForm::changed);
        widget = box;
    } else {
        auto* const label = new QLabel(qText(argument.name), this);
        label->setProperty("muted", true);
        m_line->addWidget(label);
    }
    if (argument.type == ArgumentType::choice) {
        auto* const box = new QComboBox(this);
        for (const std::string_view choice : argument.choices)
            box->addItem(qText(choice));
        box->setCurrentText(qText(argument.byDefault));
        connect(box, &QComboBox::currentIndexChanged, this, &ArgumentForm::changed);
        widget = box;
    } else if (widget == nullptr) {
        auto* const edit = new QLineEdit(this);
        const bool isText = argument.type == ArgumentType::text || argument.type == ArgumentType::names;
        const QString unit = argument.type == ArgumentType::duration && !argument.byDefault.empty() &&
                                     QChar(argument.byDefault.back()).isDigit()
                                 ? qText(argument.unit)
                                 : QString();
        edit->setPlaceholderText(qText(argument.byDefault) + unit);
        const int needed = edit->fontMetrics().horizontalAdvance(edit->placeholderText()) + scaledPixels(28);
        edit->setFixedWidth(std::max(scaledPixels(isText ? 140 : 64), needed));
        connect(edit, &QLineEdit::editingFinished, this, [this, edit] {
            if (edit->property("said").toString() == edit->text()) return;
            edit->setProperty("said", edit->text());
            emit changed();
        });
        widget = edit;
    }
    widget->setToolTip(qText(argument.doc));
    widget->setAccessibleName(qText(argument.name));
    widget->setAccessibleDescription(qText(argument.doc));
    m_line->addWidget(widget);
    m_fields.push_back({&argument, widget});
}

std::string ArgumentForm::argumentText() const
{
    std::string out;
    for (const Field& field : m_fields) {
        const std::string name(field.argument->name);
        if (const auto* const box = qobject_cast<const QCheckBox*>(field.widget)) {
            if (box->isChecked()) out += ":" + name;
        } else if (const auto* const choice = qobject_cast<const QComboBox*>(field.widget)) {
            if (choice->currentText() != qText(field.argument->byDefault))
                out += ":" + name + "=" + escaped(choice->currentText());
        } else if (const auto* const edit = qobject_cast<const QLineEdit*>(field.widget)) {
            const QString text = edit->text().trimmed();
            if (!text.isEmpty()) out += ":" + name + "=" + escaped(text);
        }
    }
    return out;
}

QWidget* ArgumentForm::field(std::string_view name) const
{
    for (const Field& field : m_fields) {
        if (field.argument->name == name) return field.widget;
    }
    return nullptr;
}

} // namespace lockstep
