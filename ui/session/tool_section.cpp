#include <QComboBox>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include "core/session/session_config.h"
#include "ui/session/field_editors.h"
#include "ui/session/field_message.h"
#include "ui/session/nsight_options_model.h"
#include "ui/session/session_draft.h"
#include "ui/session/session_sections.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

bool isNsys(const SessionConfig& config)
{
    return config.tool == Tool::nsys;
}

bool isTorch(const SessionConfig& config)
{
    return config.tool == Tool::torch;
}

bool isTorchMemory(const SessionConfig& config)
{
    return config.tool == Tool::torchMemory;
}

bool isCapture(const SessionConfig& config)
{
    return config.tool == Tool::capture;
}

bool isVerl(const SessionConfig& config)
{
    return isVerlFamily(config.framework);
}

bool isNsysUnderTorchrun(const SessionConfig& config)
{
    return isNsys(config) && config.framework == Framework::torchrun;
}

// Offers the option's values; others may still be typed.
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

} // namespace

ToolSection::ToolSection(SessionDraft& draft, QWidget* parent)
    : SessionSection(draft, "Settings of the tool", parent), m_nsight(new NsightOptionsModel(draft, this)),
      m_options(new QTableView(this))
{
    addNsys();
    addTorch();
    addOthers();
    connect(&draft, &SessionDraft::changed, this, &ToolSection::refresh);
    refresh();
}

void ToolSection::addNsys()
{
    m_conditional.add(addLine("torchrun.nsys_placement", "One nsys",
                              new FieldButtons(draft(), "torchrun.nsys_placement",
                                               {{"", "default"}, {"node", "a node"}, {"rank", "a rank"}})),
                      isNsysUnderTorchrun);
    m_options->setModel(m_nsight);
    m_options->setItemDelegate(new OptionEditor(m_options));
    m_options->setTabKeyNavigation(false);
    m_options->setProperty("sheet", true);
    m_options->setEditTriggers(QAbstractItemView::AnyKeyPressed | QAbstractItemView::EditKeyPressed |
                               QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked);
    m_options->setShowGrid(false);
    m_options->setWordWrap(false);
    m_options->verticalHeader()->hide();
    m_options->verticalHeader()->setDefaultSectionSize(scaledPixels(26));
    m_options->horizontalHeader()->setHighlightSections(false);
    m_options->horizontalHeader()->setStretchLastSection(true);
    m_options->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    for (const int column : {NsightOptionsModel::name, NsightOptionsModel::worker})
        m_options->setColumnWidth(column, scaledPixels(150));
    for (const int column : {NsightOptionsModel::controller, NsightOptionsModel::standard})
        m_options->setColumnWidth(column, scaledPixels(110));
    m_options->setFixedHeight(scaledPixels(26 * 9 + 28));
    m_options->setCurrentIndex(m_nsight->index(0, NsightOptionsModel::worker));
    m_options->setAccessibleName("nsys options");
    m_options->setObjectName("nsys.worker_options");
    lines()->addWidget(m_options);
    m_conditional.add(m_options, isNsys);
    auto* const message = new FieldMessage(draft(), "nsys", this);
    lines()->addWidget(message);
}

void ToolSection::addTorch()
{
    const auto text = [this](const char* path, const QString& caption, FieldText kind, const QString& hint) {
        auto* const edit = new FieldEdit(draft(), path, kind, hint);
        SectionLine* const line = addLine(path, caption, edit);
        connect(edit, &FieldEdit::problemChanged, line->message(), &FieldMessage::setProblem);
        m_conditional.add(line, isTorch);
    };
    text("torch.contents", "Contents", FieldText::list, "of cuda, cpu, memory, shapes, stack");
    m_conditional.add(
        addLine("torch.discrete", "Stages",
                new FieldButtons(draft(), "torch.discrete",
                                 {{"", "default"}, {"true", "one trace each"}, {"false", "together"}})),
        isTorch);
    text("torch.profile_token_start", "First token", FieldText::whole, "decoded token (rollout engines)");
    text("torch.profile_token_end", "End token", FieldText::whole, "first token no longer recorded");
    text("torch.schedule.skip_first", "Skip first", FieldText::whole, "mini-batches left out once");
    text("torch.schedule.wait", "Wait", FieldText::whole, "mini-batches idle per cycle");
    text("torch.schedule.warmup", "Warm-up", FieldText::whole, "mini-batches traced and dropped");
    text("torch.schedule.active", "Active", FieldText::whole,
         "mini-batches recorded per cycle; 0 = no schedule");
    text("torch.schedule.repeat", "Repeat", FieldText::whole, "cycles");
}

void ToolSection::addOthers()
{
    const auto text = [this](const char* path, const QString& caption, FieldText kind, const QString& hint,
                             ConditionalLines::Condition condition) {
        auto* const edit = new FieldEdit(draft(), path, kind, hint);
        SectionLine* const line = addLine(path, caption, edit);
        connect(edit, &FieldEdit::problemChanged, line->message(), &FieldMessage::setProblem);
        m_conditional.add(line, condition);
    };
    text("torch_memory.max_entries", "Entries", FieldText::whole, "allocator events kept, e.g. 100000",
         isTorchMemory);
    text("torch_memory.stack_depth", "Stack depth", FieldText::whole, "frames per event, e.g. 32",
         isTorchMemory);
    text("capture.library", "Library", FieldText::text, "path of liblockstep_capture.so on the hosts",
         isCapture);
    text("capture.range", "Range", FieldText::text, "cudaProfilerApi, nvtx:NAME[@DOMAIN] or all", isCapture);
    text("hooks.command", "After the run", FieldText::text,
         "shell command on the nodes after the last profiled step (verl newer than 0.9.0)", isVerl);
}

void ToolSection::setTheme(const Theme& theme)
{
    m_nsight->setTheme(theme);
}

void ToolSection::refresh()
{
    m_conditional.refresh(draft().config());
    const std::optional<Tool> tool = draft().config().tool;
    const bool isOfVerl = isVerl(draft().config());
    m_options->setColumnHidden(NsightOptionsModel::controller, !isOfVerl);
    const std::string_view word = tool ? wordsOf(Tool{})[static_cast<size_t>(*tool)] : "no tool is chosen";
    const std::optional<std::string> version = knownNsysVersion(draft().facts());
    QString remark = QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size()));
    if (tool == Tool::nsys && version) remark += " " + QString::fromStdString(*version) + ", found on a host";
    setRemark(remark);
    setVisible(tool.has_value() || isOfVerl);
}

} // namespace lockstep
