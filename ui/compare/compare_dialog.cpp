// SPDX-License-Identifier: Apache-2.0
#include "ui/compare/compare_dialog.h"

#include <algorithm>

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

QString sideName(const CandidateSide& side)
{
    const QString name = QString::fromStdString(side.name);
    switch (side.kind) {
    case CandidateSide::Kind::run:
        return name.isEmpty() ? CompareDialog::tr("reports without a run")
                              : CompareDialog::tr("run %1").arg(name);
    case CandidateSide::Kind::folder:
        return CompareDialog::tr("folder %1").arg(name.section('/', -2));
    case CandidateSide::Kind::report:
        return name;
    case CandidateSide::Kind::chosen:
        return CompareDialog::tr("%n selected report(s)", nullptr, static_cast<int>(side.reports.size()));
    default:
        return side.reports.size() == 1 ? CompareDialog::tr("the open report")
                                        : CompareDialog::tr("all %n open report(s)", nullptr,
                                                            static_cast<int>(side.reports.size()));
    }
}

CompareDialog::CompareDialog(std::vector<CandidateSide> openSides, std::optional<int64_t> selectedStep,
                             QWidget* parent)
    : QDialog(parent), m_hint(new QLabel(this)), m_file(new QPushButton(tr("Open file\u2026"), this)),
      m_folder(new QPushButton(tr("Open folder\u2026"), this)),
      m_compare(new QPushButton(tr("Compare"), this))
{
    setWindowTitle(tr("Compare with"));
    setObjectName("compareDialog");
    setAttribute(Qt::WA_DeleteOnClose);
    for (CandidateSide& side : openSides)
        m_offers.push_back({false, side, sideName(side)});
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(scaledPixels(18), scaledPixels(16), scaledPixels(18), scaledPixels(14));
    column->setSpacing(scaledPixels(10));
    column->addWidget(makeHalf(0));
    column->addWidget(makeHalf(1));
    auto* const files = new QHBoxLayout;
    files->addWidget(m_file);
    files->addWidget(m_folder);
    files->addStretch(1);
    column->addLayout(files);
    m_hint->setProperty("muted", true);
    m_hint->setWordWrap(true);
    m_hint->setMinimumHeight(m_hint->fontMetrics().lineSpacing() * 2);
    column->addWidget(m_hint);
    auto* const buttons = new QHBoxLayout;
    buttons->addStretch(1);
    auto* const cancel = new QPushButton(tr("Cancel"), this);
    m_compare->setProperty("primary", true);
    m_compare->setDefault(true);
    m_compare->setObjectName("compare");
    m_file->setAutoDefault(false);
    m_folder->setAutoDefault(false);
    cancel->setAutoDefault(false);
    buttons->addWidget(cancel);
    buttons->addWidget(m_compare);
    column->addLayout(buttons);
    setMinimumWidth(scaledPixels(520));
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_file, &QPushButton::clicked, this, [this] { emit fileRequested(false); });
    connect(m_folder, &QPushButton::clicked, this, [this] { emit fileRequested(true); });
    connect(m_compare, &QPushButton::clicked, this, [this] {
        emit chosen(choice(0), choice(1));
        accept();
    });
    fill(0);
    fill(1);
    chooseFirst(selectedStep);
}

QWidget* CompareDialog::makeHalf(int half)
{
    auto* const line = new QWidget(this);
    auto* const row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    auto* const tag = new QLabel(half == 0 ? tr("A (before)") : tr("B (after)"), line);
    tag->setProperty("strong", true);
    tag->setMinimumWidth(scaledPixels(70));
    auto* const what = new QComboBox(line);
    auto* const step = new QComboBox(line);
    what->setObjectName(half == 0 ? "whatA" : "whatB");
    step->setObjectName(half == 0 ? "stepA" : "stepB");
    what->setAccessibleName(half == 0 ? tr("Side A") : tr("Side B"));
    step->setAccessibleName(half == 0 ? tr("Step of A") : tr("Step of B"));
    what->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    what->setMinimumContentsLength(28);
    tag->setBuddy(what);
    row->addWidget(tag);
    row->addWidget(what, 1);
    row->addWidget(step);
    m_what[static_cast<size_t>(half)] = what;
    m_step[static_cast<size_t>(half)] = step;
    connect(what, &QComboBox::currentIndexChanged, this, [this, half] {
        if (m_isFilling) return;
        fillSteps(half);
        check();
    });
    connect(step, &QComboBox::currentIndexChanged, this, [this] {
        if (!m_isFilling) check();
    });
    return line;
}

void CompareDialog::fill(int half)
{
    const QScopedValueRollback filling(m_isFilling, true);
    QComboBox* const box = what(half);
    const int current = std::max(0, box->currentIndex());
    box->clear();
    for (const Offer& offer : m_offers)
        box->addItem(offer.name);
    box->setCurrentIndex(current);
    fillSteps(half);
}

