// SPDX-License-Identifier: Apache-2.0
// Measures loading of OTLP spans, as SGLang and a collector write them, relative to a bare walk of simdjson
// over the same lines, on one thread with every value visited. Also prints the peak resident memory above
// that of the empty program, measured in a child process. Arguments: [--smoke] [spans ...].
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/mapped_file.h"
#include "core/readers/reader.h"
#include "tests/bench/bench.h"
#include "tests/bench/load_measures.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workers.h"

namespace lockstep::otlp_load_bench {

namespace {

constexpr size_t kSpansPerRequest = 8;
constexpr size_t kRequestsPerLine =
    64; // the batch of SGLang's exporter is 64 spans, and collectors join them
constexpr int64_t kBegin_ns = 1'787'300'000'000'000'000;

class Writer {
  public:
    explicit Writer(const std::filesystem::path& path) : m_file(std::fopen(path.c_str(), "wb")) {}
    ~Writer() { std::fclose(m_file); }

    void line(size_t firstRequest)
    {
        text(
            "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":"
            "\"sglang\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"sglang\"},\"spans\":[");
        for (size_t i = 0; i < kRequestsPerLine; ++i)
            request(firstRequest + i, i > 0);
        text("]}]}]}\n");
    }
    uint64_t size_bytes() const { return m_size; }

  private:
    void text(std::string_view text)
    {
        m_size += text.size();
        std::fwrite(text.data(), 1, text.size(), m_file);
    }
    template<class... Values>
    void put(const char* format, Values... values)
    {
        m_size += static_cast<uint64_t>(std::fprintf(m_file, format, values...));
    }

    void span(size_t request, size_t part, size_t parent, const char* name, int64_t begin_ms, int64_t end_ms,
              const char* rest)
    {
        const int64_t base_ns = kBegin_ns + int64_t(request) * 2'000'000;
        put("%s{\"traceId\":\"0000000000000000%016zx\",\"spanId\":\"%016zx\",\"parentSpanId\":\"",
            part > 0 ? "," : "", request + 1, request * 16 + part + 1);
        if (part > 0) put("%016zx", request * 16 + parent + 1);
        put("\",\"flags\":256,\"name\":\"%s\",\"kind\":1,\"startTimeUnixNano\":\"%" PRId64
            "\",\"endTimeUnixNano\":\"%" PRId64 "\"%s,\"status\":{}}",
            name, base_ns + begin_ms * 1'000'000, base_ns + end_ms * 1'000'000, rest);
    }

    void request(size_t number, bool isNext)
    {
        if (isNext) text(",");
        char rest[768];
        std::snprintf(
            rest, sizeof rest,
            ",\"attributes\":[{\"key\":\"rid\",\"value\":{\"stringValue\":\"%032zx\"}},{\"key\":\"module\","
            "\"value\":{\"stringValue\":\"sglang::request\"}},{\"key\":\"gen_ai.usage.completion_tokens\","
            "\"value\":{\"intValue\":\"%zu\"}},{\"key\":\"gen_ai.usage.prompt_tokens\",\"value\":{\"intValue\":"
            "\"900\"}},{\"key\":\"gen_ai.response.finish_reasons\",\"value\":{\"stringValue\":\"stop\"}}]",
            number, 100 + number % 900);
        char name[64];
        std::snprintf(name, sizeof name, "Req %08zx", number);
        span(number, 0, 0, name, 0, 2500, rest);
        span(
            number, 1, 0, "Scheduler [TP 0] (host:1f0c77ab | pid:90211)", 20, 2480,
            ",\"attributes\":[{\"key\":\"host_id\",\"value\":{\"stringValue\":\"1f0c77ab00000000\"}},{\"key\":\"pid\","
            "\"value\":{\"intValue\":\"90211\"}},{\"key\":\"thread_label\",\"value\":{\"stringValue\":\"Scheduler\"}},"
            "{\"key\":\"tp_rank\",\"value\":{\"intValue\":\"0\"}}]");
        span(number, 2, 1, "prefill_waiting", 20, 400, "");
        span(
            number, 3, 1, "prefill_forward", 400, 700,
            ",\"events\":[{\"timeUnixNano\":\"1787300000400000000\",\"name\":\"schedule\",\"attributes\":[{\"key\":\"bid\","
            "\"value\":{\"stringValue\":\"ab12cd34\"}},{\"key\":\"batch_size\",\"value\":{\"intValue\":\"6\"}},{\"key\":"
            "\"forward_mode\",\"value\":{\"stringValue\":\"prefill\"}}]}]");
        for (size_t part = 4; part < kSpansPerRequest; ++part)
            span(
                number, part, 1, "decode_loop", int64_t(part) * 200, int64_t(part) * 200 + 190,
                ",\"attributes\":[{\"key\":\"decode_ct\",\"value\":{\"intValue\":\"1\"}}],\"links\":[{\"traceId\":"
                "\"00000000000000000000000000000001\",\"spanId\":\"0000000000000001\"}]");
    }

