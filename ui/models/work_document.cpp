// SPDX-License-Identifier: Apache-2.0
#include "ui/models/work_document.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <tuple>

#include "core/base/sorted_difference.h"

namespace lockstep {

namespace {

// A delta stores the change that one undo step made to one member of Work, and applies it in both directions.

// Delta replaces the whole value.
template<class T>
class Delta {
  public:
    Delta(const T& before, const T& after)
    {
        if (before != after) m_ends.emplace(before, after);
    }
    bool isEmpty() const { return !m_ends || m_ends->first == m_ends->second; }
    void apply(T& value, bool isUndo) const
    {
        if (m_ends) value = isUndo ? m_ends->first : m_ends->second;
    }
    // Returns true if `next` begins where this ends.
    bool leadsTo(const Delta& next) const
    {
        return !m_ends || !next.m_ends || m_ends->second == next.m_ends->first;
    }
    void append(const Delta& next)
    {
        if (!next.m_ends) return;
        m_ends = {m_ends ? m_ends->first : next.m_ends->first, next.m_ends->second};
    }

  private:
    std::optional<std::pair<T, T>> m_ends;
};

// KeyedDelta replaces only the entries that differ.
template<class Key, class Entry>
class KeyedDelta {
  public:
    bool isEmpty() const
    {
        return std::ranges::all_of(
            m_entries, [](const auto& entry) { return entry.second.first == entry.second.second; });
    }
    bool leadsTo(const KeyedDelta& next) const
    {
        return std::ranges::all_of(next.m_entries, [this](const auto& entry) {
            const auto mine = m_entries.find(entry.first);
            return mine == m_entries.end() || mine->second.second == entry.second.first;
        });
    }
    void append(const KeyedDelta& next)
    {
        for (const auto& [key, ends] : next.m_entries) {
            const auto [mine, isNew] = m_entries.try_emplace(key, ends);
            if (!isNew) mine->second.second = ends.second;
        }
    }

  protected:
    template<class Range, class KeyOf, class EntryOf>
    void collect(const Range& before, const Range& after, const KeyOf& keyOf, const EntryOf& entryOf)
    {
        const auto copied = [&entryOf](const auto* from) {
            return from == nullptr ? std::nullopt : std::optional<Entry>(std::invoke(entryOf, *from));
        };
        using Element = std::ranges::range_value_t<Range>;
        visitDifferences(before, after, keyOf, [&](const Key& key, const Element* was, const Element* is) {
            m_entries.emplace(key, std::pair(copied(was), copied(is)));
        });
    }
    template<class Put, class Remove>
    void forEach(bool isUndo, const Put& put, const Remove& remove) const
    {
        for (const auto& [key, ends] : m_entries) {
            const std::optional<Entry>& entry = isUndo ? ends.first : ends.second;
            if (entry) {
                put(key, *entry);
            } else {
                remove(key);
            }
        }
    }

  private:
    std::map<Key, std::pair<std::optional<Entry>, std::optional<Entry>>> m_entries;
};

template<class Key, class Value>
class Delta<std::map<Key, Value>> : public KeyedDelta<Key, Value> {
  public:
    Delta(const std::map<Key, Value>& before, const std::map<Key, Value>& after)
    {
        using Element = std::pair<const Key, Value>;
        this->collect(before, after, &Element::first, &Element::second);
    }
    void apply(std::map<Key, Value>& map, bool isUndo) const
    {
        this->forEach(
            isUndo, [&](const Key& key, const Value& value) { map.insert_or_assign(key, value); },
            [&](const Key& key) { map.erase(key); });
    }
};

template<class Key>
class Delta<std::set<Key>> : public KeyedDelta<Key, Key> {
  public:
    Delta(const std::set<Key>& before, const std::set<Key>& after)
    {
        this->collect(before, after, std::identity(), std::identity());
    }
    void apply(std::set<Key>& set, bool isUndo) const
    {
        this->forEach(
            isUndo, [&](const Key& key, const Key&) { set.insert(key); },
            [&](const Key& key) { set.erase(key); });
    }
};

template<>
class Delta<MarkList> : public KeyedDelta<int64_t, Mark> {
  public:
    Delta(const MarkList& before, const MarkList& after)
    {
        if (!before.isCopyOf(after)) collect(before.all(), after.all(), &Mark::number, std::identity());
    }
    void apply(MarkList& marks, bool isUndo) const
    {
        forEach(
            isUndo, [&](int64_t, const Mark& mark) { marks.put(mark); },
            [&](int64_t number) { marks.remove(number); });
    }
};

// The members that a step can change.
constexpr std::tuple kContent{&Work::alignment, &Work::stated,      &Work::laneSets,
                              &Work::views,     &Work::laneQueries, &Work::marks};
constexpr std::tuple kArrangement{&Work::hidden, &Work::lanes, &Work::openedGaps};
constexpr auto kMembers = std::tuple_cat(kContent, kArrangement);

template<class Members, class Visit>
void forEachMember(const Members& members, const Visit& visit)
{
    std::apply([&](const auto&... member) { (visit(member), ...); }, members);
}

template<class T>
bool isSame(const T& a, const T& b)
{
    return a == b;
}

// Ignores the next marker number, which an undone step does not decrease, because numbers are never reused.
bool isSame(const MarkList& a, const MarkList& b)
{
    return a.isCopyOf(b) || std::ranges::equal(a.all(), b.all());
}

template<class Members>
bool areSame(const Members& members, const Work& a, const Work& b)
{
    bool areAll = true;
    forEachMember(members, [&](auto member) { areAll = areAll && isSame(a.*member, b.*member); });
    return areAll;
}

template<class... T>
std::tuple<Delta<T>...> deltasOf(const std::tuple<T Work::*...>& members, const Work& before,
                                 const Work& after)
{
    return std::apply([&](auto... member) { return std::tuple(Delta<T>(before.*member, after.*member)...); },
                      members);
}

} // namespace

Work::Work() = default;

Work Work::renumbered(const std::map<ReportKey, ReportKey>& numbers) const
{
    Work out = *this;
    out.alignment = alignment.renumbered(numbers);
    out.stated.clear();
    out.hidden.clear();
    for (const auto& [before, now] : numbers) {
        const auto found = stated.find(before);
        if (found != stated.end()) out.stated[now] = found->second;
        if (hidden.contains(before)) out.hidden.insert(now);
    }
    return out;
}

void Work::forget(ReportKey key)
{
    alignment.forget(key);
    stated.erase(key);
    hidden.erase(key);
}

class WorkDocument::Step : public QUndoCommand {
  public:
    Step(WorkDocument& document, const QString& text, const std::string& mergeKey, const Work& before,
         const Work& after)
        : QUndoCommand(text), m_document(document), m_mergeKey(mergeKey),
          m_deltas(deltasOf(kMembers, before, after))
    {
    }

