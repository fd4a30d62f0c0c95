#include "app/save_log.h"

#include <utility>

#include <QCoreApplication>
#include <QFileDialog>

#include "app/app_log.h"
#include "app/settings.h"
#include "ui/panels/notice_bar.h"

namespace lockstep {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("SaveLog", text);
}

} // namespace

void askToSaveLog(QWidget* parent, Settings& settings, NoticeBar& notice, std::function<TextPairs()> secrets)
{
    auto* const dialog = new QFileDialog(parent, translated("Save log"), settings.lastFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({translated("Logs (*.log)"), translated("All files (*)")});
    dialog->setDefaultSuffix("log");
    dialog->selectFile("lockstep.log");
    QObject::connect(dialog, &QFileDialog::fileSelected, parent,
                     [&notice, secrets = std::move(secrets)](const QString& file) {
                         const std::string text = logFileText(programLog(), secrets());
                         const Status written = writeLogFile(file.toStdString(), text);
                         if (written) {
                             notice.tell(NoticeBar::Tone::quiet, translated("The log is in %1").arg(file));
                         } else {
                             notice.tell(NoticeBar::Tone::bad,
                                         QString::fromStdString(written.error().message));
                         }
                     });
    dialog->open();
}

} // namespace lockstep
