// SPDX-License-Identifier: Apache-2.0
#include "app/window/run_removal.h"

#include <QMessageBox>
#include <QPushButton>

#include "core/base/text.h"

namespace lockstep {

RunRemoval::RunRemoval(QObject* parent)
    : QObject(parent), m_remove([this](const Result<bool>& result) {
          if (!result) emit failed(tr("Couldn't remove the run: %1").arg(result.error().message.c_str()));
          // A removal that failed may have deleted a part of the folder.
          emit removed();
      })
{
}

void RunRemoval::prompt(QWidget& window, const KnownRun& run)
{
    auto* const box = new QMessageBox(&window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setObjectName("removeRunQuestion");
    box->setIcon(QMessageBox::Warning);
    box->setWindowTitle(tr("Remove run"));
    box->setTextFormat(Qt::PlainText);
    box->setText(tr("Delete run %1 on this machine?").arg(QString::fromStdString(run.record.id)));
    const QString size = QString::fromStdString(byteText(static_cast<int64_t>(run.size_bytes)));
    box->setInformativeText(
        tr("This deletes %1 (%2) with the log, the collection status, and all reports and workspaces in it. "
           "The run's folders on its hosts are kept; lockstep --remove-runs deletes these as well.")
            .arg(QString::fromStdString(runFolderOf(run.record).string()), size));
    QPushButton* const removal = box->addButton(tr("Remove"), QMessageBox::AcceptRole);
    removal->setProperty("danger", true);
    QPushButton* const cancel = box->addButton(QMessageBox::Cancel);
    box->setDefaultButton(cancel);
    box->setEscapeButton(cancel);
    connect(removal, &QPushButton::clicked, this, [this, run] { remove(run); });
    box->open();
}

void RunRemoval::remove(const KnownRun& run)
{
    m_remove.start([record = run.record](const Progress&) -> Result<bool> {
        LOCKSTEP_TRY(removeStoredRun(record));
        return true;
    });
}

} // namespace lockstep