void CompareDialog::fillSteps(int half)
{
    const QScopedValueRollback filling(m_isFilling, true);
    const Offer& offer = m_offers[static_cast<size_t>(std::max(0, what(half)->currentIndex()))];
    QComboBox* const box = step(half);
    box->clear();
    box->addItem(offer.side.steps.empty() ? tr("no steps") : tr("all steps"));
    for (const int64_t number : offer.side.steps)
        box->addItem(tr("step %1").arg(number), QVariant::fromValue<qlonglong>(number));
    box->setEnabled(!offer.side.steps.empty());
}

// Chooses a likely comparison: two runs, otherwise a step and the next one, otherwise the first entries.
void CompareDialog::chooseFirst(std::optional<int64_t> selectedStep)
{
    const std::vector<int64_t>& steps = m_offers.front().side.steps;
    const bool areParts =
        m_offers.size() > 2 && (m_offers.size() == 3 || m_offers[1].side.kind != CandidateSide::Kind::report);
    const bool areRuns = areParts && (m_offers[1].side.kind == CandidateSide::Kind::run ||
                                      m_offers[1].side.repeats(m_offers[2].side));
    if (areRuns || (areParts && steps.size() < 2)) {
        what(0)->setCurrentIndex(1);
        what(1)->setCurrentIndex(2);
    } else if (steps.size() > 1) {
        auto at = std::ranges::find(steps, selectedStep.value_or(steps.front()));
        if (at == steps.end()) at = steps.begin();
        const auto first = static_cast<int>(at - steps.begin());
        const bool isLast = at + 1 == steps.end();
        step(0)->setCurrentIndex(1 + (isLast ? first - 1 : first));
        step(1)->setCurrentIndex(1 + (isLast ? first : first + 1));
    }
    check();
}

void CompareDialog::setOther(std::vector<CandidateSide> other, const QString& name)
{
    std::erase_if(m_offers, [](const Offer& offer) { return offer.isOther; });
    const auto first = static_cast<int>(m_offers.size());
    for (CandidateSide& side : other) {
        const bool isAll = side.kind == CandidateSide::Kind::all;
        const QString words = isAll ? name : name + ": " + sideName(side);
        m_offers.push_back({true, std::move(side), words});
    }
    const SideChoice a = choice(0);
    fill(0);
    fill(1);
    // A whole run is compared with the other whole run. A step is compared with the step of the same number
    // in the other run.
    choose(a, std::nullopt);
    if (first < static_cast<int>(m_offers.size())) {
        what(1)->setCurrentIndex(first);
        const int same = a.step ? step(1)->findData(QVariant::fromValue<qlonglong>(*a.step)) : 0;
        if (same >= 0) step(1)->setCurrentIndex(same);
        if (same < 0) step(0)->setCurrentIndex(0);
    }
    showHint({}, false);
    check();
}

void CompareDialog::showHint(const QString& text, bool isWarning)
{
    m_hint->setText(text);
    m_hint->setProperty("tone", isWarning ? "warn" : "quiet");
    if (text.isEmpty()) check();
}

void CompareDialog::choose(const std::optional<SideChoice>& a, const std::optional<SideChoice>& b)
{
    for (int half = 0; half < 2; ++half) {
        const std::optional<SideChoice>& choice = half == 0 ? a : b;
        if (!choice) continue;
        const auto at = std::ranges::find_if(m_offers, [&](const Offer& offer) {
            return offer.isOther == choice->isOther && offer.side.reports == choice->side.reports;
        });
        if (at == m_offers.end()) continue;
        what(half)->setCurrentIndex(static_cast<int>(at - m_offers.begin()));
        const int found =
            choice->step ? step(half)->findData(QVariant::fromValue<qlonglong>(*choice->step)) : 0;
        step(half)->setCurrentIndex(std::max(0, found));
    }
    check();
}

SideChoice CompareDialog::choice(int half) const
{
    const Offer& offer = m_offers[static_cast<size_t>(std::max(0, what(half)->currentIndex()))];
    SideChoice out{offer.isOther, offer.side, std::nullopt};
    const QVariant number = step(half)->currentData();
    if (number.isValid()) out.step = number.toLongLong();
    return out;
}

QString CompareDialog::hint() const
{
    return m_hint->text();
}

void CompareDialog::check()
{
    const SideChoice a = choice(0), b = choice(1);
    const bool isSame = a == b;
    const bool isElsewhere = a.isOther && b.isOther;
    m_compare->setEnabled(!isSame && !isElsewhere);
    QString words;
    const bool isAlone = m_offers.size() == 1 && m_offers.front().side.steps.size() < 2;
    if (isAlone) {
        words = tr("Only one step is open. Open another file or folder to compare with.");
    } else if (isElsewhere) {
        words = tr("One side must be open in this window. Open one of the files in the window first.");
    } else if (isSame) {
        words = tr("A and B are the same. Choose another step or run for one of them.");
    } else if (a.step.has_value() != b.step.has_value()) {
        words =
            tr("One side is a single step, the other all steps. The step with the same number is compared.");
    }
    m_hint->setText(words);
}

} // namespace lockstep
