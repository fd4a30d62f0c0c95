// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/nvtx_record.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "capture/format/spool_format.h"
#include "capture/inject/recorder.h"
#include "capture/inject/timestamp.h"

namespace lockstep::capture {

namespace {

// Longer strings and payloads are truncated, which also limits reading if a program passes an invalid
// pointer.
constexpr size_t kLongestText_bytes = 1u << 20;
constexpr size_t kLongestPayload_bytes = 64u << 10;
constexpr size_t kMaxPayloads = 16;

std::atomic<uint64_t> g_lastRange{0};

uint32_t domainId(const Domain* domain) noexcept
{
    return domain != nullptr ? static_cast<uint32_t>(domain->number) : 0;
}

size_t encodeCharacter(uint32_t c, char* out) noexcept
{
    if (c >= 0x110000 || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
    if (c < 0x80) {
        out[0] = static_cast<char>(c);
        return 1;
    }
    const size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    constexpr unsigned kFirst[] = {0, 0xC0, 0xE0, 0xF0};
    out[0] = static_cast<char>(kFirst[more] | c >> (6 * more));
    for (size_t i = 1; i <= more; ++i)
        out[i] = static_cast<char>(0x80 | (c >> (6 * (more - i)) & 0x3F));
    return more + 1;
}

// Limits how far the string is read, in case a program passes an address that is not that of a string.
size_t textSize(const char* text) noexcept
{
    const size_t size_bytes = strnlen(text, kLongestText_bytes);
    if (size_bytes == kLongestText_bytes) callLosses().cutTexts.fetch_add(1, std::memory_order_relaxed);
    return size_bytes;
}

void recordPayloads(ThreadLane& lane, const CallDetails& details, const LaneRecord& of) noexcept
{
    if (details.payloadCount > kMaxPayloads)
        callLosses().payloads.fetch_add(details.payloadCount - kMaxPayloads, std::memory_order_relaxed);
    for (size_t i = 0; i < std::min(details.payloadCount, kMaxPayloads); ++i) {
        const nvtx::PayloadBytes& payload = details.payloads[i];
        if (payload.bytes == nullptr || payload.size == 0) continue;
        if (payload.size > kLongestPayload_bytes) {
            callLosses().payloads.fetch_add(1, std::memory_order_relaxed);
            continue;
        }
        const std::string_view bytes(static_cast<const char*>(payload.bytes), payload.size);
        lane.record(
            {LOCKSTEP_KIND_PAYLOAD, of.domain, of.time_ns, {bytes, nullptr}, nullptr, &payload.schema});
    }
}

void recordEvent(ThreadLane& lane, const LaneRecord& record, const CallDetails& details) noexcept
{
    lane.record(record);
    if (details.payloadCount != 0) recordPayloads(lane, details, record);
}

// Gives access to the lane of the calling thread during one call of the program. If empty, nothing is
// recorded.
class LaneUse {
  public:
    explicit LaneUse(const void* frame) noexcept : m_lane(Recorder::lane())
    {
        if (m_lane == nullptr || m_lane->enter(frame)) return;
        m_lane->lostInHandlers.add(now_ns());
        m_lane = nullptr;
    }
    ~LaneUse()
    {
        if (m_lane != nullptr) m_lane->leave();
    }
    LaneUse(const LaneUse&) = delete;
    LaneUse& operator=(const LaneUse&) = delete;

    bool isAbsent() const noexcept { return m_lane == nullptr; }
    ThreadLane* get() const noexcept { return m_lane; }
    ThreadLane* operator->() const noexcept { return m_lane; }
    ThreadLane& operator*() const noexcept { return *m_lane; }
    Recorder& recorder() const noexcept { return *m_lane->owner.load(std::memory_order_relaxed); }

  private:
    ThreadLane* m_lane;
};

} // namespace

CallLosses& callLosses() noexcept
{
    static constinit CallLosses losses;
    return losses;
}

CallText::CallText(const char* text) noexcept
{
    if (text != nullptr) m_argument.bytes = {text, textSize(text)};
}

CallText::CallText(const wchar_t* text) noexcept
{
    setWide(text);
}

CallText::CallText(int32_t messageType, const nvtx::Message& message) noexcept
{
    if (message.ascii == nullptr) return;
    switch (messageType) {
    case nvtx::kAscii:
        m_argument.bytes = {message.ascii, textSize(message.ascii)};
        break;
    case nvtx::kWide:
        setWide(message.wide);
        break;
    case nvtx::kRegistered:
        m_argument.registered = static_cast<const RegisteredText*>(message.registered);
        break;
    default:
        break;
    }
}

CallText::~CallText()
{
    if (m_mapped != nullptr) munmap(m_mapped, m_mapped_bytes);
}

void CallText::setWide(const wchar_t* text) noexcept
{
    if (text == nullptr) return;
    size_t length = 0;
    while (text[length] != L'\0' && length < kLongestText_bytes / 4)
        ++length;
    if (length == kLongestText_bytes / 4) callLosses().cutTexts.fetch_add(1, std::memory_order_relaxed);
    char* out = m_small;
    if (length * 4 > sizeof m_small) {
        void* const memory =
            mmap(nullptr, length * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return;
        m_mapped = out = static_cast<char*>(memory);
        m_mapped_bytes = length * 4;
    }
    size_t size = 0;
    for (size_t i = 0; i < length; ++i)
        size += encodeCharacter(static_cast<uint32_t>(text[i]), out + size);
    m_argument.bytes = {out, size};
}

CallDetails::CallDetails(const nvtx::EventAttributes& attributes) noexcept
{
    extension.category = attributes.category;
    if (attributes.colorType == 1) extension.color = uint64_t(attributes.color) * 2 + 1;
    if (attributes.payloadType == nvtx::kBinaryPayload) {
        payloads = reinterpret_cast<const nvtx::PayloadBytes*>(attributes.payload);
        payloadCount = payloads != nullptr ? static_cast<uint32_t>(attributes.payloadCount) : 0;
    } else if (attributes.payloadType != 0) {
        extension.payloadType = attributes.payloadType;
        const bool isNarrow = attributes.payloadType >= 4 && attributes.payloadType <= 6;
        extension.payload = isNarrow ? static_cast<uint32_t>(attributes.payload) : attributes.payload;
    }
    isPlain = extension.category == 0 && extension.color == 0 && extension.payloadType == 0;
}

CallDetails::CallDetails(const nvtx::PayloadBytes* bytes, size_t count) noexcept
    : payloads(bytes), payloadCount(bytes != nullptr ? count : 0)
{
}

int recordPush(const Domain* domain, const CallText& text, const CallDetails& details) noexcept
{
    const LaneUse lane(__builtin_frame_address(0));
    if (lane.isAbsent()) return nvtx::kNoDepth;
    Recorder& recorder = lane.recorder();
    const uint32_t id = domainId(domain);
    const int depth = id < ThreadLane::kDepths ? static_cast<int>(lane->depths[id]++) : nvtx::kNoDepth;
    if (recorder.watchesNames() && depth >= 0 &&
        recorder.rangeBegan(text.view(), domain, details.extension.category, {0, lane.get(), id, depth}))
        ++lane->openTriggers;
    if (!recorder.isRecording()) return depth;
    recordEvent(*lane,
                {LOCKSTEP_KIND_PUSH, id, now_ns(), text.argument(),
                 details.isPlain ? nullptr : &details.extension, nullptr},
                details);
    return depth;
}

int recordPop(const Domain* domain, const CallDetails& details) noexcept
{
    const LaneUse lane(__builtin_frame_address(0));
    if (lane.isAbsent()) return nvtx::kNoDepth;
    Recorder& recorder = lane.recorder();
    const uint32_t id = domainId(domain);
    int depth = nvtx::kNoDepth;
    if (id < ThreadLane::kDepths && lane->depths[id] > 0) depth = static_cast<int>(--lane->depths[id]);
    if (recorder.isRecording())
        recordEvent(*lane, {LOCKSTEP_KIND_POP, id, now_ns(), {}, nullptr, nullptr}, details);
    if (lane->openTriggers > 0 && depth >= 0 && recorder.rangeEnded({0, lane.get(), id, depth}))
        --lane->openTriggers;
    return depth;
}

uint64_t recordStart(const Domain* domain, const CallText& text, const CallDetails& details) noexcept
{
    const uint64_t id = g_lastRange.fetch_add(1, std::memory_order_relaxed) + 1;
    const LaneUse lane(__builtin_frame_address(0));
    if (lane.isAbsent()) return id;
    Recorder& recorder = lane.recorder();
    if (recorder.watchesNames()) recorder.rangeBegan(text.view(), domain, details.extension.category, {id});
    if (recorder.isRecording())
        recordEvent(
            *lane,
            {LOCKSTEP_KIND_START, domainId(domain), now_ns(), text.argument(), &details.extension, &id},
            details);
    return id;
}

void recordEnd(const Domain* domain, uint64_t id, const CallDetails& details) noexcept
{
    const LaneUse lane(__builtin_frame_address(0));
    if (lane.isAbsent()) return;
    Recorder& recorder = lane.recorder();
    if (recorder.isRecording())
        recordEvent(*lane, {LOCKSTEP_KIND_END, domainId(domain), now_ns(), {}, nullptr, &id}, details);
    if (recorder.watchesNames()) recorder.rangeEnded({id});
}

void recordMark(const Domain* domain, const CallText& text, const CallDetails& details) noexcept
{
    const LaneUse lane(__builtin_frame_address(0));
    if (lane.isAbsent() || !lane.recorder().isRecording()) return;
    recordEvent(
        *lane, {LOCKSTEP_KIND_MARK, domainId(domain), now_ns(), text.argument(), &details.extension, nullptr},
        details);
}

} // namespace lockstep::capture
