// SPDX-License-Identifier: Apache-2.0
#include "app/window/saved_workspace.h"

#include <algorithm>

namespace lockstep {

SavedWorkspace::SavedWorkspace(WorkDocument& document, Workers workers, QObject* parent, SaveJob::Write write)
    : QObject(parent), m_document(document), m_job(std::move(workers), nullptr, std::move(write))
{
    connect(&document, &WorkDocument::changed, this, &SavedWorkspace::changed);
    connect(&m_job, &SaveJob::progressed, this, &SavedWorkspace::progressed);
    connect(&m_job, &SaveJob::finished, this, &SavedWorkspace::handleSaved);
}

bool SavedWorkspace::needsSaving() const
{
    using Difference = WorkDocument::Difference;
    const Difference all = std::max(m_other, m_document.sinceSaved());
    return all == Difference::content || (all != Difference::none && !m_path.empty());
}

QString SavedWorkspace::name() const
{
    return QString::fromStdString(m_path.filename().string());
}

void SavedWorkspace::setFile(const std::filesystem::path& path, const SaveJob::Sections& sections)
{
    m_path = path;
    m_sections = sections;
    m_other = {};
    emit changed();
}

void SavedWorkspace::forget()
{
    setFile({}, {});
}

void SavedWorkspace::noteChange(bool hasContent)
{
    using Difference = WorkDocument::Difference;
    for (Difference* const change : {&m_other, &m_otherWhileSaving})
        *change = std::max(*change, hasContent ? Difference::content : Difference::arrangement);
    emit changed();
}

void SavedWorkspace::save(const std::filesystem::path& path, const Workspace& workspace,
                          const SaveJob::Sections& sections)
{
    for (const auto& [name, body] : sections)
        m_sections[name] = body;
    m_otherWhileSaving = {};
    m_saving = m_document.work();
    m_job.start(path, workspace, m_sections);
}

void SavedWorkspace::handleSaved(const std::filesystem::path& path, const Status& outcome)
{
    if (outcome) {
        m_path = path;
        m_other = m_otherWhileSaving;
        m_document.setSaved(m_saving);
        emit changed();
    }
    emit finished(path, outcome);
}

} // namespace lockstep
