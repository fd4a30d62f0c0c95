// SPDX-License-Identifier: Apache-2.0
#include "ui/findings/finding_detail.h"

#include <array>

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/findings/findings_list.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QString ofFinding(const std::string& text)
{
    return QString::fromStdString(text);
}

QLabel* detailLabel(const QString& text, bool isMuted, bool isBold = false)
{
    auto* const label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setProperty("muted", isMuted);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    QFont font = label->font();
    if (isBold) font.setWeight(QFont::DemiBold);
    label->setFont(font);
    return label;
}

// FindingChart draws the measured value of each report as a bar, 96 px high at scale 1, with the threshold as
// a line.
class FindingChart : public QWidget {
  public:
    FindingChart(const RunFinding& finding, const Theme& theme) : m_finding(finding), m_theme(theme)
    {
        setFixedHeight(scaledPixels(96 + 22));
        setAccessibleName(ofFinding(finding.caption));
    }

  protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setFont(smallFont(scaledPixels(100) / 100.0 * 0.93));
        const QRect area(0, scaledPixels(4), width(), scaledPixels(92));
        paintFindingBars(painter, area, m_finding, m_theme, true);
        const QRect footer(0, scaledPixels(98), width(), scaledPixels(20));
        painter.setPen(m_theme.mutedText);
        if (m_finding.bars.empty()) return;
        // The position of the last bar varies, so both labels, of the first and of the last bar, are written
        // at the left.
        const QString first = ofFinding(m_finding.bars.front().label);
        painter.drawText(
            footer, Qt::AlignLeft,
            m_finding.bars.size() > 1
                ? FindingDetail::tr("%1 to %2").arg(first, ofFinding(m_finding.bars.back().label))
                : first);
        if (!m_finding.threshold) return;
        painter.setPen(m_theme.warn);
        painter.drawText(
            footer, Qt::AlignRight,
            FindingDetail::tr("threshold %1 %2").arg(*m_finding.threshold).arg(ofFinding(m_finding.unit)));
    }

  private:
    RunFinding m_finding;
    const Theme& m_theme;
};

} // namespace

FindingDetail::FindingDetail(QWidget* parent) : QScrollArea(parent)
{
    setFrameShape(NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Selected finding"));
}

void FindingDetail::setTheme(const Theme& theme)
{
    m_theme = &theme;
    showFinding(m_findings, m_index);
}

void FindingDetail::showFinding(std::shared_ptr<const RunFindings> findings, int index)
{
    m_findings = std::move(findings);
    m_index = index;
    m_show = nullptr;
    if (m_findings && index >= 0) {
        build(m_findings->found[static_cast<size_t>(index)]);
    } else {
        delete takeWidget();
    }
}

void FindingDetail::addHeading(QVBoxLayout& column, const QString& text) const
{
    column.addSpacing(scaledPixels(8));
    column.addWidget(detailLabel(text, false, true));
}

namespace {

// Returns the help section for a rule. The table maps fragments of rule names to sections of
// resources/help/findings.md.
QString helpOfRule(std::string_view rule)
{
    constexpr std::array<std::pair<std::string_view, const char*>, 14> kSections{
        {{"straggl", "Late ranks"},
         {"slow", "Slow kernels"},
         {"memcpy", "Blocking copies and calls"},
         {"memset", "Blocking copies and calls"},
         {"sync", "Blocking copies and calls"},
         {"launch", "Many short launches"},
         {"queue", "Many short launches"},
         {"comm", "Exposed communication"},
         {"overlap", "Exposed communication"},
         {"leak", "Memory"},
         {"memory", "Memory"},
         {"util", "Idle GPU"},
         {"gap", "Idle GPU"},
         {"idle", "Idle GPU"}}};
    for (const auto& [word, section] : kSections) {
        if (rule.find(word) != rule.npos) return QString("findings#") + section;
    }
    return "findings";
}

} // namespace

void FindingDetail::build(const RunFinding& finding)
{
    auto* const page = new QWidget;
    auto* const column = new QVBoxLayout(page);
    column->setContentsMargins(scaledPixels(18), scaledPixels(12), scaledPixels(18), scaledPixels(12));
    column->setSpacing(scaledPixels(6));
    column->addWidget(detailLabel(tr("%1, finding %2 of %3, %4")
                                      .arg(severityWord(finding.severity))
                                      .arg(m_index + 1)
                                      .arg(m_findings->found.size())
                                      .arg(costText(*m_findings, finding.cost_ns)),
                                  true));
    column->addWidget(detailLabel(ofFinding(finding.sentence), false, true));
    auto* const actions = new QHBoxLayout;
    m_show = new QPushButton(tr("Show in timeline"));
    m_show->setObjectName("show");
    m_show->setEnabled(finding.show.isValid());
    connect(m_show, &QPushButton::clicked, this, [this] { emit showRequested(m_index); });
    auto* const copy = new QPushButton(tr("Copy as text"));
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(text()); });
    actions->addWidget(m_show);
    m_help = new QPushButton(tr("Help"));
    m_help->setObjectName("help");
    m_help->setToolTip(tr("Explains this kind of finding and what usually helps"));
    connect(m_help, &QPushButton::clicked, this,
            [this, place = helpOfRule(finding.rule)] { emit helpRequested(place); });
    actions->addWidget(copy);
    actions->addWidget(m_help);
    actions->addStretch(1);
    column->addLayout(actions);
    addHeading(*column, ofFinding(finding.caption));
    column->addWidget(new FindingChart(finding, *m_theme));
    addHeading(*column, tr("Evidence"));
    auto* const reasons = new QGridLayout;
    reasons->setHorizontalSpacing(scaledPixels(14));
    reasons->setColumnStretch(1, 1);
    reasons->setColumnMinimumWidth(0, scaledPixels(72));
    for (const auto& [heading, why] : finding.reasons) {
        const int row = reasons->rowCount();
        reasons->addWidget(detailLabel(ofFinding(heading), true), row, 0);
        reasons->addWidget(detailLabel(ofFinding(why), false), row, 1);
    }
    column->addLayout(reasons);
    addHeading(*column, tr("What to do"));
    for (size_t i = 0; i < finding.advice.size(); ++i)
        column->addWidget(detailLabel(tr("%1  %2").arg(i + 1).arg(ofFinding(finding.advice[i])), false));
    column->addStretch(1);
    setWidget(page); // deletes the previous page
}

QString FindingDetail::text() const
{
    QStringList lines;
    if (widget() == nullptr) return {};
    for (const QLabel* const label : widget()->findChildren<QLabel*>())
        lines << label->text();
    return lines.join('\n');
}

} // namespace lockstep