    void undo() override { apply(true); }
    void redo() override { apply(false); }
    int id() const override { return 1; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const Step& next = static_cast<const Step&>(*other);
        if (m_mergeKey.empty() || next.m_mergeKey != m_mergeKey) return false;
        bool isContinued = true; // false if the program changed the same entries in between
        forEachDelta([&](auto at) {
            isContinued = isContinued && std::get<at>(m_deltas).leadsTo(std::get<at>(next.m_deltas));
        });
        if (!isContinued) return false;
        bool isEmpty = true;
        forEachDelta([&](auto at) {
            std::get<at>(m_deltas).append(std::get<at>(next.m_deltas));
            isEmpty = isEmpty && std::get<at>(m_deltas).isEmpty();
        });
        setText(next.text());
        setObsolete(isEmpty); // for example a lane that was collapsed and expanded again
        return true;
    }

  private:
    template<class Visit>
    static void forEachDelta(const Visit& visit)
    {
        [&]<size_t... at>(std::index_sequence<at...>)
        {
            (visit(std::integral_constant<size_t, at>()), ...);
        }
        (std::make_index_sequence<std::tuple_size_v<decltype(kMembers)>>());
    }
    void apply(bool isUndo)
    {
        m_document.change([&](Work& work) {
            forEachDelta(
                [&](auto at) { std::get<at>(m_deltas).apply(work.*std::get<at>(kMembers), isUndo); });
        });
    }

    WorkDocument& m_document;
    const std::string m_mergeKey;
    decltype(deltasOf(kMembers, Work(), Work())) m_deltas;
};

WorkDocument::WorkDocument(QObject* parent) : QObject(parent), m_undo(this)
{
    m_undo.setObjectName("workspace");
}

void WorkDocument::edit(const QString& text, const Change& change, const std::string& mergeKey)
{
    Work after = m_work;
    change(after);
    if (areSame(kMembers, m_work, after)) return;
    m_undo.push(new Step(*this, text, mergeKey, m_work, after));
}

void WorkDocument::adopt(const Change& change)
{
    const Work before = m_work;
    change(m_work);
    forEachMember(kMembers, [&](auto member) {
        if (isSame(m_saved.*member, before.*member)) m_saved.*member = m_work.*member;
    });
    compare();
    if (!areSame(kMembers, m_work, before)) emit changed(before);
}

void WorkDocument::reset(Work work, bool isSaved)
{
    const Work before = std::exchange(m_work, std::move(work));
    if (isSaved) m_saved = m_work;
    compare();
    m_undo.clear();
    emit changed(before);
}

void WorkDocument::setSaved(const Work& work)
{
    m_saved = work;
    compare();
}

void WorkDocument::compare()
{
    m_sinceSaved = !areSame(kContent, m_work, m_saved)       ? Difference::content
                   : !areSame(kArrangement, m_work, m_saved) ? Difference::arrangement
                                                             : Difference::none;
}

void WorkDocument::change(const Change& change)
{
    const Work before = m_work;
    change(m_work);
    compare();
    emit changed(before);
}

} // namespace lockstep
