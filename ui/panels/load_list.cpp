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

QToolButton* makeButton(const QString& text, const QString& tooltip, QWidget* parent)
{
    auto* const button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(tooltip);
    button->setAccessibleName(tooltip);
    button->setProperty("link", true);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

QLabel* makeName(const ReportEntry& entry, QWidget* parent)
{
    auto* const name = new QLabel(parent);
    name->setText(QString::fromStdString(entry.path.filename().string()));
    name->setToolTip(QString::fromStdString(entry.path.string()));
    name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    name->setTextFormat(Qt::PlainText);
    return name;
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
    for (const ReportEntry& entry : entries) {
        if (entry.state == ReportState::open || ++counts[entry.state] > kMaxRows) continue;
        const auto old = m_rows.find(entry.key);
        if (old != m_rows.end() && old->second.state == entry.state) {
            rows[entry.key] = old->second;
            m_rows.erase(old);
        } else {
            rows[entry.key] = entry.state == ReportState::loading ? makeLoading(entry) : makeStopped(entry);
        }
        update(rows[entry.key], entry);
    }
    for (auto& [key, row] : m_rows) {
        row.widget->hide();
        row.widget->deleteLater();
    }
    m_rows = std::move(rows);
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

LoadList::Row LoadList::makeLoading(const ReportEntry& entry)
{
    Row row{new QWidget(this), nullptr, ReportState::loading};
    auto* const column = new QVBoxLayout(row.widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaledPixels(2));
    auto* const line = new QHBoxLayout;
    const QString name = QString::fromStdString(entry.path.filename().string());
    QToolButton* const cancel = makeButton(tr("Cancel"), tr("Cancel opening %1").arg(name), row.widget);
    connect(cancel, &QToolButton::clicked, this, [this, key = entry.key] { emit cancelRequested(key); });
    line->addWidget(makeName(entry, row.widget), 1);
    line->addWidget(cancel);
    row.bar = new QProgressBar(row.widget);
    row.bar->setTextVisible(false);
    row.bar->setRange(0, 1000);
    row.bar->setAccessibleName(tr("Opening %1").arg(name));
    column->addLayout(line);
    column->addWidget(row.bar);
    m_parts.at(ReportState::loading).rows->addWidget(row.widget);
    return row;
}

LoadList::Row LoadList::makeStopped(const ReportEntry& entry)
{
    const bool isHeld = entry.state == ReportState::held;
    Row row{new QWidget(this), nullptr, entry.state};
    auto* const column = new QVBoxLayout(row.widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaledPixels(2));
    auto* const buttons = new QHBoxLayout;
    const QString name = QString::fromStdString(entry.path.filename().string());
    QToolButton* const retry =
        isHeld ? makeButton(tr("Load"), tr("Load %1 despite the memory limit").arg(name), row.widget)
               : makeButton(tr("Retry"), tr("Open %1 again").arg(name), row.widget);
    QToolButton* const dismiss =
        makeButton(tr("Dismiss"), tr("Remove %1 from this list").arg(name), row.widget);
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
    column->addWidget(makeName(entry, row.widget));
    column->addWidget(reason);
    column->addLayout(buttons);
    m_parts.at(entry.state).rows->addWidget(row.widget);
    return row;
}

void LoadList::update(Row& row, const ReportEntry& entry)
{
    if (row.bar == nullptr) return;
    // With an empty range, Qt shows a busy indicator.
    row.bar->setRange(0, entry.fraction ? 1000 : 0);
    if (entry.fraction) row.bar->setValue(static_cast<int>(*entry.fraction * 1000));
}

} // namespace lockstep
