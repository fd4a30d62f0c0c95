// SPDX-License-Identifier: Apache-2.0
// SessionDraft: the session being set up: its present values with undo and redo, the file it belongs to, what
// is known about the hosts, and what follows from all of it: plan, forecast and findings. Between the widgets
// of the Session page and core/session. UI thread; planning a session takes well under a frame.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include <QObject>
#include <QUndoStack>

#include "core/base/result.h"
#include "core/session/expected_files.h"
#include "core/session/finding.h"
#include "core/session/host_facts.h"
#include "core/session/imported_session.h"
#include "core/session/launch_plan.h"

namespace lockstep {

class SessionDraft : public QObject {
    Q_OBJECT

  public:
    // A session and the file it was read from or saved to; empty = none yet.
    struct State {
        SessionConfig config;
        std::filesystem::path path;
    };

    explicit SessionDraft(QObject* parent = nullptr);
    ~SessionDraft() override;

    const SessionConfig& config() const { return m_state.config; }
    const std::filesystem::path& path() const { return m_state.path; }
    const std::vector<HostFacts>& facts() const { return m_facts; }
    const Result<LaunchPlan>& plan() const { return m_plan; }
    const std::vector<ExpectedFile>& expectedFiles() const { return m_expected; }
    // Of the present values; then those of the last import, which no edit removes.
    const Findings& findings() const { return m_findings; }
    // Why there is no plan is among the findings too: it is told there, once.
    bool isPlanErrorFound() const;
    // Something differs from what the file holds.
    bool isModified() const { return !m_undo.isClean(); }
    QUndoStack& undoStack() { return m_undo; }
    // The layout of verl that the plan follows; the session's, the hosts' or the newest.
    VerlSchema schema() const;

    // One field by its path of session_fields.h. Consecutive changes of one field undo as one. invalid: the
    // value does not fit, nothing changed.
    Status setField(std::string_view path, const ConfigValue& value);
    // Any change, undone as one; none when the edit changes nothing. Edits with the same word that follow
    // each other undo as one; an empty word stands alone.
    void edit(const QString& text, const SessionEdit& edit, const std::string& word = {});
    // The fix of a finding; nothing for one that a person must mend.
    void fix(const Finding& finding);
    // Other sessions take the place of the present one; undo brings it back.
    void startNew(const SessionConfig& config);
    void take(const ImportedSession& imported);
    // What the file at `path` holds; by undo the one before comes back.
    void takeOpened(const SessionConfig& config, const std::filesystem::path& path);
    // What was being set up when a window was killed: no file holds it, whatever `path` says.
    void takeUnsaved(const SessionConfig& config, const std::filesystem::path& path);
    // `saved` is in the file now, with the places that its values have there. What was changed since it was
    // begun to be saved is a change of it.
    void takeSaved(const SessionConfig& saved, const std::filesystem::path& path);
    void takeFacts(std::vector<HostFacts> facts);

    // For the undo commands only.
    void restore(const State& state);

  signals:
    // Values, plan, forecast, findings, file or modification have changed.
    void changed();

  private:
    void push(const QString& text, State after, const std::string& word = {});
    void derive();

    State m_state;
    std::vector<HostFacts> m_facts;
    Findings m_importFindings;
    Result<LaunchPlan> m_plan;
    std::vector<ExpectedFile> m_expected;
    Findings m_findings;
    QUndoStack m_undo;
};

} // namespace lockstep
