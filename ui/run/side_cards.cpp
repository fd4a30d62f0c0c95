// SPDX-License-Identifier: Apache-2.0
#include "ui/run/side_cards.h"

#include <QDateTime>
#include <QLabel>
#include <QVBoxLayout>

namespace lockstep {

namespace {

constexpr size_t kMaxUseRows = 16;

QString nameOf(const HostStatus& host)
{
    return host.host.empty() ? UseCard::tr("this machine") : QString::fromStdString(host.host);
}

std::vector<UseRow> rowsOfHost(const HostSamples& samples, const HostStatus& host)
{
    std::vector<UseRow> rows;
    const HostUsage use = host.use.value_or(HostUsage());
    if (samples.hasGpus()) {
        rows.push_back({UseCard::tr("GPU"), UseRow::Unit::percent, 100, samples.gpuBusy()});
        rows.push_back({UseCard::tr("GPU memory"), UseRow::Unit::bytes,
                        static_cast<double>(totalGpuBytes(use)), samples.gpuMemory()});
    }
    rows.push_back({UseCard::tr("CPU"), UseRow::Unit::percent, 100, samples.cpu()});
    rows.push_back({UseCard::tr("Memory"), UseRow::Unit::bytes, static_cast<double>(use.memoryTotal_bytes),
                    samples.memory()});
    rows.push_back({UseCard::tr("Received"), UseRow::Unit::bytesPerSecond, 0, samples.received()});
    rows.push_back({UseCard::tr("Sent"), UseRow::Unit::bytesPerSecond, 0, samples.sent()});
    return rows;
}

} // namespace

ProgressCard::ProgressCard(QWidget* parent) : Card(tr("Progress"), parent), m_chart(new StepChart(this))
{
    lines()->addWidget(m_chart);
}

void ProgressCard::refresh(const Run* run, const RunFeed* feed)
{
    if (run == nullptr || feed == nullptr) return m_chart->setSteps({}, 0);
    int64_t now = 0; // time on the host clocks, as for the steps
    for (size_t i = 0; i < run->hosts().size(); ++i)
        now = std::max(now, run->hosts()[i].lastEvent_ns);
    const std::vector<StepSpan> steps = feed->steps().steps();
    m_chart->setSteps(steps, now);
    const size_t hidden = steps.size() - m_chart->shown().size();
    setRemark(hidden > 0 ? tr("newest %1 of %2 steps").arg(m_chart->shown().size()).arg(steps.size())
                         : QString());
}

UseCard::UseCard(QWidget* parent) : Card(tr("GPU utilization"), parent), m_chart(new UseChart(this))
{
    lines()->addWidget(m_chart);
}

void UseCard::refresh(const Run* run, const RunFeed* feed, std::optional<size_t> chosen)
{
    if (run == nullptr || feed == nullptr) {
        setRemark({});
        return m_chart->setRows({});
    }
    if (chosen && *chosen < run->hosts().size()) {
        setHeading(nameOf(run->hosts()[*chosen]));
        setRemark(tr("last 5 minutes"));
        return m_chart->setRows(rowsOfHost(feed->samples(*chosen), run->hosts()[*chosen]));
    }
    bool anyGpu = false, anySample = false;
    for (size_t i = 0; i < run->hosts().size(); ++i) {
        anyGpu = anyGpu || feed->samples(i).hasGpus();
        anySample = anySample || !feed->samples(i).isEmpty();
    }
    setHeading(anySample && !anyGpu ? tr("CPU utilization") : tr("GPU utilization"));
    std::vector<UseRow> rows;
    for (size_t i = 0; i < std::min(run->hosts().size(), kMaxUseRows) && anySample; ++i) {
        const HostSamples& samples = feed->samples(i);
        rows.push_back({nameOf(run->hosts()[i]), UseRow::Unit::percent, 100,
                        anyGpu ? samples.gpuBusy() : samples.cpu()});
    }
    const bool isCut = run->hosts().size() > kMaxUseRows;
    setRemark(isCut ? tr("last 5 minutes, first %1 of %2 hosts").arg(kMaxUseRows).arg(run->hosts().size())
                    : tr("last 5 minutes"));
    m_chart->setRows(std::move(rows));
}

EndCard::EndCard(QWidget* parent)
    : Card(tr("When the run ends"), parent), m_fetch(new ToggleSwitch(tr("fetch all reports"), this)),
      m_columns(new ToggleSwitch(tr("compact data only; raw files on demand"), this)),
      m_open(new ToggleSwitch(tr("open the collected reports"), this)),
      m_notify(new ToggleSwitch(tr("desktop notification"), this))
{
    m_columns->setToolTip(
        tr("Each host packs the columns of its reports, so little data crosses the network."));
    for (ToggleSwitch* toggle : {m_fetch, m_columns, m_open, m_notify}) {
        lines()->addWidget(toggle);
        connect(toggle, &QCheckBox::toggled, this, [this] {
            enable();
            emit optionsChanged();
        });
    }
    auto* const promise = new QLabel(tr("Raw files stay on the hosts; nothing is deleted there."), this);
    promise->setProperty("muted", true);
    promise->setWordWrap(true);
    lines()->addWidget(promise);
    setOptions({});
}

void EndCard::setTheme(const Theme& theme)
{
    for (ToggleSwitch* toggle : {m_fetch, m_columns, m_open, m_notify})
        toggle->setTheme(theme);
}

void EndCard::setOptions(const EndOptions& options)
{
    m_fetch->setChecked(options.fetchesAll);
    m_columns->setChecked(options.onlyColumns);
    m_open->setChecked(options.opens);
    m_notify->setChecked(options.notifies);
    enable();
}

EndOptions EndCard::options() const
{
    return {m_fetch->isChecked(), m_columns->isChecked(), m_open->isChecked(), m_notify->isChecked()};
}

void EndCard::enable()
{
    m_columns->setEnabled(m_fetch->isChecked());
    m_open->setEnabled(m_fetch->isChecked());
}

} // namespace lockstep
