// SPDX-License-Identifier: Apache-2.0
// The sections of the form: what runs, what is recorded, and the settings of the selected tool. Each shows
// only the fields that apply to the framework, launcher and tool; values of hidden fields stay in the
// session. UI thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/session/session_config.h"
#include "ui/session/browse_button.h"
#include "ui/session/field_editors.h"
#include "ui/session/field_text.h"
#include "ui/session/session_section.h"
#include "ui/style/theme.h"

class QAbstractButton;
class QTableView;

namespace lockstep {

class HostsModel;
class NsightOptionsModel;
class RecipeSettingsModel;
class RoleMatrixModel;
class RoleMatrixView;

// ConditionalLines holds lines, each of which is shown only while its condition on the session and the config
// layout is true.
class ConditionalLines {
  public:
    using Condition = std::function<bool(const SessionConfig&)>;

    void add(QWidget* line, Condition condition) { m_lines.emplace_back(line, std::move(condition)); }
    void refresh(const SessionConfig& config) const;

  private:
    std::vector<std::pair<QWidget*, Condition>> m_lines;
};

// FormSection is a section of the form with lines that are shown only while they apply.
class FormSection : public SessionSection {
    Q_OBJECT

  public:
    FormSection(SessionDraft& draft, const QString& heading, QWidget* parent);

  protected:
    // Without a condition, the line is always shown. `browse` adds a Browse button for sessions on this
    // machine.
    SectionLine* addText(const std::string& path, const QString& caption, FieldText kind,
                         ConditionalLines::Condition condition = {},
                         std::optional<BrowseFor> browse = std::nullopt);
    SectionLine* addButtons(const std::string& path, const QString& caption, std::vector<FieldChoice> choices,
                            ConditionalLines::Condition condition = {});
    void addConditional(QWidget* line, ConditionalLines::Condition condition);
    void refreshLines();

  private:
    ConditionalLines m_conditional;
};

class ProgramSection : public FormSection {
    Q_OBJECT

  public:
    ProgramSection(SessionDraft& draft, QWidget* parent);

    void setTheme(const Theme& theme);
    // Selects the cell of a finding: "hosts.NAME", or "hosts.ROW.KEY" for a refused text.
    void showHost(const QString& path);

  private:
    void addLauncherLines();
    void addHosts();
    void addHostActions();
    void addCommandLines();
    void refresh();

    HostsModel* m_hosts;
    QTableView* m_table;
    FieldCombo* m_eras;
};

class RecordingSection : public FormSection {
    Q_OBJECT

  public:
    RecordingSection(SessionDraft& draft, QWidget* parent);

    void setTheme(const Theme& theme);
    RoleMatrixView* matrix() const { return m_matrix; }

  signals:
    // Emitted when a different role becomes current in the matrix.
    void roleChosen(Role role);

  private:
    void refresh();

    RoleMatrixModel* m_roles;
    RoleMatrixView* m_matrix = nullptr;
    SectionLine* m_clocks = nullptr;
};

// ToolLinesSection shows the settings of the tools, for the whole session or for one role.
class ToolLinesSection : public FormSection {
    Q_OBJECT

  public:
    ToolLinesSection(SessionDraft& draft, const QString& heading, QWidget* parent);

  protected:
    // LineScope is the scope of a group of lines; it is evaluated after each change.
    struct LineScope {
        std::string prefix; // prefix of the field paths: "" or "roles.actor."
        std::function<std::optional<Tool>(const SessionConfig&)>
            tool; // effective tool; nullopt if no lines are shown
        std::function<bool(const SessionConfig&)> hasHooks;
    };

    // Adds the lines of torch, torch_memory, npu and precision_debugger.
    void addToolLines(const LineScope& scope);
    void addHookLines(const LineScope& scope);

  private:
    void addTorchLines(const LineScope& scope);
    void addNpuLines(const LineScope& scope);
};

// RoleSection shows the settings of one role except its ranks: the tool, the save path, tool settings and
// hooks. The user selects the role as the current row of the matrix or in this section.
class RoleSection : public ToolLinesSection {
    Q_OBJECT

  public:
    RoleSection(SessionDraft& draft, QWidget* parent);

    Role role() const { return m_role; }
    void showRole(Role role);

  private:
    void addRole(Role role);
    void refresh();
    bool hasOwn(Role role) const;

    Role m_role = Role::actor;
    std::vector<QAbstractButton*> m_buttons; // one per role, in the order of kRoles
};

class ToolSection : public ToolLinesSection {
    Q_OBJECT

  public:
    ToolSection(SessionDraft& draft, QWidget* parent);

    void setTheme(const Theme& theme);
    QTableView* options() const { return m_options; }

  private:
    void addRecipeSettings();
    void addNsys();
    void addCapture();
    void refresh();

    RecipeSettingsModel* m_settings;
    QTableView* m_settingsTable;
    NsightOptionsModel* m_nsight;
    QTableView* m_options;
    SectionLine* m_stepsAre = nullptr;
};

} // namespace lockstep
