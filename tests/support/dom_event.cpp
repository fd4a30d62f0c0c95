// SPDX-License-Identifier: Apache-2.0
#include "tests/support/dom_event.h"

#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include "core/base/text.h"
#include "core/readers/chrome_json/event_category.h"
#include "core/readers/chrome_json/event_reader.h"

namespace lockstep::test {

namespace {

namespace dom = simdjson::dom;

// Returns a text in one form: JSON without blanks, numbers with 17 digits.
std::string plain(std::string_view text)
{
    dom::parser parser;
    dom::element element;
    if (!text.empty() && std::string_view("{[\"").find(text[0]) != std::string_view::npos &&
        parser.parse(std::string(text)).get(element) == simdjson::SUCCESS)
        return simdjson::minify(element);
    if (const auto number = parseDouble(text)) {
        std::array<char, 40> digits{};
        std::snprintf(digits.data(), digits.size(), "%.17g", *number == 0 ? 0.0 : *number);
        return digits.data();
    }
    return std::string(text);
}

// Whether the fields that EventReader leaves as written contain escape sequences. The DOM has unescaped them.
enum class Escapes { present, removed };

class EventText {
  public:
    explicit EventText(Escapes escapes) : m_escapes(escapes) {}

    std::string of(const RawEvent& event)
    {
        const bool isLetter = (event.phase | 0x20) >= 'a' && (event.phase | 0x20) <= 'z';
        put("phase", event.phase == 0 ? "absent" : isLetter ? std::string(1, event.phase) : "?");
        put("start", event.hasStart, event.badStart, event.start_ns);
        put("duration", event.hasDuration, event.badDuration, event.duration_ns);
        put("texts", plain(event.category), '|', plain(event.name), '|', written(event.id), '|',
            written(event.scope), '|', written(event.bindId));
        put("flags", event.flowsIn, event.flowsOut, event.bindsEnclosing);
        for (const ActorText& actor : {event.pid, event.tid})
            put("actor", actor.number, actor.isText, written(actor.text));
        for (const RawArgument& argument : event.list)
            put("argument", argument.key, plain(argument.value), argument.isText);
        arguments(event.args);
        if (event.collective != nullptr) collective(*event.collective);
        return m_out.str();
    }

  private:
    // Returns a field that EventReader leaves as written, without escape sequences.
    std::string written(std::string_view text) const
    {
        dom::parser parser;
        std::string_view unescaped;
        if (m_escapes == Escapes::present && text.find('\\') != std::string_view::npos &&
            parser.parse("\"" + std::string(text) + "\"").get(unescaped) == simdjson::SUCCESS)
            return plain(unescaped);
        return plain(text);
    }

    template<class... Values>
    void put(const Values&... values)
    {
        ((m_out << values << ' '), ...);
        m_out << '\n';
    }

    void arguments(const EventArguments& args)
    {
        put("args", args.correlation, args.stream, args.hasStream, args.device, args.hasDevice, args.context,
            args.deviceType, args.deviceId, args.hasDeviceId, args.eventIndex, args.connection,
            args.elements);
        put("bytes", args.allocated_bytes, args.hasAllocated, args.reserved_bytes, args.hasReserved,
            args.size_bytes, args.hasSize, args.address, args.hasAddress, args.change_bytes, args.hasChange);
        put("words", written(args.taskType), '|', written(args.level), '|', written(args.dataType), '|',
            written(args.externalId));
        for (const FactValue& fact : args.facts.values())
            put("fact", int(fact.fact), fact.value);
    }

    void collective(const CollectiveArguments& arguments)
    {
        StringPool pool;
        const CollectiveOp op = arguments.op(pool);
        const auto text = [&](StringId id) { return id.isValid() ? written(pool.at(id)) : "absent"; };
        put("collective", text(op.collective), text(op.group), text(op.groupRanks), text(op.dataType),
            op.inElements, op.outElements, op.groupSize, op.rankInGroup, op.rankStart, op.rankStride,
            op.sequence, op.commsId, op.peer);
    }

