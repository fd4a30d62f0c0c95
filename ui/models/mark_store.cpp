// SPDX-License-Identifier: Apache-2.0
#include "ui/models/mark_store.h"

#include <algorithm>

#include "core/base/sorted_difference.h"

namespace lockstep {

MarkStore::MarkStore(WorkDocument& document, QObject* parent) : QObject(parent), m_document(document)
{
    connect(&document, &WorkDocument::changed, this, &MarkStore::place);
}

void MarkStore::setScene(ScenePtr scene)
{
    m_scene = std::move(scene);
    MarkPlacer placer(*m_scene);
    m_placed.clear();
    m_placed.reserve(marks().size());
    for (const Mark& mark : marks().all())
        m_placed[mark.number] = placer.place(mark);
    if (!marks().isEmpty()) emit changed();
}

QString MarkStore::explain(int64_t number) const
{
    const Mark* const mark = marks().find(number);
    if (mark == nullptr) return {};
    return QString::fromStdString(MarkPlacer(*m_scene).explain(*mark, placed(number)));
}

Result<int64_t> MarkStore::add(Mark mark)
{
    MarkList after = marks();
    const bool isNote = mark.isNote();
    const int64_t number = LOCKSTEP_TRY(after.add(std::move(mark)));
    m_document.edit(isNote ? tr("add note %1").arg(number) : tr("add marker %1").arg(number),
                    [&](Work& work) { work.marks = std::move(after); });
    return number;
}

Status MarkStore::setText(int64_t number, const std::string& text)
{
    const Mark* const mark = marks().find(number);
    if (mark == nullptr)
        return makeError(ErrorKind::notFound, "marker " + std::to_string(number) + " no longer exists");
    if (text.size() > kMaxMarkText) return makeError(ErrorKind::invalid, "a note is limited to 64 KiB");
    if (mark->text == text) return {};
    Mark after = *mark;
    after.text = text;
    m_document.edit(tr("edit note %1").arg(number), [&](Work& work) { work.marks.put(std::move(after)); });
    return {};
}

void MarkStore::remove(const std::vector<int64_t>& numbers)
{
    std::vector<int64_t> found;
    std::ranges::copy_if(numbers, std::back_inserter(found),
                         [this](int64_t number) { return marks().find(number) != nullptr; });
    if (found.empty()) return;
    const int64_t first = *std::ranges::min_element(found);
    const QString text = found.size() > 1 ? tr("remove %n marker(s)", nullptr, static_cast<int>(found.size()))
                         : marks().find(first)->isNote() ? tr("remove note %1").arg(first)
                                                         : tr("remove marker %1").arg(first);
    m_document.edit(text, [&](Work& work) {
        for (const int64_t number : found)
            work.marks.remove(number);
    });
}

// Places the markers that the document changed. O(markers) comparisons, and O(changed markers) placements.
void MarkStore::place(const Work& before)
{
    if (before.marks.isCopyOf(marks())) return;
    MarkPlacer placer(*m_scene);
    bool isAny = false;
    visitDifferences(before.marks.all(), marks().all(), &Mark::number,
                     [&](int64_t number, const Mark*, const Mark* now) {
                         isAny = true;
                         if (now == nullptr) {
                             m_placed.erase(number);
                         } else {
                             m_placed[number] = placer.place(*now);
                         }
                     });
    if (isAny) emit changed();
}

} // namespace lockstep
