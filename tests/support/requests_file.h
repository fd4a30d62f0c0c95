// SPDX-License-Identifier: Apache-2.0
// The text of an OTLP file with requests to an SGLang server, traced at level 3: thread 1 of host id
// "machine0" schedules them in batches; and of the trace of its GPU. Times are in ms after kStart_ns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::test {

class RequestsFile {
  public:
    static constexpr int64_t kStart_ns = 1'787'300'000'000'000'000;

    struct Stage {
        int begin_ms = 0, end_ms = 0;
        std::string batch; // "": no event names a batch
        int size = 2;      // of the batch
        std::string name = "decode_loop";
    };

    void add(const std::string& request, const std::vector<Stage>& stages)
    {
        const int root = span(0, "Req " + request, 0, 1'000,
                              text("rid", request) + "," + text("module", "sglang::request"));
        const int thread = span(root, "Scheduler [TP 0]", 0, 999,
                                number("tp_rank", 0) + "," + text("host_id", "machine0") + "," +
                                    number("pid", 1) + "," + text("thread_label", "Scheduler"));
        for (const Stage& stage : stages) {
            std::string event;
            if (!stage.batch.empty()) {
                event = R"({"name":"schedule","timeUnixNano":")" + time(stage.begin_ms) +
                        R"(","attributes":[)" + text("bid", stage.batch) + "," +
                        number("batch_size", stage.size) + "," + text("forward_mode", "decode") + "]}";
            }
            span(thread, stage.name, stage.begin_ms, stage.end_ms, {}, event);
        }
    }
    // host: recorded as the name of the host, if it is not empty
    std::string text(const std::string& host = {}) const
    {
        const std::string hostName = host.empty() ? "" : "," + text("host.name", host);
        return R"({"resourceSpans":[{"resource":{"attributes":[)" + text("service.name", "sglang") +
               hostName + R"(]},"scopeSpans":[{"spans":[)" + m_spans + "]}]}]}\n";
    }

    // The trace of thread 1 of process 1, which launches a kernel every 10 ms; it starts 5 ms later.
    static std::string traceOfThread(const std::string& host)
    {
        std::string events;
        const auto event = [&](const std::string& what, int ms, int duration_us, const std::string& ids,
                               int correlation) {
            events += (events.empty() ? R"({"ph":"X",)" : R"(,{"ph":"X",)") + what + R"(,"ts":)" +
                      std::to_string(kStart_ns / 1000 + ms * 1000) + R"(,"dur":)" +
                      std::to_string(duration_us) + "," + ids + R"(,"args":{"correlation":)" +
                      std::to_string(correlation) + R"(,"device":0,"stream":7}})";
        };
        for (int i = 0; i < 100; ++i) {
            event(R"("cat":"cuda_runtime","name":"cudaLaunchKernel")", 10 * i, 20, R"("pid":1,"tid":1)",
                  i + 1);
            event(R"("cat":"kernel","name":"decode_kernel")", 10 * i + 5, 4000, R"("pid":0,"tid":7)", i + 1);
        }
        return R"({"schemaVersion":1,"baseTimeNanoseconds":0,"host_name":")" + host + R"(","traceEvents":[)" +
               events + "]}";
    }

  private:
    static std::string text(const std::string& key, const std::string& value)
    {
        return R"({"key":")" + key + R"(","value":{"stringValue":")" + value + R"("}})";
    }
    static std::string number(const std::string& key, int64_t value)
    {
        return R"({"key":")" + key + R"(","value":{"intValue":")" + std::to_string(value) + R"("}})";
    }
    static std::string time(int ms) { return std::to_string(kStart_ns + int64_t(ms) * 1'000'000); }
    static std::string id(int value) { return std::string(12, '0') + std::to_string(1000 + value); }
    int span(int parent, const std::string& name, int begin_ms, int end_ms, const std::string& attributes,
             const std::string& event = {})
    {
        m_spans += (m_spans.empty() ? "" : ",") + (R"({"traceId":"00aa","spanId":")" + id(++m_last)) +
                   R"(","name":")" + name + R"(","startTimeUnixNano":")" + time(begin_ms) +
                   R"(","endTimeUnixNano":")" + time(end_ms) + R"(","attributes":[)" + attributes + "]" +
                   (parent > 0 ? R"(,"parentSpanId":")" + id(parent) + "\"" : "") +
                   (event.empty() ? "" : R"(,"events":[)" + event + "]") + "}";
        return m_last;
    }

    std::string m_spans;
    int m_last = 0;
};

} // namespace lockstep::test
