// SPDX-License-Identifier: Apache-2.0
#include "app/window/save_log.h"

#include <utility>

#include <QFileDialog>

#include "app/window/app_log.h"
#include "app/window/settings.h"
#include "ui/panels/notice_bar.h"

namespace lockstep {

SaveLog::SaveLog(QWidget& window, Settings& settings, NoticeBar& notice, std::function<TextPairs()> secrets)
    : QObject(&window), m_window(window), m_settings(settings), m_notice(notice),
      m_secrets(std::move(secrets)), m_write([this](const Result<QString>& file) {
          if (file) {
              m_notice.showNotice(NoticeBar::Tone::quiet, tr("Log saved as %1").arg(*file));
          } else {
              m_notice.showNotice(NoticeBar::Tone::bad, QString::fromStdString(file.error().message), {},
                                  file.error().help);
          }
      })
{
}

void SaveLog::promptAndSave()
{
    auto* const dialog =
        new QFileDialog(&m_window, tr("Save log"), m_settings.value("open/folder").toString());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Logs (*.log)"), tr("All files (*)")});
    dialog->setDefaultSuffix("log");
    dialog->selectFile("lockstep.log");
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { saveTo(file.toStdString()); });
    dialog->open();
}

void SaveLog::saveTo(const std::filesystem::path& path)
{
    m_write.start([path, text = logFileText(programLog(), m_secrets())](const Progress&) -> Result<QString> {
        LOCKSTEP_TRY(writeLogFile(path, text));
        return QString::fromStdString(path.string());
    });
}

} // namespace lockstep
