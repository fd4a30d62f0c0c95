// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oversized_files.h"

#include <fstream>
#include <string>

#include "tests/support/gzip_text.h"
#include "tests/support/made_spool.h"
#include "tests/support/pickle_writer.h"
#include "tests/support/proto_writer.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/zstd_text.h"

namespace lockstep::test {

namespace {

namespace fs = std::filesystem;

using Pack = std::string (*)(std::string_view text);

// Writes head, chunk after chunk, tail: members of gzip and frames of zstd may be concatenated.
fs::path writeRepeated(const fs::path& path, Pack pack, std::string_view head, const std::string& piece,
                       int times, std::string_view tail)
{
    std::ofstream file(path, std::ios::binary);
    file << pack(std::string(head) + piece); // the first bytes show the format
    const std::string packed = pack(piece);
    for (int i = 0; i < times; ++i)
        file << packed;
    if (!tail.empty()) file << pack(tail);
    return file.flush() ? path : fs::path();
}

constexpr int kPiece = 10'000; // rows per chunk

// In order of time, as in most traces.
fs::path slicesJson(const fs::path& folder)
{
    std::ofstream file(folder / "slices.pt.trace.json.zst", std::ios::binary);
    std::string piece = R"({"schemaVersion":1,"traceEvents":[)";
    for (int i = 0; i < 3'000'000; ++i) {
        piece += R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)" + std::to_string(i * 10) +
                 R"(,"dur":5,"args":{"device":0,"stream":7}},)";
        if (piece.size() < 1'000'000) continue;
        file << zstdOf(piece);
        piece.clear();
    }
    file << zstdOf(piece + R"({"ph":"X","cat":"cpu_op","name":"last","pid":1,"tid":1,"ts":9,"dur":1}]})");
    return file.flush() ? folder / "slices.pt.trace.json.zst" : fs::path();
}

// Shuffled: i * 1,000,003 mod 2^22 takes every value once.
fs::path shuffledJson(const fs::path& folder)
{
    std::ofstream file(folder / "shuffled.pt.trace.json.zst", std::ios::binary);
    std::string piece = R"({"schemaVersion":1,"traceEvents":[)";
    for (uint64_t i = 0; i < uint64_t(1) << 22; ++i) {
        piece += R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)" +
                 std::to_string(i * 1'000'003 % (uint64_t(1) << 22) * 10) + R"(,"dur":5},)";
        if (piece.size() < 1'000'000) continue;
        file << zstdOf(piece);
        piece.clear();
    }
    file << zstdOf(piece + R"({"ph":"X","cat":"cpu_op","name":"last","pid":1,"tid":1,"ts":9,"dur":1}]})");
    return file.flush() ? folder / "shuffled.pt.trace.json.zst" : fs::path();
}

fs::path halvesJson(const fs::path& folder)
{
    std::string piece;
    for (int i = 0; i < kPiece; ++i)
        piece += R"({"ph":")" + std::string(i % 2 == 0 ? "B" : "E") +
                 R"(","name":"f","pid":1,"tid":1,"ts":)" + std::to_string(i) + "},";
    return writeRepeated(folder / "halves.json.gz", gzipped, "[", piece, 300,
                         R"({"ph":"i","name":"last","pid":1,"tid":1,"ts":9}])");
}

fs::path countersJson(const fs::path& folder)
{
    std::string piece;
    for (int i = 0; i < kPiece; ++i)
        piece += R"({"ph":"C","name":"c","pid":1,"ts":)" + std::to_string(i) + R"(,"args":{"v":1,"w":2}},)";
    return writeRepeated(folder / "counters.json.zst", zstdOf, "[", piece, 600,
                         R"({"ph":"i","name":"last","pid":1,"tid":1,"ts":9}])");
}

fs::path memoryTimeline(const fs::path& folder)
{
    std::string piece;
    for (int i = 0; i < kPiece; ++i)
        piece += "[" + std::to_string(1000 + i) + ", 1, 4096, 4], ";
    return writeRepeated(folder / "timeline.raw.json.gz", gzipped, "[", piece, 200, "[9999999, 2, 512, 4]]");
}

fs::path snapshotPickle(const fs::path& folder)
{
    PickleWriter head;
    head.op("}(").text("segments").op("]").text("device_traces").op("]](");
    std::string piece;
    for (int i = 0; i < kPiece; ++i) {
        PickleWriter entry;
        entry.op("}(").text("action").text("alloc").text("addr").number(static_cast<uint64_t>(i) * 512);
        entry.text("size").number(512).text("time_us").number(static_cast<uint64_t>(i)).op("u");
        piece += entry.bytes().substr(2); // without the protocol
    }
    return writeRepeated(folder / "snapshot.pickle.gz", gzipped, head.bytes(), piece, 300, "eau.");
}

fs::path snapshotJson(const fs::path& folder)
{
    std::string piece;
    for (int i = 0; i < kPiece; ++i)
        piece += R"({"action":"alloc","addr":)" + std::to_string(i * 512) + R"(,"size":512,"time_us":)" +
                 std::to_string(i) + "},";
    return writeRepeated(folder / "snapshot.json.gz", gzipped, R"({"segments":[],"device_traces":[[)", piece,
                         150, R"({"action":"alloc","addr":1,"size":1,"time_us":9}]]})");
}

