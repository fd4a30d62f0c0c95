// SPDX-License-Identifier: Apache-2.0
#include "ui/models/mark_store.h"

#include <QUndoStack>

namespace lockstep {

// MarkEdit is one undoable change: the affected markers before and after.
class MarkEdit : public QUndoCommand {
  public:
    MarkEdit(MarkStore& store, const QString& text, MarkStore::States before, MarkStore::States after)
        : QUndoCommand(text), m_store(store), m_before(std::move(before)), m_after(std::move(after))
    {
    }

    void undo() override { m_store.apply(m_before); }
    void redo() override { m_store.apply(m_after); }

  private:
    MarkStore& m_store;
    MarkStore::States m_before, m_after;
};

MarkStore::MarkStore(QUndoStack* undo, QObject* parent) : QObject(parent), m_undo(undo) {}

void MarkStore::setScene(ScenePtr scene)
{
    m_scene = std::move(scene);
    placeAll();
    if (!m_marks.isEmpty()) emit changed();
}

QString MarkStore::explain(int64_t number) const
{
    const Mark* const mark = m_marks.find(number);
    if (mark == nullptr) return {};
    return QString::fromStdString(MarkPlacer(*m_scene).explain(*mark, placed(number)));
}

Result<int64_t> MarkStore::add(Mark mark)
{
    MarkList tried = MarkList();
    tried.startAt(m_marks.nextNumber());
    if (m_marks.size() >= kMaxMarks) return MarkList(m_marks).add(std::move(mark));
    const int64_t number = LOCKSTEP_TRY(tried.add(std::move(mark)));
    const Mark& added = *tried.find(number);
    push(added.isNote() ? tr("add note %1").arg(number) : tr("add marker %1").arg(number), {{number, added}});
    return number;
}

Status MarkStore::setText(int64_t number, const std::string& text)
{
    const Mark* const mark = m_marks.find(number);
    if (mark == nullptr)
        return makeError(ErrorKind::notFound, "marker " + std::to_string(number) + " no longer exists");
    if (text.size() > kMaxMarkText) return makeError(ErrorKind::invalid, "a note is limited to 64 KiB");
    if (mark->text == text) return {};
    Mark after = *mark;
    after.text = text;
    push(tr("edit note %1").arg(number), {{number, std::move(after)}});
    return {};
}

void MarkStore::remove(const std::vector<int64_t>& numbers)
{
    States after;
    for (const int64_t number : numbers) {
        if (m_marks.find(number) != nullptr) after[number] = std::nullopt;
    }
    if (after.empty()) return;
    const int64_t first = after.begin()->first;
    const bool isNote = m_marks.find(first)->isNote();
    push(after.size() > 1 ? tr("remove %n marker(s)", nullptr, static_cast<int>(after.size()))
         : isNote         ? tr("remove note %1").arg(first)
                          : tr("remove marker %1").arg(first),
         std::move(after));
}

void MarkStore::push(const QString& text, States after)
{
    if (m_undo == nullptr) return apply(after);
    States before;
    for (const auto& [number, mark] : after) {
        const Mark* const was = m_marks.find(number);
        before[number] = was == nullptr ? std::nullopt : std::optional(*was);
    }
    m_undo->push(new MarkEdit(*this, text, std::move(before), std::move(after)));
}

void MarkStore::apply(const States& states)
{
    MarkPlacer placer(*m_scene);
    for (const auto& [number, mark] : states) {
        if (mark) {
            m_marks.put(*mark);
            m_placed[number] = placer.place(*mark);
        } else {
            m_marks.remove(number);
            m_placed.erase(number);
        }
    }
    emit changed();
}

void MarkStore::placeAll()
{
    MarkPlacer placer(*m_scene);
    m_placed.clear();
    m_placed.reserve(m_marks.size());
    for (const Mark& mark : m_marks.all())
        m_placed[mark.number] = placer.place(mark);
}

void MarkStore::reset(MarkList marks)
{
    const bool hadNone = m_marks.isEmpty() && marks.isEmpty();
    m_marks = std::move(marks);
    placeAll();
    if (!hadNone) emit changed();
}

size_t MarkStore::append(const MarkList& marks)
{
    const size_t without = m_marks.append(marks);
    placeAll();
    emit changed();
    return without;
}

} // namespace lockstep