    std::FILE* m_file;
    uint64_t m_size = 0;
};

// Returns the number of lines.
size_t bareWalk(const std::filesystem::path& path, size_t& sum)
{
    const auto file = MappedFile::open(path);
    simdjson::ondemand::parser parser;
    std::string line;
    size_t lines = 0;
    for (std::string_view text = file->text(); !text.empty(); ++lines) {
        const size_t end = text.find('\n');
        line.reserve(end + simdjson::SIMDJSON_PADDING);
        line.assign(text.substr(0, end));
        auto document = parser.iterate(line.data(), line.size(), line.size() + simdjson::SIMDJSON_PADDING);
        for (auto field : document.get_object())
            sum += test::visit(field.value().value());
        text.remove_prefix(end + 1);
    }
    return lines;
}

bool run(size_t spans)
{
    const test::TempDir folder;
    const std::filesystem::path path = folder.path() / "traces.jsonl";
    const size_t lines = std::max<size_t>(1, spans / kSpansPerRequest / kRequestsPerLine);
    uint64_t size = 0;
    {
        Writer writer(path);
        for (size_t i = 0; i < lines; ++i)
            writer.line(i * kRequestsPerLine);
        size = writer.size_bytes();
    }
    const double count = double(lines * kRequestsPerLine * kSpansPerRequest);
    const int64_t empty = test::peakOf([] {});
    const int64_t full = test::peakOf([&] { (void)readReport(path, Progress(test::machineWorkers())); });
    double load = 1e9, walk = 1e9;
    size_t walked = 0, sum = 0, slices = 0, resident = 0;
    for (int round = 0; round < 5; ++round) {
        auto start = std::chrono::steady_clock::now();
        walked = bareWalk(path, sum);
        walk = std::min(walk, test::secondsSince(start));
        start = std::chrono::steady_clock::now();
        const auto report = readReport(path, Progress(test::machineWorkers()));
        load = std::min(load, test::secondsSince(start));
        if (!report) return false;
        slices = (*report)->slices.size();
        resident = (*report)->residentBytes();
    }
    std::printf("%.0f spans, %.0f bytes each, %zu slices (%zu)\n", count, double(size) / count, slices,
                sum % 10);
    std::printf("  load / bare walk: %.2f   load %.3f s = %.2f us a span, walk %.3f s = %.2f GB/s\n",
                load / walk, load, load / count * 1e6, walk, double(size) / walk * 1e-9);
    std::printf("  resident peak above the empty program: %.1f bytes a span; store %.1f bytes a slice\n",
                double(full - empty) / count, double(resident) / double(slices));
    return walked == lines;
}

int bench(int argc, char** argv)
{
    std::vector<size_t> sizes;
    for (int i = 1; i < argc; ++i)
        sizes.push_back(std::strcmp(argv[i], "--smoke") == 0 ? 20'000 : std::stoull(argv[i]));
    if (sizes.empty()) sizes = {1'000'000};
    bool ok = true;
    for (const size_t size : sizes)
        ok = run(size) && ok;
    return ok ? 0 : 1;
}

const test::Bench kBench("otlp_load_bench", bench);

} // namespace

} // namespace lockstep::otlp_load_bench
