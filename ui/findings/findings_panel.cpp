// SPDX-License-Identifier: Apache-2.0
#include "ui/findings/findings_panel.h"

#include <algorithm>
#include <array>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "ui/async/kept_analysis.h"
#include "ui/findings/finding_detail.h"
#include "ui/findings/findings_list.h"
#include "ui/panels/segments.h"
#include "ui/style/style_sheet.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

QLabel* findingsLabel(QWidget* parent)
{
    auto* const label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setProperty("muted", true);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    return label;
}

} // namespace

FindingsPanel::FindingsPanel(ViewState& view, Workers workers, QWidget* parent)
    : Panel("Findings", {.help = "findings"}, parent), m_viewState(view), m_hint(findingsLabel(this)),
      m_list(new FindingsList(this)), m_detail(new FindingDetail(this)), m_sum(findingsLabel(this)),
      m_job([this](Result<std::shared_ptr<const RunFindings>> outcome) { take(std::move(outcome)); },
            std::move(workers))
{
    setProperty("page", true);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    auto* const halves = new QHBoxLayout;
    halves->setSpacing(0);
    halves->addWidget(m_hint, 1);
    halves->addWidget(m_list, 1);
    halves->addWidget(m_detail);
    column->addLayout(halves, 1);
    auto* const foot = new QWidget(this);
    foot->setProperty("panel", true);
    foot->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(foot);
    line->setContentsMargins(scaledPixels(12), scaledPixels(6), scaledPixels(12), scaledPixels(6));
    line->addWidget(m_sum);
    column->addWidget(foot);
    m_soon.setSingleShot(true);
    m_soon.setInterval(60); // so that a drag of the view asks once
    connect(&m_soon, &QTimer::timeout, this, &FindingsPanel::compute);
    connect(m_list, &FindingsList::chosen, this,
            [this](int which) { m_detail->showFinding(m_findings, which); });
    connect(m_list, &FindingsList::activated, this, &FindingsPanel::jump);
    connect(m_detail, &FindingDetail::helpRequested, this, &Panel::helpRequested);
    connect(m_detail, &FindingDetail::showRequested, this, &FindingsPanel::jump);
    connect(&view, &ViewState::scopeChanged, this, [this] { outdate(); });
    setFocusProxy(m_list);
    showHint({});
}

FindingsPanel::~FindingsPanel() = default;

QWidget* FindingsPanel::makeBar()
{
    auto* const bar = new QWidget(this);
    auto* const line = new QHBoxLayout(bar);
    line->setContentsMargins(scaledPixels(12), scaledPixels(5), scaledPixels(12), scaledPixels(5));
    line->setSpacing(scaledPixels(10));
    addScopeSegments(*line, bar, m_viewState,
                     {tr("Of the visible range"), tr("Of the selected range"), tr("Of all shown reports")});
    m_stop = new QPushButton(tr("Stop"), bar);
    m_stop->setToolTip(tr("Stop the rules that are running"));
    m_stop->hide();
    connect(m_stop, &QPushButton::clicked, this, &FindingsPanel::stop);
    line->addWidget(m_stop);
    m_state = findingsLabel(bar);
    line->addWidget(m_state, 1);
    addFinding(*line, bar);
    return bar;
}

void FindingsPanel::addFinding(QHBoxLayout& line, QWidget* bar)
{
    m_order = new QComboBox(bar);
    m_order->setAccessibleName(tr("Order of the findings"));
    m_order->setToolTip(tr("Order of the findings"));
    m_order->addItems({tr("By cost"), tr("By severity"), tr("By rule")}); // as FindingOrder
    connect(m_order, &QComboBox::currentIndexChanged, this,
            [this](int order) { m_list->setOrder(static_cast<FindingOrder>(order)); });
    line.addWidget(m_order);
    m_find = new QLineEdit(bar);
    m_find->setClearButtonEnabled(true);
    m_find->setPlaceholderText(tr("Filter findings"));
    m_find->setAccessibleName(m_find->placeholderText());
    m_find->setToolTip(tr("Words of the sentence, the rule, the severity, the advice or a guilty rank"));
    m_find->setMaximumWidth(scaledPixels(180));
    connect(m_find, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_list->setFilter(text);
        m_sum->setText(sumText());
    });
    line.addWidget(m_find);
}

void FindingsPanel::setTheme(const Theme& theme)
{
    m_list->setTheme(theme);
    m_detail->setTheme(theme);
}

void FindingsPanel::rebuild()
{
    m_job.cancel();
    if (!m_soon.isActive()) m_soon.start();
}

