// SPDX-License-Identifier: Apache-2.0
#include "ui/run/servers_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

enum ServerColumn { serverColumn, hostColumn, kindColumn, stateColumn, resultColumn };

QString serverStateText(ServerState state)
{
    switch (state) {
    case ServerState::waiting:
        return ServersDialog::tr("waiting");
    case ServerState::identifying:
        return ServersDialog::tr("recognizing");
    case ServerState::ready:
        return ServersDialog::tr("ready");
    case ServerState::starting:
        return ServersDialog::tr("starting");
    case ServerState::recording:
        return ServersDialog::tr("recording");
    case ServerState::stopping:
        return ServersDialog::tr("stopping");
    case ServerState::writing:
        return ServersDialog::tr("waiting for files");
    case ServerState::recorded:
        return ServersDialog::tr("recorded");
    case ServerState::unchecked:
        return ServersDialog::tr("files not checked");
    case ServerState::failed:
        return ServersDialog::tr("failed");
    }
    return {};
}

QString kindText(const ServerStatus& server)
{
    if (!server.facts) return {};
    const std::string text = std::string(serverKindLabel(server.facts->kind)) + " " + server.facts->version;
    return QString::fromStdString(text).trimmed();
}

QString resultText(const ServerStatus& server)
{
    if (isOver(server.state)) return QString::fromStdString(printable(server.message));
    if (server.steps) return ServersDialog::tr("step %1").arg(*server.steps);
    return {};
}

} // namespace

ServersDialog::ServersDialog(std::vector<ServerTarget> targets, std::string key, QWidget* parent)
    : QDialog(parent), m_targets(std::move(targets)), m_key(std::move(key)), m_table(new QTreeWidget(this)),
      m_detail(new QLabel(this)), m_summary(new QLabel(this))
{
    setObjectName("servers");
    setWindowTitle(tr("Record servers"));
    resize(scaledPixels(860), scaledPixels(420));
    auto* const column = new QVBoxLayout(this);
    column->setSpacing(scaledPixels(10));
    auto* const what =
        new QLabel(tr("Starts the profilers of all servers at the same time and stops them after "
                      "the steps. The servers write the traces on their hosts."),
                   this);
    what->setWordWrap(true);
    column->addWidget(what);
    column->addWidget(makeFields());
    m_table->setAccessibleName(tr("Servers"));
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->setProperty("sheet", true);
    m_table->setHeaderLabels({tr("Server"), tr("Host"), tr("Kind"), tr("State"), tr("Result")});
    m_table->header()->setStretchLastSection(true);
    column->addWidget(m_table, 1);
    for (QLabel* label : {m_detail, m_summary}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    }
    m_detail->setProperty("muted", true);
    auto* const buttons = new QDialogButtonBox(this);
    m_close = buttons->addButton(tr("Close"), QDialogButtonBox::RejectRole);
    m_record = buttons->addButton(tr("Record"), QDialogButtonBox::ActionRole);
    m_record->setProperty("primary", true);
    m_record->setDefault(true);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &ServersDialog::reject);
    connect(m_record, &QPushButton::clicked, this, &ServersDialog::record);
    connect(m_isLimited, &QCheckBox::toggled, this, &ServersDialog::enable);
    connect(m_table, &QTreeWidget::currentItemChanged, this, &ServersDialog::showDetail);
    showTargets();
    showDetail();
    enable();
}

QWidget* ServersDialog::makeFields()
{
    auto* const fields = new QWidget(this);
    auto* const line = new QHBoxLayout(fields);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(scaledPixels(8));
    m_steps = new QSpinBox(fields);
    m_steps->setRange(1, 1'000'000);
    m_steps->setValue(5);
    m_steps->setAccessibleName(tr("Steps"));
    m_steps->setToolTip(tr("Forward steps of the engine. SGLang counts them itself; for vLLM, Lockstep reads "
                           "them in /metrics, so the recording may be a few steps longer."));
    m_isLimited = new QCheckBox(tr("at most"), fields);
    m_isLimited->setToolTip(tr("Stop after this time, even if the servers have made fewer steps"));
    m_seconds = new QDoubleSpinBox(fields);
    m_seconds->setRange(0.1, 86'400);
    m_seconds->setValue(10);
    m_seconds->setDecimals(1);
    m_seconds->setSuffix(" s");
    m_seconds->setAccessibleName(tr("Maximum duration"));
    m_isByStage = new QCheckBox(tr("by stage (SGLang)"), fields);
    m_isByStage->setToolTip(tr("Record the steps of prefill and of decode, in separate files"));
    auto* const label = new QLabel(tr("Steps"), fields);
    label->setBuddy(m_steps);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{label, m_steps, m_isLimited, m_seconds, m_isByStage})
        line->addWidget(widget);
    line->addStretch(1);
    return fields;
}

