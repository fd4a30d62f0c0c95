// SPDX-License-Identifier: Apache-2.0
#include "core/export/chrome_trace.h"

#include <array>
#include <charconv>

#include "core/export/json_text.h"
#include "core/export/trace_events.h"

namespace lockstep {

namespace {

constexpr size_t kWriteBuffer_bytes = 1 << 20;

// Returns nanoseconds as microseconds with all digits: "1712.345".
std::string microseconds(int64_t ns)
{
    return fixedPointText(ns, 3);
}

class ChromeTrace : public TraceEventSink {
  public:
    ChromeTrace(const TextSink& sink, int64_t zero_ns) : m_sink(sink), m_zero_ns(zero_ns)
    {
        m_text =
            "{\"schemaVersion\": 1, \"displayTimeUnit\": \"ms\", \"trace_name\": \"Lockstep " LOCKSTEP_VERSION
            "\",\n\"traceEvents\": [\n";
    }
    void finish()
    {
        m_text += "\n]}\n";
        m_sink(m_text);
    }

    void process(int64_t pid, const std::string& name) override { addName("process_name", pid, 0, name); }
    void thread(int64_t pid, int64_t tid, std::string_view name) override
    {
        if (!name.empty()) addName("thread_name", pid, tid, name);
    }
    void lane(const TraceLane& lane) override { m_lane = lane; }
    void slice(const TraceSlice& slice) override;
    void counter(int64_t pid, const std::string& name, std::string_view) override
    {
        m_lane = {pid, 0, false, name};
    }
    void sample(int64_t time_ns, double value) override;

  private:
    void add(const JsonObject& event)
    {
        m_text += (m_isFirst ? "" : ",\n") + event.str();
        m_isFirst = false;
        if (m_text.size() < kWriteBuffer_bytes) return;
        m_sink(m_text);
        m_text.clear();
    }
    void addName(std::string_view what, int64_t pid, int64_t tid, std::string_view text)
    {
        JsonObject event;
        event.text("ph", "M").text("name", what).number("pid", pid).number("tid", tid);
        add(event.raw("args", JsonObject().text("name", text).str()));
    }
    void addArrow(const TraceSlice& slice, const TraceArrow& arrow);
    std::string timestamp(int64_t aligned_ns) const { return microseconds(aligned_ns + m_zero_ns); }

    const TextSink& m_sink;
    const int64_t m_zero_ns;
    std::string m_text;
    bool m_isFirst = true;
    TraceLane m_lane; // lane or counter
};

void ChromeTrace::slice(const TraceSlice& slice)
{
    JsonObject event;
    event.text("ph", slice.isInstant ? "i" : "X").text("cat", slice.category).text("name", slice.name);
    event.number("pid", m_lane.pid).number("tid", m_lane.tid).raw("ts", timestamp(slice.start_ns));
    if (slice.isInstant) {
        event.text("s", "t");
    } else {
        event.raw("dur", microseconds(slice.end_ns - slice.start_ns));
    }
    JsonObject arguments;
    for (const auto& [key, value] : slice.arguments) {
        if (const auto* const number = std::get_if<int64_t>(&value)) {
            arguments.number(key, *number);
        } else {
            arguments.text(key, std::get<std::string_view>(value));
        }
    }
    if (!slice.arguments.empty()) event.raw("args", arguments.str());
    add(event);
    for (const TraceArrow& arrow : slice.arrows)
        addArrow(slice, arrow);
}

// Adds flows recorded in the file. Launches are linked by correlation ID instead.
void ChromeTrace::addArrow(const TraceSlice& slice, const TraceArrow& arrow)
{
    if (arrow.kind == LinkKind::launch) return;
    JsonObject event;
    event.text("ph", arrow.isEnd ? "f" : "s");
    event.text("cat", arrow.kind == LinkKind::flow ? "flow" : "record_wait").text("name", "flow");
    event.number("id", static_cast<int64_t>(arrow.number));
    event.number("pid", m_lane.pid).number("tid", m_lane.tid).raw("ts", timestamp(slice.start_ns));
    if (arrow.isEnd) event.text("bp", "e");
    add(event);
}

void ChromeTrace::sample(int64_t time_ns, double value)
{
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    const std::string_view digits(text.data(), static_cast<size_t>(end - text.data()));
    JsonObject event;
    event.text("ph", "C").text("name", m_lane.name).number("pid", m_lane.pid).number("tid", 0);
    event.raw("ts", timestamp(time_ns));
    add(event.raw("args", JsonObject().raw("value", digits).str()));
}

} // namespace

Status writeChromeTrace(const Scene& scene, const TextSink& sink, const Progress& progress)
{
    ChromeTrace trace(sink, scene.alignment.utcAtZero_ns.value_or(0));
    LOCKSTEP_TRY(emitTraceEvents(scene, trace, progress));
    trace.finish();
    return {};
}

} // namespace lockstep