fs::path perfettoTrace(const fs::path& folder)
{
    std::string piece;
    for (int i = 0; i < kPiece; ++i) {
        ProtoWriter event;
        event.number(9, i % 2 == 0 ? 1 : 2).number(11, 5).bytes(23, "f");
        ProtoWriter packet;
        packet.number(8, static_cast<uint64_t>(1000 + i)).number(10, 1).message(11, event);
        ProtoWriter trace;
        piece += trace.message(1, packet).text();
    }
    return writeRepeated(folder / "trace.pftrace.gz", gzipped, "", piece, 300, "");
}

fs::path operatorCsv(const fs::path& folder)
{
    std::string piece;
    for (int i = 0; i < kPiece; ++i) {
        const std::string at = std::to_string(1000 + i);
        piece += "aten::mm,512," + at + "," + at + "," + at + ",1,1,1,2,1,1,2,1,7,NPU:0\n";
    }
    return writeRepeated(
        folder / "operator_memory.csv.gz", gzipped,
        "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),Active "
        "Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),Allocation Total Active(MB),"
        "Release Total Allocated(MB),Release Total Reserved(MB),Release Total Active(MB),Stream Ptr,Device Type\n",
        piece, 80, "");
}

fs::path eventLog(const fs::path& folder)
{
    std::ofstream file(folder / "node0.events.jsonl", std::ios::binary);
    std::string gpus;
    for (int gpu = 0; gpu < 16; ++gpu)
        gpus += std::string(gpu == 0 ? "" : ",") + R"({"index":)" + std::to_string(gpu) +
                R"(,"busy_percent":1,"used_bytes":2})";
    for (int i = 1; i <= 400'000; ++i)
        file << R"({"seq":)" << i << R"(,"t_ns":)" << 1'700'000'000'000'000'000 + int64_t(i) * 1'000'000
             << R"(,"kind":"gpu","cpu_percent":1,"gpus":[)" << gpus << "]}\n";
    return file.flush() ? folder / "node0.events.jsonl" : fs::path();
}

// The last block of a spool, compressed as the capture compresses its blocks.
std::string packedBlock(const MadeSpool& spool)
{
    const std::string_view block = std::string_view(spool.bytes()).substr(spool.blockAt());
    LockstepSpoolBlock head;
    std::memcpy(&head, block.data(), sizeof head);
    const std::string payload = zstdOf(block.substr(sizeof head));
    head.flags |= LOCKSTEP_BLOCK_IS_ZSTD;
    head.stored_bytes = static_cast<uint32_t>(payload.size());
    const uint64_t ofHead = XXH3_64bits(&head, offsetof(LockstepSpoolBlock, checksum));
    head.checksum = XXH3_64bits_withSeed(payload.data(), payload.size(), ofHead);
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + payload;
}

fs::path capture(const fs::path& folder)
{
    constexpr int kPairs = 400'000, kBlocks = 12;
    std::ofstream file(folder / "capture.lsc", std::ios::binary);
    MadeSpool spool;
    spool.meta();
    file << spool.bytes();
    for (int block = 0; block < kBlocks; ++block) {
        spool.thread(1);
        const uint64_t name = spool.text("step");
        for (int i = 0; i < kPairs; ++i) {
            const int64_t at_ns = 2'000'000'000 + (int64_t(block) * kPairs + i) * 4;
            spool.record(LOCKSTEP_KIND_PUSH, {static_cast<uint64_t>(at_ns), name}).pop(at_ns + 2);
        }
        spool.closeBlock();
        file << packedBlock(spool);
    }
    return file.flush() ? folder / "capture.lsc" : fs::path();
}

std::string numbered(int rows)
{
    return "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < " +
           std::to_string(rows) + ") ";
}

fs::path nsysExport(const fs::path& folder)
{
    const fs::path path = folder / "kernels.sqlite";
    const bool isWritten = runSql(
        path,
        "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
        "INSERT INTO StringIds VALUES(1, 'gemm');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT,"
        " streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT);" +
            numbered(3'000'000) +
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 10, i * 10 + 5, 0, 1, 7, i, 16777216, 1, "
            "1 FROM n;");
    return isWritten ? path : fs::path();
}

fs::path ascendDatabase(const fs::path& folder)
{
    const fs::path path = folder / "ascend_pytorch_profiler_0.db";
    const bool isWritten =
        runSql(path, "CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);"
                     "INSERT INTO STRING_IDS VALUES (1, 'AI_CORE');"
                     "CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId "
                     "INTEGER, globalTaskId INTEGER, globalPid INTEGER, taskType INTEGER, contextId INTEGER, "
                     "streamId INTEGER, taskId INTEGER, modelId INTEGER);" +
                         numbered(3'000'000) +
                         "INSERT INTO TASK SELECT 1000 + i * 10, 1005 + i * 10, 0, i, i, 7, 1, 0, 2, i, 0 "
                         "FROM n;");
    return isWritten ? path : fs::path();
}

} // namespace

std::vector<OversizedFile> oversizedFiles()
{
    return {{"slices in JSON", slicesJson},
            {"shuffled slices in JSON", shuffledJson},
            {"begins and ends in JSON", halvesJson},
            {"counters in JSON", countersJson},
            {"memory timeline", memoryTimeline},
            {"memory snapshot", snapshotPickle},
            {"memory snapshot as JSON", snapshotJson},
            {"Perfetto trace", perfettoTrace},
            {"Ascend operator memory", operatorCsv},
            {"event log", eventLog},
            {"capture", capture},
            {"nsys export", nsysExport},
            {"Ascend database", ascendDatabase}};
}

} // namespace lockstep::test
