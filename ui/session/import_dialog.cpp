// SPDX-License-Identifier: Apache-2.0
#include "ui/session/import_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

ImportDialog::ImportDialog(const QString& title, const QString& hint, Read read, QWidget* parent)
    : QDialog(parent), m_read(std::move(read)), m_text(new QPlainTextEdit(this)), m_problem(new QLabel(this))
{
    setWindowTitle(title);
    setAttribute(Qt::WA_DeleteOnClose);
    resize(scaledPixels(640), scaledPixels(380));
    auto* const column = new QVBoxLayout(this);
    m_text->setPlaceholderText(hint);
    m_text->setProperty("code", true);
    m_text->setTabChangesFocus(true);
    m_text->setAccessibleName(title);
    m_problem->setProperty("tone", "bad");
    m_problem->setWordWrap(true);
    m_problem->hide();
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Import"));
    column->addWidget(m_text, 1);
    column->addWidget(m_problem);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &ImportDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &ImportDialog::reject);
}

void ImportDialog::accept()
{
    const Result<ImportedSession> session = m_read(m_text->toPlainText().toStdString());
    if (session) {
        emit imported(*session);
        return QDialog::accept();
    }
    m_problem->setText(QString::fromStdString(session.error().message));
    m_problem->show();
}

} // namespace lockstep