void ServersDialog::enable()
{
    const bool isIdle = !isRecording();
    for (QWidget* widget : std::initializer_list<QWidget*>{m_steps, m_isLimited, m_isByStage})
        widget->setEnabled(isIdle);
    m_seconds->setEnabled(isIdle && m_isLimited->isChecked());
    m_record->setEnabled(isIdle);
    m_close->setText(isIdle ? tr("Close") : tr("Stop and close"));
    m_close->setEnabled(!m_isClosing);
}

void ServersDialog::showTargets()
{
    m_table->clear();
    const size_t count = m_recorder ? m_recorder->count() : m_targets.size();
    for (size_t i = 0; i < count; ++i) {
        const ServerTarget& target = m_recorder ? m_recorder->server(i).target : m_targets[i];
        const QString host =
            target.host.empty() ? tr("this machine") : QString::fromStdString(printable(target.host));
        auto* const item = new QTreeWidgetItem({QString::fromStdString(target.url), host});
        item->setSizeHint(resultColumn, QSize(0, scaledPixels(26)));
        m_table->addTopLevelItem(item);
        if (m_recorder) showServer(i);
    }
    // Room for the texts that appear later.
    for (const auto& [column, width] :
         {std::pair<int, int>(kindColumn, 110), std::pair<int, int>(stateColumn, 120)})
        m_table->setColumnWidth(column, scaledPixels(width));
    for (const int column : {serverColumn, hostColumn}) {
        m_table->resizeColumnToContents(column);
        m_table->setColumnWidth(column, m_table->columnWidth(column) + scaledPixels(14));
    }
}

void ServersDialog::showServer(size_t index)
{
    QTreeWidgetItem* const item = m_table->topLevelItem(static_cast<int>(index));
    if (item == nullptr) return;
    const ServerStatus& server = m_recorder->server(index);
    item->setText(kindColumn, kindText(server));
    item->setText(stateColumn, serverStateText(server.state));
    item->setText(resultColumn, resultText(server));
    if (item == m_table->currentItem()) showDetail();
}

// Shows the whole result of the selected server, which is cut off in the table.
void ServersDialog::showDetail()
{
    const QTreeWidgetItem* const item = m_table->currentItem();
    m_detail->setText(item == nullptr ? QString() : item->text(resultColumn));
    m_detail->setVisible(!m_detail->text().isEmpty());
}

void ServersDialog::record()
{
    if (isRecording()) return;
    RecorderOptions options;
    options.recording.steps = m_steps->value();
    if (m_isLimited->isChecked()) options.recording.seconds = m_seconds->value();
    options.recording.isByStage = m_isByStage->isChecked();
    options.key = m_key;
    m_recorder = std::make_unique<ServerRecorder>(m_targets, options);
    connect(m_recorder.get(), &ServerRecorder::changed, this, &ServersDialog::showServer);
    connect(m_recorder.get(), &ServerRecorder::listChanged, this, &ServersDialog::showTargets);
    connect(m_recorder.get(), &ServerRecorder::finished, this, &ServersDialog::showEnd);
    m_summary->setText({});
    showTargets();
    m_recorder->begin();
    enable();
}

void ServersDialog::showEnd()
{
    enable();
    if (m_isClosing) return QDialog::reject();
    QString text = tr("%1 recorded, %2 not checked, %3 failed.")
                       .arg(m_recorder->countIn(ServerState::recorded))
                       .arg(m_recorder->countIn(ServerState::unchecked))
                       .arg(m_recorder->countIn(ServerState::failed));
    if (const auto spread_s = m_recorder->spread_s()) {
        text +=
            " " + tr("The start requests were sent within at most %1 of each other.")
                      .arg(QString::fromStdString(durationText({static_cast<int64_t>(*spread_s * 1e9)}, 1)));
    }
    m_summary->setText(text);
    // Selects the first server that failed, so that its result is shown.
    for (size_t i = m_recorder->count(); i-- > 0;) {
        if (m_recorder->server(i).state == ServerState::failed)
            m_table->setCurrentItem(m_table->topLevelItem(static_cast<int>(i)));
    }
}

void ServersDialog::reject()
{
    if (!isRecording()) return QDialog::reject();
    m_isClosing = true;
    m_summary->setText(tr("Stopping the profilers\u2026"));
    enable();
    m_recorder->cancel();
}

} // namespace lockstep
