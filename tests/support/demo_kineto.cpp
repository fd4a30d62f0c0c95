// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>

#include "tests/support/demo_files.h"

namespace lockstep::test {

namespace {

constexpr int64_t kBase_ns = 1'759'300'074'000'000'000; // 223 periods of 7,889,238 s, as Kineto computes it

class TraceText {
  public:
    explicit TraceText(const DemoPart& part) : m_part(part)
    {
        m_text =
            "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H100 80GB HBM3\", "
            "\"totalGlobalMem\": 85029158912, \"computeMajor\": 9, \"computeMinor\": 0, \"numSms\": 132}],\n";
        m_text += "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " + std::to_string(part.rank) +
                  ", \"world_size\": " + std::to_string(kDemoRanks) +
                  ", \"pg_count\": 1, \"pg_config\": [{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", "
                  "\"backend_config\": \"cuda:nccl\", \"pg_size\": " +
                  std::to_string(kDemoRanks) +
                  ", \"ranks\": [0, 1, 2, 3]}], \"nccl_version\": \"2.27.5\"},\n";
        m_text +=
            "  \"host_name\": \"node" + std::to_string(part.node) + "\",\n  \"displayTimeUnit\": \"ms\",\n";
        m_text += "  \"baseTimeNanoseconds\": " + std::to_string(kBase_ns) + ",\n  \"traceEvents\": [\n";
    }

    void complete(const char* category, const std::string& name, int64_t pid, int64_t tid, int64_t start_ns,
                  int64_t duration_ns, const std::string& arguments)
    {
        separate();
        m_text += "  {\"ph\": \"X\", \"cat\": \"" + std::string(category) + "\", \"name\": \"" + name +
                  "\", \"pid\": " + std::to_string(pid) + ", \"tid\": " + std::to_string(tid) +
                  ", \"ts\": " + stamp(start_ns) + ", \"dur\": " + micro(duration_ns) + ", \"args\": {" +
                  arguments + "}}";
    }
    void metadata(const char* name, int64_t pid, int64_t tid, const std::string& key,
                  const std::string& value)
    {
        separate();
        m_text += "  {\"ph\": \"M\", \"name\": \"" + std::string(name) +
                  "\", \"pid\": " + std::to_string(pid) + ", \"tid\": " + std::to_string(tid) +
                  ", \"ts\": 0, \"args\": {\"" + key + "\": \"" + value + "\"}}";
    }
    std::string finished() { return m_text + "\n  ]\n}\n"; }

  private:
    static std::string micro(int64_t ns)
    {
        char text[40];
        std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                      static_cast<long long>(ns % 1000));
        return text;
    }
    std::string stamp(int64_t run_ns) const
    {
        const int64_t wall = kDemoStart_utc_ns + run_ns + (m_part.node == 1 ? kDemoClockError_ns : 0);
        return micro(wall - kBase_ns);
    }
    void separate()
    {
        if (!m_first) m_text += ",\n";
        m_first = false;
    }

    const DemoPart& m_part;
    std::string m_text;
    bool m_first = true;
};

std::string gpuArguments(int stream, int64_t correlation)
{
    return "\"device\": 0, \"context\": 1, \"stream\": " + std::to_string(stream) +
           ", \"correlation\": " + std::to_string(correlation);
}

std::string collectiveArguments(const DemoKernel& kernel)
{
    if (kernel.sequence == 0) return {};
    const std::string elements = std::to_string(kernel.elements);
    return ", \"Collective name\": \"allreduce\", \"dtype\": \"BFloat16\", \"In msg nelems\": " + elements +
           ", \"Out msg nelems\": " + elements + ", \"Group size\": " + std::to_string(kDemoRanks) +
           ", \"Process Group Name\": \"0\", \"Process Group Description\": \"default_pg\", \"Process Group "
           "Ranks\": \"[0, 1, 2, 3]\", \"Seq\": " +
           std::to_string(kernel.sequence);
}

} // namespace

Status writeKinetoTrace(const DemoPart& part, const std::filesystem::path& path)
{
    TraceText trace(part);
    const int64_t tid = part.pid + 1;
    trace.metadata("process_name", part.pid, 0, "name", "python");
    trace.metadata("process_labels", part.pid, 0, "labels", "CPU");
    trace.metadata("process_labels", 0, 0, "labels", "GPU 0");
    trace.metadata("thread_name", part.pid, tid, "name", "thread " + std::to_string(tid) + " (python)");
    trace.metadata("thread_name", 0, 7, "name", "stream 7 ");
    trace.metadata("thread_name", 0, 20, "name", "stream 20 ");
    for (const DemoRange& range : part.ranges) {
        trace.complete("user_annotation", range.name, part.pid, tid, range.start_ns,
                       range.end_ns - range.start_ns, "");
    }
    int64_t correlation = 1'000;
    for (const DemoKernel& kernel : part.kernels) {
        const std::string id = std::to_string(++correlation);
        trace.complete("cuda_runtime", "cudaLaunchKernel", part.pid, tid, kernel.launch_ns, 6'400,
                       "\"cbid\": 211, \"correlation\": " + id);
        trace.complete("kernel", kernel.name, 0, kernel.stream, kernel.start_ns, kernel.duration_ns,
                       gpuArguments(kernel.stream, correlation) +
                           ", \"grid\": [264, 1, 1], \"block\": [128, 1, 1]" + collectiveArguments(kernel));
    }
    for (const DemoCopy& copy : part.copies) {
        const std::string id = std::to_string(++correlation);
        trace.complete("cuda_runtime", "cudaMemcpyAsync", part.pid, tid, copy.launch_ns, 9'800,
                       "\"cbid\": 41, \"correlation\": " + id);
        trace.complete("gpu_memcpy",
                       copy.kind == 1 ? "Memcpy HtoD (Pinned -> Device)" : "Memcpy DtoH (Device -> Pinned)",
                       0, 7, copy.start_ns, copy.duration_ns,
                       gpuArguments(7, correlation) + ", \"bytes\": " + std::to_string(copy.size_bytes));
    }
    std::ofstream file(path, std::ios::binary);
    file << trace.finished();
    if (!file.flush()) return makeError(ErrorKind::io, path.string() + ": cannot write");
    return {};
}

} // namespace lockstep::test
