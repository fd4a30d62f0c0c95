// SPDX-License-Identifier: Apache-2.0
#include "ui/session/import_dialog.h"

#include <algorithm>

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

ImportDialog::ImportDialog(const QString& title, const QString& hint, Read read, QWidget* parent)
    : QDialog(parent), m_read(std::move(read)), m_text(new QPlainTextEdit(this)), m_problem(new QLabel(this)),
      m_question(new QLabel(this))
{
    setWindowTitle(title);
    setAttribute(Qt::WA_DeleteOnClose);
    resize(scaledPixels(720), scaledPixels(560));
    auto* const column = new QVBoxLayout(this);
    m_text->setPlaceholderText(hint);
    m_text->setFont(codeFont());
    m_text->setTabChangesFocus(true);
    m_text->setAccessibleName(title);
    m_problem->setProperty("tone", "bad");
    m_problem->setWordWrap(true);
    m_problem->hide();
    m_question->setText(
        tr("The script does not contain these values. Settings that depend on an empty field stay unset."));
    m_question->setWordWrap(true);
    m_question->hide();
    auto* const area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    auto* const page = new QWidget(area);
    m_fields = new QFormLayout(page);
    area->setWidget(page);
    area->hide();
    m_area = area;
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Import"));
    column->addWidget(m_text, 1);
    column->addWidget(m_question);
    column->addWidget(m_area, 1);
    column->addWidget(m_problem);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &ImportDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &ImportDialog::reject);
}

void ImportDialog::showFile(const QString& text, const ImportedSession& session)
{
    m_text->setPlainText(text);
    m_text->setReadOnly(true);
    addFields(session);
}

bool ImportDialog::addFields(const ImportedSession& session)
{
    bool isAdded = false;
    for (const auto& [name, reason, note] : session.unknown) {
        if (std::ranges::find(m_values, name, &decltype(m_values)::value_type::first) != m_values.end())
            continue;
        auto* const field = new QLineEdit(m_area);
        const bool isArgument = name.find_first_not_of("0123456789") == std::string::npos;
        const QString label = QString::fromStdString(name);
        field->setToolTip(QString::fromStdString(note));
        field->setPlaceholderText(QString::fromStdString(reason));
        m_fields->addRow(isArgument ? tr("Argument %1").arg(label) : label, field);
        m_values.emplace_back(name, field);
        if (!isAdded) field->setFocus();
        isAdded = true;
    }
    m_question->setVisible(!m_values.empty());
    m_area->setVisible(!m_values.empty());
    return isAdded;
}

void ImportDialog::accept()
{
    TextPairs values;
    for (const auto& [name, field] : m_values) {
        if (!field->text().isEmpty()) values.emplace_back(name, field->text().toStdString());
    }
    const Result<ImportedSession> session = m_read(m_text->toPlainText().toStdString(), values);
    m_problem->setVisible(!session);
    if (!session) return m_problem->setText(QString::fromStdString(session.error().message));
    if (addFields(*session)) return;
    emit imported(*session);
    QDialog::accept();
}

} // namespace lockstep
