// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as an NVTX payload of an export whose schemas have every kind of entry, as JSON, and as an
// NCCL kernel's name.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/readers/nsys_sqlite/nccl_call.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"

using namespace lockstep;

namespace {

// Schema 1 nests itself, 2 has arrays and an enumeration, 3 is the one that NCCL registers for a reduction.
const char* const kSchemas = R"(
CREATE TABLE NVTX_PAYLOAD_SCHEMAS(domainId INT, schemaId INT, payloadSize INT);
CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId INT, schemaId INT, idx INT, flags INT, type INT, name TEXT,
  arrayOrUnionDetail INT, offset INT);
CREATE TABLE NVTX_PAYLOAD_ENUM_ENTRIES(domainId INT, schemaId INT, name TEXT, value INT);
INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES(1, 16777217, 16), (1, 16777218, 0), (1, 16777219, 24);
INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES(1, 16777217, 0, 0, 16777217, 'self', NULL, NULL),
  (1, 16777217, 1, 0, 20, 'real', NULL, -8), (1, 16777218, 0, 0, 6, 'length', NULL, NULL),
  (1, 16777218, 1, 48, 11, 'numbers', 0, NULL), (1, 16777218, 2, 32, 1, 'text', NULL, NULL),
  (1, 16777218, 3, 16, 43, 'fixed', 3, NULL), (1, 16777218, 4, 2, 75, 'pointer', NULL, NULL),
  (1, 16777218, 5, 0, 16777220, 'enumeration', NULL, NULL), (1, 16777218, 6, 0, 16777219, 'nested', NULL, NULL),
  (1, 16777219, 0, 0, 18, 'NCCL communicator ID', NULL, NULL), (1, 16777219, 1, 0, 22, 'Message size [bytes]', NULL, 8),
  (1, 16777219, 2, 0, 5, 'Root', NULL, 16);
INSERT INTO NVTX_PAYLOAD_ENUM_ENTRIES VALUES(1, 16777220, 'one', 1);
)";

PayloadSchemas schemas()
{
    const test::TempDir folder;
    const auto path = folder.path() / "schemas.sqlite";
    if (!test::runSql(path, kSchemas)) std::abort();
    const auto database = SqliteDatabase::open(path);
    const auto probe =
        database ? SchemaProbe::of(*database) : Result<SchemaProbe>(makeError(ErrorKind::io, ""));
    if (!probe) std::abort();
    ImportNotes notes;
    return PayloadSchemas::load(*database, *probe, notes);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const PayloadSchemas known = schemas();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto& fields : {known.decode(text), jsonPayload(text)}) {
        if (!fields) continue;
        const auto call = ncclCallOf("ncclAllReduce", *fields);
        if (call && !call->isOperation) std::abort();
    }
    const auto kernel = ncclKernelName(text);
    if (kernel && kernel->operation.empty()) std::abort();
    return 0;
}
