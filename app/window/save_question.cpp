// SPDX-License-Identifier: Apache-2.0
#include "app/window/save_question.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>

namespace lockstep {

namespace {

QString savingText(const char* text)
{
    return QCoreApplication::translate("lockstep::SaveQuestion", text);
}

} // namespace

void promptToSave(QWidget& window, const QString& text, const QString& dropText,
                  const std::function<void()>& save, const std::function<void()>& drop)
{
    auto* const box = new QMessageBox(QMessageBox::Warning, "Lockstep", text, QMessageBox::NoButton, &window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    const QPushButton* const saveButton = box->addButton(savingText("Save"), QMessageBox::AcceptRole);
    const QPushButton* const dropButton = box->addButton(dropText, QMessageBox::DestructiveRole);
    box->addButton(savingText("Cancel"), QMessageBox::RejectRole);
    QObject::connect(box, &QMessageBox::buttonClicked, &window,
                     [save, drop, saveButton, dropButton](const QAbstractButton* button) {
                         if (button == saveButton) save();
                         if (button == dropButton) drop();
                     });
    box->open();
}

} // namespace lockstep
