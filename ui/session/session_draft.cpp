// SPDX-License-Identifier: Apache-2.0
#include "ui/session/session_draft.h"

#include <algorithm>

#include <QUndoCommand>

#include "core/session/current_facts.h"
#include "core/session/preflight.h"
#include "core/session/recipes/recipe_settings.h"
#include "core/session/session_fields.h"
#include "core/session/session_yaml.h"

namespace lockstep {

class SessionDraft::StateChange : public QUndoCommand {
  public:
    StateChange(SessionDraft& draft, const QString& text, State after, std::string mergeKey)
        : QUndoCommand(text), m_draft(draft), m_before(draft.state()), m_after(std::move(after)),
          m_mergeKey(std::move(mergeKey))
    {
    }

    void undo() override { m_draft.restore(m_before); }
    void redo() override { m_draft.restore(m_after); }
    int id() const override { return m_mergeKey.empty() ? -1 : 1; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* const later = static_cast<const StateChange*>(other);
        if (later->m_mergeKey != m_mergeKey) return false;
        m_after = later->m_after;
        setObsolete(m_after == m_before); // e.g. after typed text was deleted again
        return true;
    }

  private:
    SessionDraft& m_draft;
    State m_before, m_after;
    std::string m_mergeKey;
};

SessionDraft::SessionDraft(QObject* parent)
    : QObject(parent), m_plan(makeError(ErrorKind::invalid, "command: no command yet"))
{
    derive();
    connect(&m_undo, &QUndoStack::cleanChanged, this, &SessionDraft::changed);
}

// The undo stack clears itself on destruction, which must not emit signals.
SessionDraft::~SessionDraft()
{
    m_undo.blockSignals(true);
}

Status SessionDraft::setField(std::string_view path, const ConfigValue& value)
{
    State after = m_state;
    LOCKSTEP_TRY(setSessionField(after.config, path, value));
    after.refused.erase(std::string(path));
    push(QString::fromStdString(std::string(path)), std::move(after), std::string(path));
    return {};
}

const RefusedText* SessionDraft::refused(std::string_view path) const
{
    const auto found = m_state.refused.find(path);
    return found == m_state.refused.end() ? nullptr : &found->second;
}

void SessionDraft::refuse(const std::string& path, const RefusedText& text,
                          const std::optional<ConfigValue>& before)
{
    const auto refused = [&](State& state) { state.refused[path] = text; };
    if (!before) return editState(QString::fromStdString(text.caption), refused, path);
    State after = m_state;
    static_cast<void>(setSessionField(after.config, path, *before)); // the field had this value already
    refused(after);
    push(QString::fromStdString(path), std::move(after), path);
}

void SessionDraft::revert(std::string_view path)
{
    const std::string key(path);
    editState(
        QString::fromStdString(key), [&](State& state) { state.refused.erase(key); }, key);
}

void SessionDraft::edit(const QString& text, const SessionEdit& edit, const std::string& mergeKey)
{
    editState(
        text, [&](State& state) { edit(state.config); }, mergeKey);
}

void SessionDraft::editState(const QString& text, const StateEdit& edit, const std::string& mergeKey)
{
    State after = m_state;
    edit(after);
    push(text, std::move(after), mergeKey);
}

void SessionDraft::startNew(const SessionConfig& config)
{
    m_importFindings.clear();
    replace(tr("new session"), config, {});
}

void SessionDraft::take(const ImportedSession& imported)
{
    m_importFindings = imported.findings;
    replace(tr("import"), imported.config, {});
    derive();
    emit changed();
}

void SessionDraft::handleOpened(const SessionConfig& config, const std::filesystem::path& path)
{
    m_importFindings.clear();
    replace(tr("open %1").arg(path.filename().c_str()), config, path);
    // Also needed if only comments in the file differ, because such a difference does not count as a change
    // of the session.
    m_state.config.source = config.source;
    m_undo.setClean();
}

void SessionDraft::restoreUnsaved(const SessionConfig& config, const std::filesystem::path& path)
{
    m_importFindings.clear();
    replace(tr("restored session"), config, path);
    m_undo.resetClean();
    emit changed();
}

void SessionDraft::handleSaved(const SessionConfig& saved, const std::filesystem::path& path)
{
    *m_state.path = path;
    if (m_state.config == saved && m_state.refused.empty()) {
        m_state.config = saved;
        m_undo.setClean();
    }
    emit changed();
}

void SessionDraft::applyFacts(std::vector<HostFacts> facts)
{
    m_allFacts = std::move(facts);
    derive();
    emit changed();
}

void SessionDraft::applyUnreachable(std::vector<UnreachableHost> hosts)
{
    m_unreachable = std::move(hosts);
    emit changed();
}

void SessionDraft::applyLaunches(std::vector<RecordedLaunch> launches)
{
    m_recorded = std::move(launches);
    m_recordedFrom = m_state.config;
    derive();
    emit changed();
}

void SessionDraft::setChecking(bool isChecking)
{
    if (std::exchange(m_isChecking, isChecking) != isChecking) emit changed();
}

HostCheck SessionDraft::hostCheck(const std::string& host) const
{
    if (!m_plan) return {};
    const auto planned = std::ranges::find(m_plan->hosts, host, &HostPlan::host);
    if (planned == m_plan->hosts.end()) return {};
    if (m_isChecking) return {HostCheck::State::running, {}};
    const auto lost = std::ranges::find_if(m_unreachable, [&](const UnreachableHost& one) {
        return one.host == host && one.address == planned->address;
    });
    if (lost != m_unreachable.end()) return {HostCheck::State::unreachable, lost->reason};
    const bool isKnown = findHostFacts(m_facts, host) != nullptr;
    return {isKnown ? HostCheck::State::responded : HostCheck::State::unchecked, {}};
}

void SessionDraft::restore(const State& state)
{
    m_state = state;
    derive();
    emit changed();
}

void SessionDraft::push(const QString& text, State after, const std::string& mergeKey)
{
    if (after == m_state) return;
    m_undo.push(new StateChange(*this, text, std::move(after), mergeKey));
}

void SessionDraft::replace(const QString& text, const SessionConfig& config,
                           const std::filesystem::path& path)
{
    push(text, {config, std::make_shared<std::filesystem::path>(path), {}});
}

// Returns true if the script starts the same training in both sessions, so that a dry run of one is valid for
// the other.
static bool runsScriptAlike(const SessionConfig& a, const SessionConfig& b)
{
    return usesShims(a) && a.script == b.script && a.scriptArguments == b.scriptArguments &&
           a.workingFolder == b.workingFolder && a.environment == b.environment && a.hosts == b.hosts &&
           a.launcher == b.launcher && a.containerPrefix == b.containerPrefix;
}

void SessionDraft::derive()
{
    m_facts = currentFacts(m_state.config, m_allFacts);
    m_plan = planLaunch(m_state.config, m_facts);
    if (m_plan && runsScriptAlike(m_state.config, m_recordedFrom)) {
        for (const RecordedLaunch& launch : m_recorded)
            m_plan->launches.push_back(updatedLaunch(m_state.config, launch));
    }
    const SessionConfig known = m_plan ? resolvedSession(m_state.config, m_plan->launches) : m_state.config;
    m_expected = forecastFiles(known, m_facts);
    m_findings.clear();
    addRefusedFindings();
    const Findings checked = m_plan ? preflight(known, *m_plan, m_facts) : preflight(known, m_facts);
    m_findings.insert(m_findings.end(), checked.begin(), checked.end());
    m_findings.insert(m_findings.end(), m_importFindings.begin(), m_importFindings.end());
}

void SessionDraft::addRefusedFindings()
{
    for (const auto& [path, refused] : m_state.refused) {
        const QString typed = QString::fromStdString(refused.text).left(60);
        const QString reason =
            tr("%1: \"%2\" is not accepted. %3")
                .arg(QString::fromStdString(refused.caption), typed, QString::fromStdString(refused.reason));
        addFinding(m_findings, Severity::error, path, kRefusedRule, reason.toStdString(),
                   tr("Correct or revert the text. Until then, the session keeps the previous value, and it "
                      "can be neither saved nor launched.")
                       .toStdString());
    }
}

bool isPlanErrorFound(const SessionDraft& draft)
{
    return !draft.plan() && std::ranges::any_of(draft.findings(), [&draft](const Finding& finding) {
        return finding.severity == Severity::error && !finding.field.empty() &&
               draft.plan().error().message.starts_with(finding.field + ": ");
    });
}

size_t eraOf(const SessionDraft& draft)
{
    return eraOf(draft.config(), draft.facts());
}

void fix(SessionDraft& draft, const Finding& finding)
{
    if (finding.apply) draft.edit(SessionDraft::tr("fix %1").arg(finding.field.c_str()), finding.apply);
}

} // namespace lockstep
