// The parts of the form: what runs, what is recorded, and the settings of the chosen tool. Each shows only
// what applies to the framework, launcher and tool at hand; what it hides stays in the session. UI thread.
#pragma once

#include <utility>
#include <vector>

#include "ui/session/session_section.h"
#include "ui/style/theme.h"

class QTableView;

namespace lockstep {

class HostsModel;
class NsightOptionsModel;
class RoleMatrixModel;
class RoleMatrixView;
struct SessionConfig;

// Lines that are shown while a condition on the session and the layout holds.
class ConditionalLines {
  public:
    using Condition = bool (*)(const SessionConfig&);

    void add(QWidget* line, Condition condition) { m_lines.emplace_back(line, condition); }
    void refresh(const SessionConfig& config) const;

  private:
    std::vector<std::pair<QWidget*, Condition>> m_lines;
};

class WhatRunsSection : public SessionSection {
    Q_OBJECT

  public:
    WhatRunsSection(SessionDraft& draft, QWidget* parent);

  private:
    void addLauncherLines();
    void addHosts();
    void addCommandLines();
    void refresh();

    HostsModel* m_hosts;
    ConditionalLines m_conditional;
};

class WhatIsRecordedSection : public SessionSection {
    Q_OBJECT

  public:
    WhatIsRecordedSection(SessionDraft& draft, QWidget* parent);

    void setTheme(const Theme& theme);
    RoleMatrixView* matrix() const { return m_matrix; }

  private:
    void refresh();

    RoleMatrixModel* m_roles;
    RoleMatrixView* m_matrix;
    ConditionalLines m_conditional;
};

class ToolSection : public SessionSection {
    Q_OBJECT

  public:
    ToolSection(SessionDraft& draft, QWidget* parent);

    void setTheme(const Theme& theme);
    QTableView* options() const { return m_options; }

  private:
    void addNsys();
    void addTorch();
    void addOthers();
    void refresh();

    NsightOptionsModel* m_nsight;
    QTableView* m_options;
    ConditionalLines m_conditional;
};

} // namespace lockstep
