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
    : ComputedPanel("Findings", {.help = "findings"}, std::move(workers), parent), m_viewState(view),
      m_hint(findingsLabel(this)), m_list(new FindingsList(this)), m_detail(new FindingDetail(this)),
      m_sum(findingsLabel(this))
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
    auto* const footer = new QWidget(this);
    footer->setProperty("panel", true);
    footer->setAttribute(Qt::WA_StyledBackground);
    auto* const line = new QHBoxLayout(footer);
    line->setContentsMargins(scaledPixels(12), scaledPixels(6), scaledPixels(12), scaledPixels(6));
    line->addWidget(m_sum);
    column->addWidget(footer);
    connect(m_list, &FindingsList::chosen, this,
            [this](int index) { m_detail->showFinding(m_findings, index); });
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
                     {tr("Visible range"), tr("Selected range"), tr("All visible reports")});
    m_stop = new QPushButton(tr("Stop"), bar);
    m_stop->setObjectName("stop");
    m_stop->setToolTip(tr("Stop the running rules"));
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
    m_order->setObjectName("order");
    m_order->setAccessibleName(tr("Sort order of the findings"));
    m_order->setToolTip(tr("Sort order of the findings"));
    m_order->addItems({tr("By cost"), tr("By severity"), tr("By rule")}); // same order as FindingOrder
    connect(m_order, &QComboBox::currentIndexChanged, this,
            [this](int order) { m_list->setOrder(static_cast<FindingOrder>(order)); });
    line.addWidget(m_order);
    m_find = new QLineEdit(bar);
    m_find->setClearButtonEnabled(true);
    m_find->setPlaceholderText(tr("Filter findings"));
    m_find->setAccessibleName(m_find->placeholderText());
    m_find->setToolTip(tr("Matches words in the text, rule, severity, advice or responsible rank"));
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

void FindingsPanel::compute()
{
    const std::optional<Scope> scope = m_viewState.scope();
    if (scene()->shown.isEmpty() || !scope) {
        m_job.cancel();
        m_findings = nullptr;
        m_state->clear();
        m_stop->hide();
        showHint(scene()->shown.isEmpty()
                     ? tr("No reports open. Open reports to find out what slows them down and what to do "
                          "about it.")
                     : noRangeText());
        emit findingsChanged();
        return;
    }
    m_stop->show();
    m_state->setText(tr("Running \u2026"));
    m_job.start([scene = scene(),
                 scope = *scope](const Progress& progress) -> Result<std::shared_ptr<const RunFindings>> {
        RunFindings found = LOCKSTEP_TRY(findingsOf(*scene, scope, progress));
        return std::make_shared<const RunFindings>(std::move(found));
    });
}

// Stops the rules. The previous findings stay on screen.
void FindingsPanel::stop()
{
    if (!m_job.isRunning()) return;
    m_job.cancel();
    m_stop->hide();
    m_state->setText(
        m_findings ? tr("Stopped. Showing the previous findings. Change the range to run the rules again.")
                   : tr("Stopped. Change the range to run the rules again."));
    emit findingsChanged();
}

void FindingsPanel::take(Result<std::shared_ptr<const RunFindings>> outcome)
{
    if (!outcome && outcome.error().kind == ErrorKind::canceled) return;
    m_stop->hide();
    m_findings = outcome ? *outcome : nullptr;
    m_state->clear();
    if (!outcome) {
        showHint(QString::fromStdString(outcome.error().message));
    } else {
        showHint(m_findings->found.empty() ? noFindingsText() : QString());
    }
    emit findingsChanged();
}

QString FindingsPanel::noFindingsText() const
{
    QStringList ran;
    for (const std::string& what : m_findings->ran)
        ran << QString::fromStdString(what);
    return tr("No findings in %n report(s). Rules checked: %1", nullptr,
              static_cast<int>(m_findings->reports))
        .arg(ran.join(", "));
}

QString FindingsPanel::sumText() const
{
    if (!m_findings || m_findings->found.empty()) return {};
    const int all = static_cast<int>(m_findings->found.size()), shown = m_list->shownCount();
    const int untimed = static_cast<int>(m_findings->untimedFindings);
    QStringList facts{shown < all ? tr("%1 of %n finding(s) shown", nullptr, all).arg(shown)
                                  : tr("%n finding(s)", nullptr, all)};
    if (untimed == all) {
        facts << tr("no total cost: no finding has a time range");
        return facts.join("; ");
    }
    facts << tr("estimated cost %1, overlaps counted once").arg(costText(*m_findings, m_findings->lost_ns));
    if (m_findings->steps == 0) facts << tr("costs are for the whole range because no steps are known");
    if (untimed > 0) facts << tr("not included: %n finding(s) without a time range", nullptr, untimed);
    return facts.join("; ");
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
    if (m_findings) m_viewState.navigateTo(m_findings->found[static_cast<size_t>(finding)].show, true);
}

} // namespace lockstep