    const Escapes m_escapes;
    std::ostringstream m_out;
};

// A scalar or list as the DOM represents it.
class Value {
  public:
    explicit Value(dom::element element)
    {
        std::string_view text;
        int64_t number = 0;
        m_isList = element.is_array() || element.is_object();
        m_isText = element.get(text) == simdjson::SUCCESS;
        if (m_isText) {
            m_text = text;
            const char* const end = m_text.data() + m_text.size();
            const auto [stop, error] = std::from_chars(m_text.data(), end, number);
            if (error == std::errc() && stop == end) m_integer = number;
            m_number = parseDouble(m_text);
        } else if (element.get(number) == simdjson::SUCCESS) {
            m_integer = number;
            m_number = double(number);
            m_text = std::to_string(number);
        } else if (double real = 0; !m_isList && element.get(real) == simdjson::SUCCESS) {
            m_number = real;
            m_text.resize(400);
            m_text.resize(
                size_t(std::to_chars(m_text.data(), m_text.data() + 400, real, std::chars_format::fixed).ptr -
                       m_text.data()));
            if (m_text.find('.') == std::string::npos) m_text += ".0";
        } else {
            m_text = simdjson::minify(element);
        }
    }

    bool isText() const { return m_isText; }
    bool isList() const { return m_isList; }
    const std::string& text() const { return m_text; } // JSON for lists
    std::string scalar() const { return m_isList ? "" : m_text; }
    std::optional<int64_t> integer() const { return m_integer; }
    std::optional<double> number() const { return m_number; }
    std::optional<int64_t> truncated() const
    {
        if (m_integer) return m_integer;
        if (!m_number || std::abs(*m_number) > 1e18) return std::nullopt;
        return int64_t(*m_number);
    }
    std::optional<uint64_t> notNegative() const
    {
        const auto value = truncated();
        if (!value || *value < 0 || *m_number < 0) return std::nullopt;
        return uint64_t(*value);
    }
    std::optional<int64_t> nanoseconds() const { return nsFromMicrosecondText(scalar()); }

  private:
    std::string m_text;
    std::optional<int64_t> m_integer;
    std::optional<double> m_number;
    bool m_isText = false;
    bool m_isList = false;
};

// Reads the members of the DOM in order, without any of EventReader's short cuts.
class DomEvent {
  public:
    std::string read(dom::object object)
    {
        std::optional<dom::object> deferred;
        for (const auto& [key, element] : object) {
            if (key != "args") {
                field(key, element);
            } else if (dom::object args; element.get(args) == simdjson::SUCCESS) {
                if (m_event.phase == 0) deferred = args;
                const bool isNeeded = m_event.phase != 'X' || readsArguments(m_event.category) ||
                                      m_event.name == kRecordOfComms;
                if (m_event.phase != 0 && isNeeded) arguments(args);
            }
        }
        if (deferred) arguments(*deferred);
        m_event.list = m_list;
        return EventText(Escapes::removed).of(m_event);
    }

  private:
    std::string_view stored(std::string text)
    {
        m_texts.push_back(std::make_unique<std::string>(std::move(text)));
        return *m_texts.back();
    }

    static void setTime(const Value& value, int64_t& time_ns, bool& has, bool& isBad)
    {
        const auto ns = value.nanoseconds();
        if (ns) time_ns = *ns;
        has = has || ns;
        isBad = !has;
    }

    void setActor(const Value& value, ActorText& actor)
    {
        actor = {value.integer().value_or(0), "", !value.integer()};
        if (actor.isText) actor.text = stored(value.scalar());
    }

