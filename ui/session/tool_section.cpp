// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <QComboBox>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include "core/session/session_config.h"
#include "ui/session/field_message.h"
#include "ui/session/nsight_options_model.h"
#include "ui/session/recipe_settings_model.h"
#include "ui/session/session_draft.h"
#include "ui/session/session_sections.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

bool isNsys(const SessionConfig& config)
{
    return config.tool == Tool::nsys;
}

bool isNsysUnderTorchrun(const SessionConfig& config)
{
    return isNsys(config) && config.framework == Framework::torchrun;
}

static_assert(NsightOptionsModel::kChoicesRole == RecipeSettingsModel::kChoicesRole);

// Offers the option's known values; other values can still be typed.
class OptionEditor : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override
    {
        const QStringList choices = index.data(NsightOptionsModel::kChoicesRole).toStringList();
        if (choices.isEmpty()) return QStyledItemDelegate::createEditor(parent, option, index);
        auto* const combo = new QComboBox(parent);
        combo->setEditable(true);
        combo->addItem({});
        combo->addItems(choices);
        return combo;
    }
    void setEditorData(QWidget* editor, const QModelIndex& index) const override
    {
        auto* const combo = qobject_cast<QComboBox*>(editor);
        if (combo == nullptr) return QStyledItemDelegate::setEditorData(editor, index);
        combo->setEditText(index.data(Qt::EditRole).toString());
    }
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override
    {
        auto* const combo = qobject_cast<QComboBox*>(editor);
        if (combo == nullptr) return QStyledItemDelegate::setModelData(editor, model, index);
        model->setData(index, combo->currentText(), Qt::EditRole);
    }
};

void setUpOptionTable(QTableView* view, QAbstractItemModel* model, int rows)
{
    view->setModel(model);
    view->setItemDelegate(new OptionEditor(view));
    view->setTabKeyNavigation(false);
    view->setProperty("sheet", true);
    view->setEditTriggers(QAbstractItemView::AnyKeyPressed | QAbstractItemView::EditKeyPressed |
                          QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(scaledPixels(26));
    view->horizontalHeader()->setHighlightSections(false);
    view->horizontalHeader()->setStretchLastSection(true);
    view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    view->setFixedHeight(scaledPixels(26 * rows + 28));
}

} // namespace

ToolSection::ToolSection(SessionDraft& draft, QWidget* parent)
    : ToolLinesSection(draft, tr("Tool settings"), parent), m_settings(new RecipeSettingsModel(draft, this)),
      m_settingsTable(new QTableView(this)), m_nsight(new NsightOptionsModel(draft, this)),
      m_options(new QTableView(this))
{
    addRecipeSettings();
    addNsys();
    const LineScope whole{"", [](const SessionConfig& config) { return config.tool; }, hasRoles};
    addToolLines(whole);
    addCapture();
    addHookLines(whole);
    connect(&draft, &SessionDraft::changed, this, &ToolSection::refresh);
    refresh();
}

void ToolSection::addCapture()
{
    const auto isCapture = [](const SessionConfig& config) { return config.tool == Tool::capture; };
    addText("capture.range", tr("Range"), FieldText::text, isCapture);
    m_stepsAre = addButtons("capture.steps_are", tr("A step is"),
                            {{"", {}},
                             {"ordinals", tr("the n-th range")},
                             {"names", tr("named step N")},
                             {"listed", tr("each, in order")}},
                            isCapture);
    addText("capture.ranks", tr("Ranks"), FieldText::numbers, isCapture);
    addText("capture.role", tr("Role"), FieldText::text, isCapture);
    addButtons("capture.cuda", tr("CUDA"),
               {{"", {}}, {"true", tr("with kernels")}, {"false", tr("ranges only")}}, isCapture);
    addButtons("capture.graph_trace", tr("CUDA graphs"),
               {{"", {}}, {"node", tr("each kernel")}, {"graph", tr("each launch")}}, isCapture);
    addButtons("capture.when_full", tr("When full"),
               {{"", {}}, {"drop", tr("drop and count")}, {"block", tr("block the program")}}, isCapture);
    addText("capture.library", tr("Library"), FieldText::text, isCapture, BrowseFor::file);
}

void ToolSection::addRecipeSettings()
{
    setUpOptionTable(m_settingsTable, m_settings, 9);
    m_settingsTable->setColumnWidth(RecipeSettingsModel::name, scaledPixels(120));
    m_settingsTable->setColumnWidth(RecipeSettingsModel::value, scaledPixels(120));
    m_settingsTable->setColumnWidth(RecipeSettingsModel::standard, scaledPixels(90));
    m_settingsTable->setAccessibleName(tr("Settings of the framework"));
    m_settingsTable->setObjectName("settings");
    addConditional(addLine("settings", tr("Framework"), m_settingsTable),
                   [this](const SessionConfig&) { return m_settings->rowCount() > 0; });
}

void ToolSection::addNsys()
{
    addButtons("torchrun.nsys_placement", tr("One nsys per"),
               {{"", {}}, {"node", tr("node")}, {"rank", tr("rank")}}, isNsysUnderTorchrun);
    setUpOptionTable(m_options, m_nsight, 9);
    for (const int column : {NsightOptionsModel::name, NsightOptionsModel::worker})
        m_options->setColumnWidth(column, scaledPixels(150));
    for (const int column : {NsightOptionsModel::controller, NsightOptionsModel::standard})
        m_options->setColumnWidth(column, scaledPixels(110));
    m_options->setCurrentIndex(m_nsight->index(0, NsightOptionsModel::worker));
    m_options->setAccessibleName(tr("nsys options"));
    m_options->setObjectName("nsys.worker_options");
    auto* const table = new QWidget(this);
    auto* const column = new QVBoxLayout(table);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_options);
    column->addWidget(new FieldMessage(draft(), "nsys", table));
    lines()->addWidget(table);
    addConditional(table, isNsys);
}

void ToolSection::setTheme(const Theme& theme)
{
    m_nsight->setTheme(theme);
    m_settings->setTheme(theme);
}

void ToolSection::refresh()
{
    refreshLines();
    const int rows = std::clamp(m_settings->rowCount(), 1, 9);
    m_settingsTable->setFixedHeight(scaledPixels(26 * rows + 32)); // with header and frame
    // Without steps there is nothing to identify. The line keeps its place while steps are typed.
    m_stepsAre->setEnabled(!sortedSteps(draft().config()).empty());
    const std::optional<Tool> tool = draft().config().tool;
    const bool areRoles = hasRoles(draft().config());
    m_options->setColumnHidden(NsightOptionsModel::controller, !areRoles);
    const std::string_view word = tool ? enumNames(Tool{})[static_cast<size_t>(*tool)] : "";
    const std::optional<std::string> version = knownNsysVersion(draft().facts());
    QString remark = tool ? QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()))
                     : toolFromArguments(draft().config()) ? tr("the tool is chosen outside this form")
                                                           : tr("no tool selected");
    if (tool == Tool::nsys && version) remark = tr("%1 %2, found on a host").arg(remark, version->c_str());
    setRemark(remark);
    // Without a tool, the framework can still record samples.
    setVisible(tool.has_value() || areRoles || m_settings->rowCount() > 0);
}

} // namespace lockstep
