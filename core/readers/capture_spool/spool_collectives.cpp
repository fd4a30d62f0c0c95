// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/spool_collectives.h"

#include <cstddef>
#include <map>

#include "capture/format/spool_format.h"
#include "core/base/json_fields.h"
#include "core/readers/nsys_sqlite/nccl_call.h"

namespace lockstep {

namespace {

struct RecordedCall {
    SourceRow source;
    StringId name;
    NcclCall call;
};

void putLittleEndian(std::string& out, uint64_t value)
{
    for (int shift = 0; shift < 64; shift += 8)
        out.push_back(static_cast<char>(value >> shift));
}

// Length of the prefix of Payload::binary, and the position of the schema in it.
constexpr size_t kBinaryHead_bytes = 32, kSchemaAt = 8;

uint64_t littleEndianAt(std::string_view bytes, size_t at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = size; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

bool isProgramCollective(std::string_view binary)
{
    return binary.size() >= kBinaryHead_bytes &&
           littleEndianAt(binary, kSchemaAt, 8) == LOCKSTEP_SCHEMA_COLLECTIVE;
}

} // namespace

void SpoolCollectives::addSchema(uint64_t domain, uint64_t schema, std::string_view json)
{
    m_added.push_back({domain, schema, std::string(json)});
    const Json object = jsonFrom(json);
    int64_t index = 0;
    m_schemas.add(domain, schema, countAt(object, "size"));
    for (const Json& entry : listAt(object, "entries")) {
        const auto number = [&entry](const char* key) {
            return static_cast<uint64_t>(numberAt(entry, key).value_or(0));
        };
        m_schemas.addEntry(domain, schema, index++,
                           {textAt(entry, "name"), number("flags"), number("type"), number("detail"),
                            number("offset") != 0 ? std::optional(number("offset")) : std::nullopt});
    }
}

void SpoolCollectives::addPayload(SourceRow source, StringId name, uint64_t domain, uint64_t schema,
                                  std::string_view bytes)
{
    Payload& payload = m_payloads.emplace_back(Payload{source, name, {}});
    putLittleEndian(payload.binary, domain);
    putLittleEndian(payload.binary, schema);
    putLittleEndian(payload.binary, bytes.size());
    putLittleEndian(payload.binary, 0);
    payload.binary.append(bytes);
}

// NCCL numbers peers within the communicator. These numbers are ranks of the job if the communicator contains
// all ranks in the order of the job.
uint32_t SpoolCollectives::globalPeer(const CollectiveOp& op, uint32_t peer) const
{
    const Identity& identity = m_reading.builder.report().identity;
    const auto isEqual = [](const Sourced<int>& known, uint32_t number) {
        return known.isKnown() && *known.value >= 0 && static_cast<uint32_t>(*known.value) == number;
    };
    const bool isWholeJob =
        isEqual(identity.worldSize, op.groupSize) && isEqual(identity.rank, op.rankInGroup);
    return isWholeJob ? peer : CollectiveOp::kAbsent;
}

// Adds a collective that the program itself recorded and waited for.
bool SpoolCollectives::addProgramCollective(const Payload& payload)
{
    const std::string_view bytes = std::string_view(payload.binary).substr(kBinaryHead_bytes);
    if (bytes.size() < sizeof(LockstepSpoolCollective)) return false;
    CollectiveOp op;
    op.collective = payload.name;
    op.message_bytes = littleEndianAt(bytes, offsetof(LockstepSpoolCollective, size_bytes), 8);
    op.sequence = littleEndianAt(bytes, offsetof(LockstepSpoolCollective, sequence), 8);
    op.groupSize =
        static_cast<uint32_t>(littleEndianAt(bytes, offsetof(LockstepSpoolCollective, group_size), 4));
    op.rankInGroup = static_cast<uint32_t>(littleEndianAt(bytes, offsetof(LockstepSpoolCollective, rank), 4));
    op.group = m_reading.builder.intern(bytes.substr(sizeof(LockstepSpoolCollective)));
    m_reading.batch.addCollective(payload.source, op);
    return true;
}

void SpoolCollectives::begin(const SpoolCarry& before)
{
    for (const SpoolCarry::Schema& schema : before.schemas)
        addSchema(schema.domain, schema.number, schema.json);
    for (const SpoolCarry::Payload& payload : before.payloads)
        m_payloads.push_back({payload.source, m_reading.builder.intern(payload.name), payload.binary});
}

void SpoolCollectives::carry(SpoolCarry& after, const std::set<SourceRow>& initializations) const
{
    constexpr size_t kMax = 65'536; // limit for files that create an unlimited number of communicators
    std::set<SourceRow> kept = initializations;
    for (const SpoolCarry::Open& open : after.open)
        kept.insert(open.source);
    after.schemas = m_added;
    after.payloads.clear();
    for (const Payload& payload : m_payloads) {
        if (kept.contains(payload.source) && after.payloads.size() < kMax)
            after.payloads.push_back(
                {payload.source, std::string(m_reading.builder.text(payload.name)), payload.binary});
    }
}

void SpoolCollectives::finish(SpoolCarry* after)
{
    m_schemas.completeTypes();
    std::vector<RecordedCall> calls;
    // The initialization of a communicator contains the number of ranks and the rank of this process.
    std::map<uint64_t, NcclCall> communicators;
    std::set<SourceRow> initializations;
    uint64_t unread = 0;
    uint64_t own = 0;
    for (const Payload& payload : m_payloads) {
        if (isProgramCollective(payload.binary)) {
            addProgramCollective(payload) ? ++own : ++unread;
            continue;
        }
        const auto fields = m_schemas.decode(payload.binary);
        if (!fields) {
            ++unread;
            continue;
        }
        const auto call = ncclCallOf(m_reading.builder.text(payload.name), *fields);
        if (!call) continue;
        if (call->isOperation)
            calls.push_back({payload.source, payload.name, *call});
        else if (call->rankCount != CollectiveOp::kAbsent) {
            communicators.insert_or_assign(call->communicator, *call);
            initializations.insert(payload.source);
        }
    }
    if (after != nullptr) carry(*after, initializations);
    for (const RecordedCall& stated : calls) {
        const NcclCall& call = stated.call;
        const auto communicator = communicators.find(call.communicator);
        const bool isKnown = communicator != communicators.end();
        CollectiveOp op;
        op.collective = stated.name;
        op.group = m_reading.builder.intern(std::to_string(call.communicator));
        if (!call.dataType.empty()) op.dataType = m_reading.builder.intern(call.dataType);
        op.groupSize = call.rankCount != CollectiveOp::kAbsent || !isKnown ? call.rankCount
                                                                           : communicator->second.rankCount;
        op.rankInGroup =
            call.rank != CollectiveOp::kAbsent || !isKnown ? call.rank : communicator->second.rank;
        if (call.peer != CollectiveOp::kAbsent) op.peer = globalPeer(op, call.peer);
        op.inElements = call.elements;
        op.message_bytes = call.message_bytes;
        op.sequence = call.sequence;
        op.isPointToPoint = call.isPointToPoint;
        m_reading.batch.addCollective(stated.source, op);
    }
    if (!m_payloads.empty())
        m_reading.builder.report().facts.emplace_back(
            "NVTX payloads", std::to_string(m_payloads.size() - unread) + " decoded, " +
                                 std::to_string(calls.size()) + " of them NCCL operations, " +
                                 std::to_string(own) + " collectives reported by the program");
    if (unread > 0)
        m_reading.note("nvtx.payload_unread", NoteSeverity::warning,
                       "NVTX payloads that match no schema in the file: ranges shown without payload",
                       unread);
}

} // namespace lockstep
