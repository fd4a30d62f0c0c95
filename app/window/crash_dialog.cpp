// SPDX-License-Identifier: Apache-2.0
#include "app/window/crash_dialog.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/session/secrets.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

struct CrashDialog {
    Q_DECLARE_TR_FUNCTIONS(lockstep::CrashDialog)
};

} // namespace

void showCrashReport(QWidget& window, const CrashReport& report, const TextPairs& secrets)
{
    const Result<std::string> read = report.read();
    const QString text = QString::fromStdString(read ? withoutSecrets(*read, secrets) : read.error().message);
    auto* const dialog = new QDialog(&window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(CrashDialog::tr("Crash report"));
    resizeWithinScreen(*dialog, {scaledPixels(820), scaledPixels(520)});
    auto* const column = new QVBoxLayout(dialog);
    auto* const header = new QLabel(
        CrashDialog::tr("Saved as %1. Nothing was sent. The log lines may contain file and host names; check "
                        "them before you share the report.")
            .arg(report.path.c_str()),
        dialog);
    header->setWordWrap(true);
    header->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(header);
    auto* const body = new QPlainTextEdit(text, dialog);
    body->setReadOnly(true);
    body->setLineWrapMode(QPlainTextEdit::NoWrap);
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    disableLigatures(fixed);
    body->setFont(fixed);
    body->setAccessibleName(CrashDialog::tr("Report"));
    column->addWidget(body, 1);
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    const QPushButton* const copy = buttons->addButton(CrashDialog::tr("Copy"), QDialogButtonBox::ActionRole);
    const QPushButton* const remove =
        buttons->addButton(CrashDialog::tr("Delete"), QDialogButtonBox::ActionRole);
    column->addWidget(buttons);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    QObject::connect(copy, &QPushButton::clicked, dialog,
                     [text] { QGuiApplication::clipboard()->setText(text); });
    QObject::connect(remove, &QPushButton::clicked, dialog, [dialog, path = report.path] {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
        dialog->close();
    });
    dialog->open();
}

} // namespace lockstep
