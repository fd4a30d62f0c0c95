#include "app/slice_search.h"

#include <algorithm>

#include <QRegularExpression>

#include "core/base/text.h"

namespace lockstep {

namespace {

// True by StringId where the name matches.
std::vector<bool> matchingNames(const StringPool& pool, const QRegularExpression& pattern)
{
    std::vector<bool> matches(pool.size(), false);
    for (size_t i = 1; i < pool.size(); ++i) {
        const std::string_view name = pool.at(StringId(i));
        matches[i] = pattern.match(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))).hasMatch();
    }
    return matches;
}

} // namespace

Result<std::vector<SliceRef>> findSlices(const Workspace& workspace, const Alignment& alignment,
                                         const std::string& text, const Progress& progress)
{
    const QString asked = QString::fromStdString(text);
    const bool isRegex = asked.size() > 2 && asked.startsWith('/') && asked.endsWith('/');
    const QRegularExpression pattern(isRegex ? asked.mid(1, asked.size() - 2) : QRegularExpression::escape(asked),
                                     QRegularExpression::CaseInsensitiveOption);
    if (!pattern.isValid()) return makeError(ErrorKind::invalid, pattern.errorString().toStdString());
    std::vector<std::pair<int64_t, SliceRef>> found;
    for (size_t r = 0; r < workspace.size(); ++r) {
        const ReportId id(r);
        const Report& report = workspace.report(id);
        const std::vector<bool> matches = matchingNames(report.strings, pattern);
        for (size_t i = 0; i < report.slices.size(); ++i) {
            if (i % 65536 == 0) LOCKSTEP_TRY(progress.check());
            if (!matches[report.slices.name[i].value]) continue;
            found.emplace_back(alignment.map(id).alignedFromTrace(report.slices.start(SliceId(i))).ns,
                               SliceRef{id, SliceId(i)});
        }
    }
    std::ranges::sort(found);
    std::vector<SliceRef> hits;
    hits.reserve(found.size());
    for (const auto& [start, slice] : found) hits.push_back(slice);
    return hits;
}

SliceSearch::SliceSearch(Changed changed)
    : m_changed(std::move(changed)), m_job([this](Result<std::vector<SliceRef>> outcome) {
          if (outcome) m_hits = *std::move(outcome);
          m_error = outcome ? QString() : QString::fromStdString(outcome.error().message);
          m_changed();
      })
{
}

void SliceSearch::setWorkspace(const Workspace& workspace, const Alignment& alignment)
{
    m_workspace = workspace;
    m_alignment = alignment;
    start();
}

void SliceSearch::setText(const QString& text)
{
    if (text == m_text) return;
    m_text = text;
    start();
}

void SliceSearch::start()
{
    m_hits.clear();
    m_error.clear();
    m_at = 0;
    m_job.cancel();
    if (!m_text.isEmpty()) {
        m_job.start([workspace = m_workspace, alignment = m_alignment, text = m_text.toStdString()](
                        const Progress& progress) { return findSlices(workspace, alignment, text, progress); });
    }
    m_changed();
}

SliceRef SliceSearch::step(bool isForward)
{
    if (m_hits.empty()) return {};
    const size_t count = m_hits.size();
    m_at = isForward ? m_at % count + 1 : (m_at <= 1 ? count : m_at - 1);
    m_changed();
    return m_hits[m_at - 1];
}

QString SliceSearch::state() const
{
    if (m_text.isEmpty()) return {};
    if (m_job.isRunning()) return QString("searching \u2026");
    if (!m_error.isEmpty()) return m_error;
    if (m_hits.empty()) return "no match";
    const QString count = QString::fromStdString(groupedText(static_cast<int64_t>(m_hits.size())));
    return m_at == 0 ? count + " found" : QString::number(m_at) + " of " + count;
}

} // namespace lockstep
