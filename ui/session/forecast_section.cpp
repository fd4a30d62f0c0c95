// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "core/session/cost_forecast.h"
#include "core/session/typed_value.h"
#include "ui/models/column_unit.h"
#include "ui/session/preview_sections.h"
#include "ui/session/session_draft.h"
#include "ui/style/byte_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr size_t kMaxForecasts = 24;

QString ranksText(const ExpectedFile& file)
{
    const QString ranks = !file.ranks.empty() ? QString::number(file.ranks.size())
                          : file.rankCount    ? QString::number(*file.rankCount)
                                              : ForecastSection::tr("unknown");
    const std::string each = countText(file.reportsPerRank - file.optionalPerRank, file.optionalPerRank);
    return QString("%1 × %2").arg(ranks, QString::fromStdString(each));
}

QString writerText(const ExpectedFile& file)
{
    if (!file.role.empty()) return QString::fromStdString(file.role);
    if (file.kind != ReportKind::samples) return ForecastSection::tr("program");
    const std::string folder = std::filesystem::path(file.folder).filename().string();
    return ForecastSection::tr("samples in %1").arg(QString::fromStdString(folder));
}

QString filesText(const ExpectedFile& file)
{
    const int64_t certain = file.requiredCount();
    return file.isCountKnown() ? QString::fromStdString(countText(certain, file.count() - certain))
                               : ForecastSection::tr("unknown");
}

// Returns the sums over all reports. A sum with an unknown part is a lower bound, never a number that looks
// complete.
QString totalText(const ForecastTotal& total)
{
    if (!total.isKnown) return ForecastSection::tr("number of files unknown");
    const QString count = QString::fromStdString(countText(total)), size = byteQText(total.size_bytes);
    return total.isPartial ? ForecastSection::tr("files: %1, at least about %2").arg(count, size)
                           : ForecastSection::tr("files: %1, about %2").arg(count, size);
}

QLabel* smallLabel(const QString& text, const char* name, QWidget* parent)
{
    auto* const label = new QLabel(text, parent);
    label->setObjectName(name);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setProperty("small", true);
    return label;
}

QLabel* reasonLabel(const ForecastTotal& total, QWidget* parent)
{
    return smallLabel(
        ForecastSection::tr("Number of files unknown: %1").arg(QString::fromStdString(total.unknownReason)),
        "unknownFiles", parent);
}

// Returns the estimated cost of the recording, or nullptr if nothing is known about it.
QLabel* costLabel(const SessionConfig& config, std::span<const ExpectedFile> files, QWidget* parent)
{
    const std::string cost = costSummary(costForecast(config, files), collectiveTimeout(config));
    return cost.empty() ? nullptr : smallLabel(QString::fromStdString(cost), "recordingCost", parent);
}

} // namespace

ForecastSection::ForecastSection(SessionDraft& draft, QWidget* parent)
    : SessionSection(draft, tr("Expected reports"), parent), m_rows(nullptr)
{
    setObjectName("forecast");
    connect(&draft, &SessionDraft::changed, this, &ForecastSection::refresh);
    refresh();
}

void ForecastSection::refresh()
{
    delete m_rows;
    m_rows = new QWidget(this);
    auto* const grid = new QGridLayout(m_rows);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setVerticalSpacing(scaledPixels(4));
    grid->setHorizontalSpacing(scaledPixels(14));
    const std::vector<ExpectedFile>& files = draft().expectedFiles();
    QString place; // of the files of a row
    const auto cell = [&](int row, int column, const QString& text, bool isHead) {
        auto* const label = new QLabel(text, m_rows);
        label->setProperty(isHead ? "caption" : "small", true);
        label->setTextFormat(Qt::PlainText);
        label->setToolTip(place);
        const auto side = column >= 3 ? Qt::AlignRight : Qt::AlignLeft;
        grid->addWidget(label, row, column, side);
    };
    static const QStringList kHeads{tr("Role"), tr("Host"), tr("Ranks × reports"), tr("Files"),
                                    tr("Size each")};
    int64_t largest_bytes = 0;
    for (const ExpectedFile& file : files)
        largest_bytes = std::max(largest_bytes, file.size_bytes);
    ColumnUnit unit = byteColumnUnit(static_cast<double>(largest_bytes));
    unit.decimals = std::min(unit.decimals, 1); // it is an estimate
    for (int column = 0; column < kHeads.size() && !files.empty(); ++column)
        cell(0, column, column == 4 ? headerInUnit(kHeads[column], unit) : kHeads[column], true);
    int row = 1;
    for (const ExpectedFile& file : files) {
        if (row > static_cast<int>(kMaxForecasts)) break;
        place = QString::fromStdString(file.folder + "/" + file.pattern).toHtmlEscaped();
        cell(row, 0, writerText(file), false);
        cell(row, 1, file.host.empty() ? tr("set at run time") : QString::fromStdString(file.host), false);
        cell(row, 2, ranksText(file), false);
        cell(row, 3, filesText(file), false);
        cell(row, 4, "~" + byteCellText(file.size_bytes, unit), false);
        ++row;
    }
    grid->setColumnStretch(2, 1);
    const ForecastTotal total = forecastTotal(files);
    if (total.isPartial)
        grid->addWidget(reasonLabel(total, m_rows), row, 0, 1, static_cast<int>(kHeads.size()));
    if (QLabel* const cost = costLabel(draft().config(), files, m_rows))
        grid->addWidget(cost, row + 1, 0, 1, static_cast<int>(kHeads.size()));
    lines()->addWidget(m_rows);
    m_rows->setVisible(!files.empty());
    QString remark = totalText(total);
    for (const ForecastTotal& host : forecastByHost(files)) {
        if (!host.host.empty() && total.isKnown && !total.isPartial && remark.size() < 90)
            remark += QString(", %1 %2").arg(QString::fromStdString(host.host),
                                             QString::fromStdString(countText(host)));
    }
    const bool isElsewhere = toolFromArguments(draft().config()).has_value();
    setRemark(!files.empty() ? remark
              : isElsewhere  ? tr("unknown: the tool is chosen outside this form")
                             : tr("none: choose a tool and what to record"));
}

} // namespace lockstep
