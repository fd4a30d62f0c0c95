// SPDX-License-Identifier: Apache-2.0
// Reads NVTX_EVENTS: ranges and marks become slices; rows that name domains and threads become names.
#include "core/base/text.h"
#include "core/readers/nsys_sqlite/global_id.h"
#include "core/readers/nsys_sqlite/nccl_call.h"
#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

namespace {

enum NvtxColumn : int {
    kNvtxStart,
    kNvtxEnd,
    kType,
    kThread,
    kTextId,
    kText,
    kDomain,
    kColor,
    kJsonId,
    kJson,
    kBinary
};

// NVTX_EVENTS.eventType. The text importer writes the second value of each pair.
enum EventType : int64_t {
    kCategory = 33,
    kMark = 34,
    kThreadName = 39,
    kPushPop = 59,
    kStartEnd = 60,
    kTextCategory = 64,
    kTextMark = 65,
    kTextPushPop = 70,
    kTextStartEnd = 71,
    kTextMetaFirst = 72,
    kTextMetaLast = 74,
    kDomainCreate = 75,
    kDomainDestroy = 76,
    kNamedDevice = 97,
    kNamedStream = 99
};

bool isNaming(int64_t type)
{
    return type == kCategory || type == kTextCategory || (type >= kTextMetaFirst && type <= kTextMetaLast) ||
           type == kDomainDestroy || (type >= kNamedDevice && type <= kNamedStream);
}

// A registered string (textId) takes precedence over the row's own text; ranges without a message have
// neither.
StringId localName(TableScan& scan)
{
    LocalNames& names = scan.result().names;
    if (scan.optionalInteger(kTextId)) return names.ofReport(scan.name(kTextId));
    const std::string_view stored = scan.storedText(kText);
    if (isValidUtf8(stored)) return names.ofText(stored);
    return names.ofText(shownText(stored, scan.result().notes, "NVTX_EVENTS", scan.rowId()));
}

StringId reportName(TableScan& scan)
{
    return scan.optionalInteger(kTextId) ? scan.name(kTextId) : scan.internedText(kText);
}

// jsonTextId takes precedence over jsonText.
std::optional<std::vector<PayloadField>> payloadOf(TableScan& scan)
{
    std::optional<std::vector<PayloadField>> fields;
    bool isThere = false;
    if (!scan.isNull(kBinary)) {
        isThere = true;
        fields = scan.reading().payloads.decode(scan.storedText(kBinary));
    }
    if (!fields && scan.optionalInteger(kJsonId)) {
        isThere = true;
        fields = jsonPayload(scan.reading().builder.text(scan.name(kJsonId)));
    } else if (!fields && !scan.isNull(kJson)) {
        isThere = true;
        fields = jsonPayload(scan.storedText(kJson));
    }
    if (fields) ++scan.result().findings.payloads;
    if (isThere && !fields) {
        scan.note("nvtx.payload_unread", NoteSeverity::warning,
                  "NVTX payloads that match no schema in the file: ranges shown without payload");
    }
    return fields;
}

// Adds a communication that NCCL recorded, for clock alignment and straggler analysis.
void addCollective(TableScan& scan, const SliceRow& row)
{
    const auto fields = payloadOf(scan);
    if (!fields) return;
    const std::string_view text = scan.optionalInteger(kTextId)
                                      ? scan.reading().builder.text(scan.name(kTextId))
                                      : scan.storedText(kText);
    const auto call = ncclCallOf(text, *fields);
    if (!call) return;
    const uint64_t process = processKeyOf(scan.globalId(kThread));
    if (!call->isOperation) {
        if (call->rankCount != CollectiveOp::kAbsent)
            scan.result().findings.communicators.push_back(
                {process, call->communicator, call->rankCount, call->rank});
        return;
    }
    CollectiveOp op;
    op.collective = row.name;
    op.group = scan.result().names.ofText(std::to_string(call->communicator));
    if (!call->dataType.empty()) op.dataType = scan.result().names.ofText(call->dataType);
    op.groupSize = call->rankCount;
    op.rankInGroup = call->rank;
    op.peer = call->peer;
    op.inElements = call->elements;
    op.message_bytes = call->message_bytes;
    op.sequence = call->sequence;
    op.isPointToPoint = call->isPointToPoint;
    scan.result().findings.collectives.push_back({row.source, process, call->communicator, op});
}

void addRange(TableScan& scan, int64_t type)
{
    const uint64_t globalTid = scan.globalId(kThread);
    SliceRow row;
    row.source = scan.source();
    row.name = localName(scan);
    row.category = SliceCategory::nvtx;
    const TrackId track = scan.tracks().cpu(TrackKind::nvtx, globalTid, scan.integer(kDomain));
    const std::optional<int64_t> start = scan.optionalInteger(kNvtxStart);
    if (type == kMark || type == kTextMark) {
        row.kind = RowKind::nvtxMark;
        scan.count(CountedRows::nvtxMark);
        scan.addInstant(track, row, start);
    } else {
        const bool isPushPop = type == kPushPop || type == kTextPushPop;
        row.kind = isPushPop ? RowKind::nvtxPushPop : RowKind::nvtxStartEnd;
        scan.count(isPushPop ? CountedRows::nvtxPushPop : CountedRows::nvtxStartEnd);
        if (start && scan.isNull(kNvtxEnd)) {
            scan.addOpen(track, row, *start);
        } else {
            scan.addSlice(track, row, start, scan.optionalInteger(kNvtxEnd));
        }
    }
    if ((!scan.isNull(kBinary) || !scan.isNull(kJsonId) || !scan.isNull(kJson))) addCollective(scan, row);
    // ARGB. The alpha byte is ignored, because many programs set it to 0.
    if (const auto color = scan.optionalInteger(kColor)) {
        scan.result().batch.addColor(row.source, static_cast<uint32_t>(*color) & 0xFFFFFF);
    }
}

} // namespace

void readNvtx(TableScan& scan)
{
    while (scan.next()) {
        const int64_t type = scan.integer(kType);
        switch (type) {
        case kMark:
        case kTextMark:
        case kPushPop:
        case kTextPushPop:
        case kStartEnd:
        case kTextStartEnd:
            addRange(scan, type);
            continue;
        case kDomainCreate:
            scan.result().findings.domains.push_back(
                {processKeyOf(scan.globalId(kThread)), scan.integer(kDomain), reportName(scan)});
            break;
        case kThreadName:
            scan.result().findings.threads.push_back({scan.globalId(kThread), reportName(scan)});
            break;
        default:
            if (!isNaming(type)) {
                scan.note("nvtx.unknown_type", NoteSeverity::warning,
                          "NVTX rows of an unknown type: counted, not drawn");
            }
        }
        scan.count(CountedRows::nvtxOther);
    }
}

} // namespace lockstep
