// SPDX-License-Identifier: Apache-2.0
#include "app/window/run_dialogs.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("lockstep::RunDialogs", text);
}

// Adds a Cancel button and the accept button to the bottom of the column. Returns the accept button.
QPushButton* addButtons(QDialog* dialog, QVBoxLayout* column, const QString& accept)
{
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, dialog);
    QPushButton* const button = buttons->addButton(accept, QDialogButtonBox::AcceptRole);
    column->addWidget(buttons);
    QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    return button;
}

} // namespace

void promptForSecrets(QWidget& window, const std::vector<std::string>& names,
                      const std::function<void(const TextPairs& values)>& take)
{
    auto* const dialog = new QDialog(&window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName("secrets");
    dialog->setWindowTitle(translated("Secret values"));
    auto* const column = new QVBoxLayout(dialog);
    auto* const why = new QLabel(
        translated("Sessions and workspaces store only the names of these variables. Their values are passed "
                   "to the processes of the run and never written to disk."));
    why->setWordWrap(true);
    column->addWidget(why);
    auto* const form = new QFormLayout;
    column->addLayout(form);
    std::vector<std::pair<std::string, QLineEdit*>> fields;
    for (const std::string& name : names) {
        auto* const field = new QLineEdit(dialog);
        field->setEchoMode(QLineEdit::Password);
        field->setObjectName(QString::fromStdString(name));
        form->addRow(field->objectName(), field);
        fields.emplace_back(name, field);
    }
    addButtons(dialog, column, translated("Launch"));
    QObject::connect(dialog, &QDialog::accepted, &window, [take, fields] {
        TextPairs values;
        for (const auto& [name, field] : fields)
            values.emplace_back(name, field->text().toStdString());
        take(values);
    });
    dialog->open();
}

RunList* promptForRun(QWidget& window, const std::function<void(const QString& id)>& attach)
{
    auto* const dialog = new QDialog(&window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(translated("Attach to run"));
    dialog->resize(scaledPixels(760), scaledPixels(360));
    auto* const column = new QVBoxLayout(dialog);
    auto* const list = new RunList(dialog);
    column->addWidget(list, 1);
    QPushButton* const accept = addButtons(dialog, column, translated("Attach"));
    accept->setDefault(true);
    dialog->findChild<QDialogButtonBox*>()->addButton(new RemoveRunButton(*list, dialog),
                                                      QDialogButtonBox::ActionRole);
    QObject::connect(list, &RunList::attachRequested, dialog, &QDialog::accept);
    QObject::connect(dialog, &QDialog::accepted, &window, [list, attach] {
        if (!list->chosen().isEmpty()) attach(list->chosen());
    });
    dialog->open();
    return list;
}

} // namespace lockstep
