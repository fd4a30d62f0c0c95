// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/load_list.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QLabel* makeCaption(const QString& text, QWidget* parent)
{
    auto* const caption = new QLabel(text, parent);
    caption->setProperty("caption", true);
    caption->hide();
    return caption;
}

QString fileNameOf(const ReportEntry& entry)
{
    return QString::fromStdString(entry.path.filename().string());
}

QLabel* makeName(QWidget* parent)
{
    auto* const name = new QLabel(parent);
    name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    name->setTextFormat(Qt::PlainText);
    return name;
}

void setTooltip(QToolButton& button, const QString& tooltip)
{
    button.setToolTip(tooltip);
    button.setAccessibleName(tooltip);
}

QToolButton* makeButton(const QString& text, QWidget* parent)
{
    auto* const button = new QToolButton(parent);
    button->setText(text);
    button->setProperty("link", true);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

void setPath(QLabel& name, const ReportEntry& entry)
{
    name.setText(fileNameOf(entry));
    name.setToolTip(QString::fromStdString(entry.path.string()));
}

void showFraction(QProgressBar& bar, std::optional<double> fraction)
{
    bar.setRange(0, fraction ? 1000 : 0); // with an empty range, Qt shows a busy indicator
    if (fraction) bar.setValue(static_cast<int>(*fraction * 1000));
}

} // namespace

LoadList::LoadList(QWidget* parent) : QWidget(parent)
{
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(scaledPixels(12), 0, scaledPixels(8), scaledPixels(8));
    all->setSpacing(scaledPixels(6));
    m_parts[ReportState::loading] = makePart(tr("OPENING"));
    m_parts[ReportState::held] = makePart(tr("NOT LOADED"));
    m_parts[ReportState::failed] = makePart(tr("NOT OPENED"));
    hide();
}

LoadList::Part LoadList::makePart(const QString& caption)
{
    Part part{makeCaption(caption, this), new QVBoxLayout, new QLabel(this)};
    part.rows->setSpacing(scaledPixels(7));
    part.rest->setProperty("muted", true);
    part.rest->hide();
    auto* const all = static_cast<QVBoxLayout*>(layout());
    all->addWidget(part.caption);
    all->addLayout(part.rows);
    all->addWidget(part.rest);
    return part;
}

void LoadList::setEntries(const std::vector<ReportEntry>& entries)
{
    constexpr size_t kMaxRows = 30; // widgets are expensive, and more rows are of little use
    std::map<ReportKey, Row> rows;
    std::map<ReportState, size_t> counts;
    std::vector<const ReportEntry*> others;
    for (const ReportEntry& entry : entries) {
        if (entry.state == ReportState::open || ++counts[entry.state] > kMaxRows) continue;
        const auto old = m_rows.find(entry.key);
        if (old != m_rows.end() && old->second.state == entry.state) {
            rows.insert(m_rows.extract(old));
        } else {
            others.push_back(&entry);
        }
    }
    std::vector<Row> unused;
    for (const auto& [key, row] : m_rows)
        unused.push_back(row);
    for (const ReportEntry* const entry : others)
        rows[entry->key] = makeRow(*entry, unused);
    for (const Row& row : unused) {
        row.widget->hide();
        row.widget->deleteLater();
    }
    m_rows = std::move(rows);
    for (const ReportEntry& entry : entries) {
        const auto row = m_rows.find(entry.key);
        if (row != m_rows.end() && row->second.bar != nullptr) showFraction(*row->second.bar, entry.fraction);
    }
    for (const auto& [state, part] : m_parts) {
        part.caption->setVisible(counts[state] > 0);
        part.rest->setVisible(counts[state] > kMaxRows);
        if (counts[state] > kMaxRows) part.rest->setText(tr("and %1 more").arg(counts[state] - kMaxRows));
    }
    setVisible(!m_rows.empty());
}

QProgressBar* LoadList::barOf(ReportKey key) const
{
    const auto row = m_rows.find(key);
    return row == m_rows.end() ? nullptr : row->second.bar;
}

