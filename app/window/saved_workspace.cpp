// SPDX-License-Identifier: Apache-2.0
#include "app/window/saved_workspace.h"

namespace lockstep {

SavedWorkspace::SavedWorkspace(Workers workers, QObject* parent, SaveJob::Write write)
    : QObject(parent), m_job(std::move(workers), nullptr, std::move(write))
{
    connect(&m_job, &SaveJob::progressed, this, &SavedWorkspace::progressed);
    connect(&m_job, &SaveJob::finished, this, &SavedWorkspace::handleSaved);
}

QString SavedWorkspace::name() const
{
    return QString::fromStdString(m_path.filename().string());
}

void SavedWorkspace::setFile(const std::filesystem::path& path, const SaveJob::Sections& sections)
{
    m_path = path;
    m_sections = sections;
    m_all = m_lasting = {};
    emit changed();
}

void SavedWorkspace::forget()
{
    setFile({}, {});
}

void SavedWorkspace::noteChange(bool isUserEdit)
{
    m_lasting = {true, m_lasting.hasUserEdit || isUserEdit};
    noteStep(isUserEdit);
}

void SavedWorkspace::noteStep(bool isUserEdit)
{
    m_all = {true, m_all.hasUserEdit || isUserEdit};
    m_hasChangedWhileSaving = true;
    emit changed();
}

void SavedWorkspace::noteStepsUndone()
{
    m_all = m_lasting;
    emit changed();
}

void SavedWorkspace::save(const std::filesystem::path& path, const Workspace& workspace,
                          const SaveJob::Sections& sections)
{
    for (const auto& [name, body] : sections)
        m_sections[name] = body;
    m_hasChangedWhileSaving = false;
    m_job.start(path, workspace, m_sections);
}

void SavedWorkspace::handleSaved(const std::filesystem::path& path, const Status& outcome)
{
    if (outcome) {
        m_path = path;
        m_all = m_lasting = {m_hasChangedWhileSaving, m_hasChangedWhileSaving};
        emit changed();
    }
    emit finished(path, outcome);
}

} // namespace lockstep