void FindingsPanel::compute()
{
    const std::optional<Scope> scope = m_viewState.scope();
    if (scene()->shown.isEmpty() || !scope) {
        m_job.cancel();
        m_findings = nullptr;
        m_state->clear();
        m_stop->hide();
        showHint(scene()->shown.isEmpty()
                     ? tr("Open reports: what keeps their GPUs from working is listed here, with what to do.")
                     : tr("Nothing is selected. Drag on the ruler or over lanes to select a range."));
        emit findingsChanged();
        return;
    }
    m_stop->show();
    m_state->setText(tr("running"));
    m_job.start([scene = scene(), scope = *scope, results = m_viewState.results()](
                    const Progress& progress) -> Result<std::shared_ptr<const RunFindings>> {
        const MakeTable make = [&](const std::string& what) -> Result<std::shared_ptr<const Table>> {
            if (auto held = results->find(scene, scope, what)) return held;
            return keptAnalysis(results, what, scene, scope)(progress);
        };
        RunFindings found = LOCKSTEP_TRY(findingsOf(*scene, scope, make, progress));
        return std::make_shared<const RunFindings>(std::move(found));
    });
}

// What was found before stays.
void FindingsPanel::stop()
{
    if (!m_job.isRunning()) return;
    m_job.cancel();
    m_stop->hide();
    m_state->setText(m_findings
                         ? tr("Stopped: the list is of before. Change the range to run the rules again.")
                         : tr("Stopped. Change the range to run the rules again."));
    emit findingsChanged();
}

void FindingsPanel::take(Result<std::shared_ptr<const RunFindings>> outcome)
{
    if (!outcome && outcome.error().kind == ErrorKind::canceled) return;
    m_stop->hide();
    m_findings = outcome ? *outcome : nullptr;
    m_state->setText(notRunText());
    m_state->setToolTip(notRunText());
    if (!outcome) {
        showHint(QString::fromStdString(outcome.error().message));
    } else {
        showHint(m_findings->found.empty() ? nothingFound() : QString());
    }
    emit findingsChanged();
}

QString FindingsPanel::notRunText() const
{
    if (!m_findings) return {};
    QStringList lines;
    for (const auto& [what, why] : m_findings->notRun)
        lines << tr("%1 could not run: %2").arg(QString::fromStdString(what), QString::fromStdString(why));
    return lines.join("; ");
}

QString FindingsPanel::nothingFound() const
{
    QStringList ran;
    for (const std::string& what : m_findings->ran)
        ran << QString::fromStdString(what);
    return tr("Nothing found by %1 in %2 reports.").arg(ran.join(", ")).arg(m_findings->reports);
}

QString FindingsPanel::sumText() const
{
    if (!m_findings || m_findings->found.empty()) return {};
    QString text = tr("Findings: %1").arg(m_findings->found.size());
    const int shown = m_list->shownCount();
    if (shown < static_cast<int>(m_findings->found.size()))
        text += tr(", of which the filter shows %1").arg(shown);
    if (m_findings->withoutTimes == m_findings->found.size())
        return text + tr(". Each tells what it costs, none when: there is no sum");
    text += tr(". Times lost by all add up to %1, overlaps counted once")
                .arg(costText(*m_findings, m_findings->lost_ns));
    if (m_findings->steps == 0) text += tr("; no step is known: costs are of the whole range");
    if (m_findings->withoutTimes > 0)
        text += tr("; without those that do not tell when: %1").arg(m_findings->withoutTimes);
    return text;
}

void FindingsPanel::showHint(const QString& hint)
{
    const bool hasList = hint.isEmpty();
    m_hint->setText(hint);
    m_hint->setVisible(!hasList);
    m_list->setVisible(hasList);
    m_detail->showFinding(nullptr, -1);
    m_list->setFindings(m_findings);
    m_sum->setText(sumText());
    m_detail->setFixedWidth(std::min(scaledPixels(540), std::max(scaledPixels(280), width() * 2 / 5)));
    m_detail->setVisible(hasList && m_findings != nullptr);
}

QString FindingsPanel::hint() const
{
    return m_hint->isHidden() ? QString() : m_hint->text();
}

void FindingsPanel::resizeEvent(QResizeEvent* event)
{
    Panel::resizeEvent(event);
    m_detail->setFixedWidth(std::min(scaledPixels(540), std::max(scaledPixels(280), width() * 2 / 5)));
}

void FindingsPanel::jump(int finding)
{
    if (m_findings) m_viewState.reveal(m_findings->found[static_cast<size_t>(finding)].show, true);
}

} // namespace lockstep