    void field(std::string_view key, dom::element element)
    {
        const Value value(element);
        if (key == "ph") m_event.phase = value.isText() && !value.text().empty() ? value.text()[0] : '?';
        if (key == "pid") setActor(value, m_event.pid);
        if (key == "tid") setActor(value, m_event.tid);
        if (key == "ts") setTime(value, m_event.start_ns, m_event.hasStart, m_event.badStart);
        if (key == "dur") setTime(value, m_event.duration_ns, m_event.hasDuration, m_event.badDuration);
        if (key == "cat") m_event.category = stored(value.scalar());
        if (key == "name") m_event.name = stored(value.scalar());
        if (key == "id") m_event.id = stored(value.scalar());
        if (key == "id2") m_event.id = stored(value.isText() ? simdjson::minify(element) : value.text());
        if (key == "scope") m_event.scope = stored(value.scalar());
        if (key == "bp") m_event.bindsEnclosing = value.scalar() == "e";
        if (key == "bind_id") m_event.bindId = stored(value.scalar());
        if (key == "flow_in") m_event.flowsIn = value.scalar() == "true" || value.scalar() == "1";
        if (key == "flow_out") m_event.flowsOut = value.scalar() == "true" || value.scalar() == "1";
    }

    void arguments(dom::object args)
    {
        const bool isPlugin =
            m_event.category == "COLL" || m_event.category == "P2P" || m_event.category == "GPU";
        if (m_event.phase == 'C' || m_event.phase == 'M' || (m_event.phase == 'b' && isPlugin)) {
            m_list.clear();
            for (const auto& [key, element] : args) {
                const Value value(element);
                m_list.push_back({stored(std::string(key)), stored(value.text()), value.isText()});
            }
            return;
        }
        for (const auto& [key, element] : args) {
            const Value value(element);
            if (!value.isList()) {
                number(key, value);
                word(key, value);
                facts(key, value);
            } else if (key == "grid" || key == "block") {
                triple(element, key == "grid" ? RowFact::gridX : RowFact::blockX);
            }
            const bool mayDescribe = (key >= "A" && key < "[") || key == "dtype";
            if (mayDescribe && !element.is_object() && m_collective.take(key, stored(value.text())))
                m_event.collective = &m_collective;
        }
    }

    template<class T, class From>
    static void set(std::optional<From> from, T& to, bool* has = nullptr)
    {
        if (!from) return;
        to = T(*from);
        if (has != nullptr) *has = true;
    }

    void number(std::string_view key, const Value& value)
    {
        EventArguments& args = m_event.args;
        if (key == "correlation") args.correlation = value.notNegative().value_or(0);
        if (key == "connection_id") set(value.notNegative(), args.connection);
        if (key == "count") set(value.notNegative(), args.elements);
        if (key == "context") set(value.truncated(), args.context);
        if (key == "stream") set(value.truncated(), args.stream, &args.hasStream);
        if (key == "device") set(value.truncated(), args.device, &args.hasDevice);
        if (key == "Ev Idx") set(value.notNegative(), args.eventIndex);
        if (key == "Addr") set(value.notNegative(), args.address, &args.hasAddress);
        if (key == "Bytes") set(value.truncated(), args.change_bytes, &args.hasChange);
        if (key == "bytes") set(value.notNegative(), args.size_bytes, &args.hasSize);
        if (key == "Device Type") set(value.truncated(), args.deviceType);
        if (key == "Device Id") set(value.truncated(), args.deviceId, &args.hasDeviceId);
        if (key == "Total Allocated") set(value.truncated(), args.allocated_bytes, &args.hasAllocated);
        if (key == "Total Reserved") set(value.truncated(), args.reserved_bytes, &args.hasReserved);
    }

    void word(std::string_view key, const Value& value)
    {
        if (key == "data_type") m_event.args.dataType = stored(value.text());
        if (key == "level") m_event.args.level = stored(value.text());
        if (key == "Task Type") m_event.args.taskType = stored(value.text());
        if (key == "External id") m_event.args.externalId = stored(value.text());
    }

