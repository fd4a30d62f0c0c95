// SPDX-License-Identifier: Apache-2.0
#include "ui/session/browse_button.h"

#include <QFileDialog>

#include "core/session/session_fields.h"
#include "ui/session/session_draft.h"

namespace lockstep {

namespace {

// Replaces the script if the command starts an interpreter, otherwise the program.
void setProgram(std::vector<std::string>& command, const std::string& file)
{
    const bool isInterpreted = command.size() > 1 && !command[1].starts_with('-') &&
                               (command[0].find("python") != std::string::npos ||
                                command[0].ends_with("bash") || command[0].ends_with("sh"));
    if (command.empty()) command.emplace_back();
    command[isInterpreted ? 1 : 0] = file;
}

} // namespace

BrowseButton::BrowseButton(SessionDraft& draft, std::string path, const QString& caption, BrowseFor what,
                           QWidget* parent)
    : QToolButton(parent), m_draft(draft), m_path(std::move(path)), m_what(what)
{
    setText(tr("Browse…"));
    setObjectName("browse " + QString::fromStdString(m_path));
    setAccessibleName(tr("Browse for %1").arg(caption));
    setToolTip(what == BrowseFor::folder ? tr("Select a folder on this machine")
                                         : tr("Select a file on this machine"));
    connect(this, &QToolButton::clicked, this, &BrowseButton::browse);
    connect(&draft, &SessionDraft::changed, this, &BrowseButton::refresh);
    refresh();
}

void BrowseButton::browse()
{
    const SessionConfig& config = m_draft.config();
    const SessionField* const field = findSessionField(m_path);
    const std::optional<ConfigValue> value = field == nullptr ? std::nullopt : field->write(config);
    QString start = QString::fromStdString(config.workingFolder);
    if (m_what != BrowseFor::program && value && value->text.starts_with('/'))
        start = QString::fromStdString(value->text);
    auto* const dialog = new QFileDialog(this, accessibleName(), start);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(m_what == BrowseFor::folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &BrowseButton::take);
    dialog->open();
}

void BrowseButton::take(const QString& file)
{
    if (m_what == BrowseFor::program) {
        return m_draft.editState(tr("command"), [&](SessionDraft::State& state) {
            setProgram(state.config.command, file.toStdString());
            state.refused.erase(m_path);
        });
    }
    static_cast<void>(m_draft.setField(m_path, ConfigValue::fromText(file.toStdString())));
}

void BrowseButton::refresh()
{
    setVisible(m_draft.config().launcher.kind == LauncherKind::local);
}

} // namespace lockstep
