// SPDX-License-Identifier: Apache-2.0
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/session/typed_value.h"
#include "ui/session/session_draft.h"
#include "ui/session/session_sections.h"

namespace lockstep {

namespace {

QString nameOf(Role role)
{
    const std::string_view word = enumName(role);
    return QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
}

// Lockstep capture is not listed: it applies to the whole run, not to a role.
std::vector<FieldChoice> toolChoices()
{
    return {{"", {}},           {"nsys", "nsys"},
            {"torch", "torch"}, {"torch_memory", "torch_memory"},
            {"npu", "npu"},     {"precision_debugger", "precision"}};
}

} // namespace

RoleSection::RoleSection(SessionDraft& draft, QWidget* parent)
    : ToolLinesSection(draft, tr("Role settings"), parent)
{
    auto* const row = new QWidget(this);
    auto* const line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    auto* const group = new QButtonGroup(this);
    for (const Role role : kRoles) {
        auto* const button = new QPushButton(nameOf(role), row);
        button->setProperty("choice", true);
        button->setProperty("first", m_buttons.empty());
        button->setCheckable(true);
        button->setObjectName("role=" + nameOf(role));
        group->addButton(button);
        line->addWidget(button);
        m_buttons.push_back(button);
        connect(button, &QPushButton::clicked, this, [this, role] { showRole(role); });
    }
    line->addStretch(1);
    addLine("role", tr("Role"), row);
    for (const Role role : kRoles)
        addRole(role);
    connect(&draft, &SessionDraft::changed, this, &RoleSection::refresh);
    refresh();
}

void RoleSection::addRole(Role role)
{
    const std::string prefix = "roles." + std::string(enumName(role)) + ".";
    const auto isShown = [this, role](const SessionConfig&) { return m_role == role; };
    addButtons(prefix + "tool", tr("Tool"), toolChoices(), isShown);
    addText(prefix + "save_path", tr("Save path"), FieldText::text, isShown, BrowseFor::folder);
    const LineScope scope{prefix,
                          [this, role](const SessionConfig& config) {
                              const std::optional<Tool>& own = config.role(role).tool;
                              return m_role == role ? (own ? own : config.tool) : std::nullopt;
                          },
                          isShown};
    addToolLines(scope);
    addHookLines(scope);
}

void RoleSection::showRole(Role role)
{
    m_role = role;
    refresh();
}

// Returns true if the role has settings other than its ranks.
bool RoleSection::hasOwn(Role role) const
{
    RoleProfile profile = draft().config().role(role);
    profile.enable.reset();
    profile.allRanks.reset();
    profile.ranks.reset();
    profile.discrete.reset();
    return profile != RoleProfile{};
}

void RoleSection::refresh()
{
    refreshLines();
    QStringList own;
    for (size_t i = 0; i < kRoles.size(); ++i) {
        m_buttons[i]->setChecked(kRoles[i] == m_role);
        // Only the current role's button is a Tab stop.
        m_buttons[i]->setFocusPolicy(kRoles[i] == m_role ? Qt::StrongFocus : Qt::ClickFocus);
        if (hasOwn(kRoles[i])) own << nameOf(kRoles[i]);
    }
    setRemark(own.isEmpty() ? tr("all roles use the session's settings")
                            : tr("set for %1").arg(own.join(", ")));
    setVisible(hasRoles(draft().config()));
}

} // namespace lockstep