// Returns a row for the entry, the last one of its part. A loading entry takes an unused row, unless that row
// has the keyboard focus: a key meant for one file must not act on another one.
LoadList::Row LoadList::makeRow(const ReportEntry& entry, std::vector<Row>& unused)
{
    if (entry.state != ReportState::loading) return makeStopped(entry);
    const auto found = std::ranges::find_if(
        unused, [](const Row& row) { return row.state == ReportState::loading && !row.cancel->hasFocus(); });
    QVBoxLayout& rows = *m_parts.at(ReportState::loading).rows;
    const Row row = found == unused.end() ? makeLoading() : *found;
    if (found != unused.end()) {
        rows.removeWidget(row.widget);
        unused.erase(found);
    }
    const QString name = fileNameOf(entry);
    setPath(*row.name, entry);
    setTooltip(*row.cancel, tr("Cancel opening %1").arg(name));
    row.bar->setAccessibleName(tr("Opening %1").arg(name));
    rows.addWidget(row.widget);
    return row;
}

LoadList::Row LoadList::makeLoading()
{
    Row row{.widget = new QWidget(this)};
    auto* const column = new QVBoxLayout(row.widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaledPixels(2));
    auto* const line = new QHBoxLayout;
    row.name = makeName(row.widget);
    row.cancel = makeButton(tr("Cancel"), row.widget);
    connect(row.cancel, &QToolButton::clicked, this, [this, widget = row.widget] { cancelFileOf(widget); });
    line->addWidget(row.name, 1);
    line->addWidget(row.cancel);
    row.bar = new QProgressBar(row.widget);
    row.bar->setTextVisible(false);
    column->addLayout(line);
    column->addWidget(row.bar);
    return row;
}

void LoadList::cancelFileOf(const QWidget* row)
{
    const auto found =
        std::ranges::find_if(m_rows, [row](const auto& shown) { return shown.second.widget == row; });
    if (found != m_rows.end()) emit cancelRequested(found->first);
}

LoadList::Row LoadList::makeStopped(const ReportEntry& entry)
{
    const bool isHeld = entry.state == ReportState::held;
    const Row row{.widget = new QWidget(this), .state = entry.state};
    auto* const column = new QVBoxLayout(row.widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaledPixels(2));
    auto* const buttons = new QHBoxLayout;
    const QString fileName = fileNameOf(entry);
    QToolButton* const retry = makeButton(isHeld ? tr("Load") : tr("Retry"), row.widget);
    setTooltip(*retry, (isHeld ? tr("Load %1 despite the memory limit") : tr("Open %1 again")).arg(fileName));
    QToolButton* const dismiss = makeButton(tr("Dismiss"), row.widget);
    setTooltip(*dismiss, tr("Remove %1 from this list").arg(fileName));
    connect(retry, &QToolButton::clicked, this, [this, key = entry.key] { emit retryRequested(key); });
    connect(dismiss, &QToolButton::clicked, this, [this, key = entry.key] { emit dismissRequested(key); });
    buttons->setSpacing(scaledPixels(6));
    buttons->addWidget(retry);
    buttons->addWidget(dismiss);
    buttons->addStretch(1);
    // The file name is already shown above.
    QString message = QString::fromStdString(entry.error.message);
    const QString prefix = QString::fromStdString(entry.path.string()) + ": ";
    if (message.startsWith(prefix)) message.remove(0, prefix.size());
    message.replace('/', QString("/") + QChar(0x200B)); // paths may break after a slash
    auto* const reason = new QLabel(message, row.widget);
    reason->setProperty("tone", isHeld ? "warn" : "bad");
    reason->setWordWrap(true);
    reason->setTextFormat(Qt::PlainText);
    reason->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    QLabel* const name = makeName(row.widget);
    setPath(*name, entry);
    column->addWidget(name);
    column->addWidget(reason);
    column->addLayout(buttons);
    m_parts.at(entry.state).rows->addWidget(row.widget);
    return row;
}

} // namespace lockstep