    void facts(std::string_view key, const Value& value)
    {
        FactList& facts = m_event.args.facts;
        if (key == "context") facts.set(RowFact::context, value.integer());
        if (key == "graph node id") facts.set(RowFact::graphNode, value.integer());
        if (key == "registers per thread") facts.set(RowFact::registers, value.integer());
        const double rate = value.number().value_or(0);
        if (key == "memory bandwidth (GB/s)" && rate > 0 && rate < 1e9)
            facts.set(RowFact::bandwidth, int64_t(std::llround(rate * 1e9)));
    }

    void triple(dom::element list, RowFact first)
    {
        std::array<int64_t, 3> numbers{};
        for (size_t i = 0; i < 3; ++i) {
            if (list.at_pointer("/" + std::to_string(i)).get(numbers[i]) != simdjson::SUCCESS) return;
            if (numbers[i] < 0) return;
        }
        for (size_t i = 0; i < 3; ++i)
            m_event.args.facts.set(RowFact(size_t(first) + i), numbers[i]);
    }

    RawEvent m_event;
    std::vector<RawArgument> m_list;
    CollectiveArguments m_collective;
    std::vector<std::unique_ptr<std::string>> m_texts;
};

// Returns the size of the number at the front of the text by the JSON grammar; 0 if there is none, or if its
// fraction is beyond the 15 digits that a double, and so the DOM, always holds.
size_t numberSize(std::string_view text)
{
    size_t at = text.starts_with('-') ? 1 : 0;
    const auto digits = [&] {
        const size_t from = at;
        while (at < text.size() && isDigit(text[at]))
            ++at;
        return at - from;
    };
    const bool isZero = at < text.size() && text[at] == '0';
    const size_t whole = digits();
    if (whole == 0 || whole > 19 || (isZero && whole > 1)) return 0;
    if (at < text.size() && text[at] == '.') {
        ++at;
        const size_t fraction = digits();
        if (fraction == 0 || whole + fraction > 15) return 0;
    }
    if (at < text.size() && (text[at] | 0x20) == 'e') {
        ++at;
        if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
        const size_t exponent = digits();
        if (exponent == 0 || exponent > 2) return 0;
    }
    return at;
}

} // namespace

std::optional<std::string> domEventText(std::string_view event)
{
    dom::parser parser;
    dom::object object;
    if (parser.parse(std::string(event)).get(object) != simdjson::SUCCESS) return std::nullopt;
    return DomEvent().read(object);
}

std::optional<std::string> readerEventText(std::string_view event)
{
    std::string text(event);
    text.append(simdjson::SIMDJSON_PADDING, ' ');
    JsonTokens tokens;
    if (!tokens.scan({text.data(), event.size()})) return std::nullopt;
    if (tokens.at(0) != '{' || tokens.at(tokens.count() - 1) != '}') return std::nullopt;
    EventReader reader;
    RawEvent raw;
    ImportNotes notes;
    if (reader.read(tokens, 0, raw, notes) != tokens.count()) return std::nullopt;
    return EventText(Escapes::present).of(raw);
}

bool isSameForDom(std::string_view event)
{
    const std::string lower = lowerAscii(event);
    if (lower.find("nan") != std::string::npos || lower.find("inf") != std::string::npos) return false;
    for (size_t at = 0; at < event.size(); ++at) {
        const std::string_view rest = event.substr(at);
        if (rest[0] == '\\') {
            const bool isCode =
                rest.starts_with("\\u00e9") || rest.starts_with("\\u0068") || rest.starts_with("\\u0065");
            const bool isKnown =
                rest.size() > 1 && std::string_view("\"\\/bfnrt").find(rest[1]) != std::string_view::npos;
            if (!isCode && !isKnown) return false;
            at += isCode ? 5 : 1;
        } else if (isDigit(rest[0]) || rest[0] == '-') {
            const size_t size = numberSize(rest);
            const size_t end = std::min(rest.find_first_not_of("0123456789+-.eE"), rest.size());
            if (size != end || rest.substr(0, size) == "-0") return false;
            at += size - 1;
        }
    }
    return true;
}

} // namespace lockstep::test
