// SPDX-License-Identifier: Apache-2.0
#include "ui/events/event_filters.h"

#include <cctype>

#include <QCoreApplication>
#include <QRegularExpression>

namespace lockstep {

namespace {

QString filterWords(const char* text)
{
    return QCoreApplication::translate("lockstep::EventModel", text);
}

// Converts "> 200  <2ms" to "dur>200us dur<2ms". If a number has no unit, the unit of the column is used. A
// number without a comparison operator is a minimum.
QString durationClauses(QString text)
{
    static const QRegularExpression blankBehindSign("([<>]=?)\\s+");
    text.replace(blankBehindSign, "\\1");
    QStringList out;
    for (QString part : text.split(QRegularExpression("\\s+"), Qt::SkipEmptyParts)) {
        if (!part.startsWith('<') && !part.startsWith('>')) part.prepend(">=");
        if (part.back().isDigit()) part += "us";
        out << "dur" + part;
    }
    return out.join(' ');
}

QString clausesOf(EventColumn column, const QString& text)
{
    switch (column) {
    case EventColumn::duration:
        return durationClauses(text);
    case EventColumn::rank:
        return "rank:" + QString(text).remove(' ');
    case EventColumn::lane: {
        const bool isPattern = text.size() > 2 && text.startsWith('/') && text.endsWith('/');
        QString quoted = text;
        quoted.replace('\\', "\\\\").replace('"', "\\\"");
        return isPattern ? "lane:" + text : "lane:\"" + quoted + '"';
    }
    default:
        return text;
    }
}

} // namespace

bool isFilterable(EventColumn column)
{
    return column == EventColumn::duration || column == EventColumn::name || column == EventColumn::rank ||
           column == EventColumn::lane;
}

QString filterHelp(EventColumn column)
{
    switch (column) {
    case EventColumn::duration:
        return filterWords("Examples: > 200, <= 2ms. Numbers without a unit are microseconds.");
    case EventColumn::name:
        return filterWords("Words that must all occur in the name, or a /regular expression/, as in "
                           "the search field");
    case EventColumn::rank:
        return filterWords("Ranks, for example 0-15,32");
    case EventColumn::lane:
        return filterWords("Text in the lane's path, or a /regular expression/");
    default:
        return filterWords("The list cannot be filtered by this column");
    }
}

Result<EventQuery> eventFilterQuery(const EventFilterTexts& texts)
{
    EventQuery query;
    for (const auto& [column, text] : texts) {
        const QString plain = text.trimmed();
        if (plain.isEmpty() || !isFilterable(column)) continue;
        auto part = parseEventQuery(clausesOf(column, plain).toStdString());
        if (!part) {
            const QString title = filterWords(eventColumn(column).title);
            return tl::make_unexpected(withContext(std::move(part).error(), title.toStdString()));
        }
        query.clauses.insert(query.clauses.end(), part->clauses.begin(), part->clauses.end());
    }
    return query;
}

QString exactNameFilter(std::string_view name)
{
    // Maximum length in bytes. Longer patterns are rejected, so the filter searches for the text itself.
    constexpr size_t kMaxPattern_bytes = 2'000;
    EventClause clause;
    clause.isBare = true;
    clause.text = std::string(name);
    if (name.size() <= kMaxPattern_bytes) {
        clause.isRegex = true;
        clause.text = "(?-i)^";
        for (const char c : name) {
            const auto byte = static_cast<unsigned char>(c);
            const bool isPlain = byte >= 0x80 || c == '_' || std::isalnum(byte) != 0;
            clause.text += isPlain ? std::string{c} : std::string{'\\', c};
        }
        clause.text += '$';
    }
    return QString::fromStdString(eventClauseText(clause, {}));
}

} // namespace lockstep
