// SPDX-License-Identifier: Apache-2.0
// SessionDraft: the session being edited: its current values with undo and redo, its file, the host
// information, and the resulting plan, forecast and findings. It connects the widgets of the Session page
// with core/session. UI thread; planning a session takes less than a frame.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <QObject>
#include <QUndoStack>

#include "core/base/result.h"
#include "core/session/expected_files.h"
#include "core/session/finding.h"
#include "core/session/host_facts.h"
#include "core/session/import_text.h"
#include "core/session/launch_plan.h"
#include "core/session/script_launch.h"

namespace lockstep {

// A host that did not respond when it was queried.
struct UnreachableHost {
    std::string host;
    std::string address; // argument for ssh; "" = this machine
    std::string reason;
};

// HostCheck is the result of the last query of a host, for its row in the table of hosts.
struct HostCheck {
    enum class State { notPlanned, unchecked, running, responded, unreachable };
    State state = State::notPlanned; // notPlanned: the plan does not query this host
    std::string reason;              // why it is unreachable
};

// RefusedText is text typed into a field that the field does not accept. The session keeps the field's
// previous value.
struct RefusedText {
    std::string text;    // as typed
    std::string caption; // of the field, for the finding
    std::string reason;

    friend bool operator==(const RefusedText&, const RefusedText&) = default;
};

class SessionDraft : public QObject {
    Q_OBJECT

  public:
    // State is a session and the path of the file from which it was read or to which it was saved. The path
    // is empty if there is no file yet. All undo steps of a session share the path, so that undoing an edit
    // after a save does not forget the file. `refused` contains the refused texts by the path of their field;
    // the path of a cell in a table of fields ends with the cell, as in "hosts.1.gpus". A session with
    // refused texts can be neither saved nor launched.
    struct State {
        SessionConfig config;
        std::shared_ptr<std::filesystem::path> path;
        std::map<std::string, RefusedText, std::less<>> refused;

        friend bool operator==(const State& a, const State& b)
        {
            return a.config == b.config && *a.path == *b.path && a.refused == b.refused;
        }
    };

    explicit SessionDraft(QObject* parent = nullptr);
    ~SessionDraft() override;

    const State& state() const { return m_state; }
    const SessionConfig& config() const { return m_state.config; }
    const std::filesystem::path& path() const { return *m_state.path; }
    // Returns the host information that answers the queries of the current session, see currentFacts().
    const std::vector<HostFacts>& facts() const { return m_facts; }
    const Result<LaunchPlan>& plan() const { return m_plan; }
    const std::vector<ExpectedFile>& expectedFiles() const { return m_expected; }
    // Returns the findings for the refused texts (rule kRefusedRule) and the current values, followed by the
    // findings of the last import. Edits do not remove import findings.
    const Findings& findings() const { return m_findings; }
    // Returns true if the session differs from its file.
    bool isModified() const { return !m_undo.isClean(); }
    QUndoStack& undoStack() { return m_undo; }

    // The rule of the findings for refused texts.
    static constexpr const char* kRefusedRule = "text.refused";
    // Returns the refused text of a field, or nullptr.
    const RefusedText* refused(std::string_view path) const;
    // Sets one field by its path in session_fields.h, and discards its refused text. Consecutive changes of
    // the same field are undone in one step. Error: invalid (the field does not accept the value); in this
    // case nothing is changed.
    Status setField(std::string_view path, const ConfigValue& value);
    // Records text that a field does not accept, and sets the field to `before`, its value before the user
    // began to type (null if it was not set). Undone in one step with the other changes of the field.
    // nullopt: the text of a cell of a table; the session does not change.
    void refuse(const std::string& path, const RefusedText& text,
                const std::optional<ConfigValue>& before = {});
    // Discards the refused text of a field, so that the field shows its value again.
    void revert(std::string_view path);
    // Applies any change as one undo step, named `text` in the menu; if the edit changes nothing, no step is
    // added. Consecutive edits with the same mergeKey, unless it is empty, are undone in one step.
    void edit(const QString& text, const SessionEdit& edit, const std::string& mergeKey = {});
    // Same as edit(), for changes that also concern the refused texts.
    using StateEdit = std::function<void(State&)>;
    void editState(const QString& text, const StateEdit& edit, const std::string& mergeKey = {});
    // The following functions replace the current session; undo restores it.
    void startNew(const SessionConfig& config);
    void take(const ImportedSession& imported);
    // Loads the content of the file at `path`; undo restores the previous session.
    void handleOpened(const SessionConfig& config, const std::filesystem::path& path);
    // Restores unsaved work of a window whose program was killed. The session counts as modified regardless
    // of `path`.
    void restoreUnsaved(const SessionConfig& config, const std::filesystem::path& path);
    // Records that the file now contains `saved`, including the positions of its values in the file. Edits
    // made after the save began count as modifications.
    void handleSaved(const SessionConfig& saved, const std::filesystem::path& path);
    void applyFacts(std::vector<HostFacts> facts);
    // Sets the hosts that did not respond to the last query. A host is shown as unreachable while its address
    // is unchanged.
    void applyUnreachable(std::vector<UnreachableHost> hosts);
    // Sets what a dry run of the session's script recorded. The forecast and the checks use it as long as the
    // script is run in the same way; LaunchPlan::launches then has them with the additions that the session
    // makes now.
    void applyLaunches(std::vector<RecordedLaunch> launches);
    // Sets whether the hosts are being queried.
    void setChecking(bool isChecking);
    HostCheck hostCheck(const std::string& host) const;

  signals:
    // Emitted when the values, plan, forecast, findings, file or modified state change.
    void changed();

  private:
    class StateChange; // the undo command

    void restore(const State& state);
    void push(const QString& text, State after, const std::string& mergeKey = {});
    // Replaces the session by another one.
    void replace(const QString& text, const SessionConfig& config, const std::filesystem::path& path);
    void derive();
    void addRefusedFindings();

    State m_state{{}, std::make_shared<std::filesystem::path>(), {}};
    std::vector<HostFacts> m_allFacts; // as received; may be about an earlier session
    std::vector<HostFacts> m_facts;    // the part that is about the current values
    std::vector<UnreachableHost> m_unreachable;
    bool m_isChecking = false;
    Findings m_importFindings;
    Result<LaunchPlan> m_plan;
    std::vector<RecordedLaunch> m_recorded; // by a dry run of m_recordedFrom
    SessionConfig m_recordedFrom;
    std::vector<ExpectedFile> m_expected;
    Findings m_findings;
    QUndoStack m_undo;
};

// Returns true if a finding already reports why there is no plan, so that the reason is shown only once.
bool isPlanErrorFound(const SessionDraft& draft);
// Returns the era of the framework's recipe that the plan uses.
size_t eraOf(const SessionDraft& draft);
// Applies the fix of a finding. Does nothing if the user has to fix it manually.
void fix(SessionDraft& draft, const Finding& finding);

} // namespace lockstep
