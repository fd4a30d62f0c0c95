// SPDX-License-Identifier: Apache-2.0
// The part of the NVTX 3 binary interface through which a tool attaches. It is declared here so that the
// library builds without the CUDA toolkit. tests/capture/nvtx_abi_test.cpp compares it with NVIDIA's headers
// if they are installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::capture::nvtx {

using AnyFunction = void (*)();
using ExportTable = const void* (*)(uint32_t id);

// NvtxExportTableID.
inline constexpr uint32_t kCallbacksTable = 1;
inline constexpr uint32_t kVersionTable = 3;

// NvtxExportTableCallbacks. Each slot of a module table points to the function pointer that the program
// calls.
struct CallbacksTable {
    size_t structSize;
    int (*moduleFunctionTable)(uint32_t module, AnyFunction*** table, unsigned* size);
};

// NvtxExportTableVersionInfo.
struct VersionTable {
    size_t structSize;
    uint32_t version;
    uint32_t reserved;
    void (*setInjectionVersion)(uint32_t version);
};

// NvtxCallbackModule.
enum Module : uint32_t { kCore = 1, kCuda = 2, kCudaRuntime = 4, kCore2 = 5 };

// NvtxCallbackIdCore, in order from 1.
enum CoreCall : uint32_t {
    kMarkEx = 1,
    kMarkA,
    kMarkW,
    kRangeStartEx,
    kRangeStartA,
    kRangeStartW,
    kRangeEnd,
    kRangePushEx,
    kRangePushA,
    kRangePushW,
    kRangePop,
    kNameCategoryA,
    kNameCategoryW,
    kNameOsThreadA,
    kNameOsThreadW
};

// NvtxCallbackIdCore2, in order from 1.
enum Core2Call : uint32_t {
    kDomainMarkEx = 1,
    kDomainRangeStartEx,
    kDomainRangeEnd,
    kDomainRangePushEx,
    kDomainRangePop,
    kDomainResourceCreate,
    kDomainResourceDestroy,
    kDomainNameCategoryA,
    kDomainNameCategoryW,
    kDomainRegisterStringA,
    kDomainRegisterStringW,
    kDomainCreateA,
    kDomainCreateW,
    kDomainDestroy,
    kInitialize
};

// NvtxCallbackIdCuda and NvtxCallbackIdCudaRt: the names of streams and devices.
enum CudaCall : uint32_t { kNameCuDeviceA = 1, kNameCuStreamA = 5 };
enum CudaRuntimeCall : uint32_t { kNameCudaDeviceA = 1, kNameCudaStreamA = 3 };

// nvtxMessageType_t.
enum MessageType : int32_t { kNoMessage = 0, kAscii = 1, kWide = 2, kRegistered = 3 };

union Message {
    const char* ascii;
    const wchar_t* wide;
    const void* registered;
};

// nvtxEventAttributes_v2. A program built with other headers may pass fewer bytes; see `size`.
struct EventAttributes {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t colorType; // 1 = ARGB
    uint32_t color;
    int32_t payloadType;  // 0 = none, 1 = u64, 2 = i64, 3 = f64, 4 = u32, 5 = i32, 6 = f32, or kBinaryPayload
    int32_t payloadCount; // for kBinaryPayload: number of PayloadBytes at `payload`
    uint64_t payload;     // 8 bytes with a value of any of these types
    int32_t messageType;
    Message message;
};

// nvtxResourceAttributes_v0.
struct ResourceAttributes {
    uint16_t version;
    uint16_t size;
    int32_t identifierType;
    uint64_t identifier;
    int32_t messageType;
    Message message;
};

// NVTX_PAYLOAD_TYPE_BINARY ("extended payload"): `payload` is the address of PayloadBytes.
inline constexpr int32_t kBinaryPayload = static_cast<int32_t>(0xDFBD0009);

// nvtxPayloadData_v1.
struct PayloadBytes {
    uint64_t schema;
    size_t size;
    const void* bytes;
};

// nvtxPayloadSchemaEntry_v1.
struct SchemaEntry {
    uint64_t flags;
    uint64_t type;
    const char* name;
    const char* description;
    uint64_t arrayOrUnionDetail;
    uint64_t offset;
    const void* semantics;
    const void* reserved;
};

// nvtxPayloadSchemaAttr_v1. `fieldMask` shows which fields are set: bit 1 = name, 2 = type, 3 = flags, 4 =
// entries, 5 = count, 6 = static size, 7 = alignment, 8 = ID.
struct SchemaAttributes {
    uint64_t fieldMask;
    const char* name;
    uint64_t type;
    uint64_t flags;
    const SchemaEntry* entries;
    size_t entryCount;
    size_t payloadStaticSize;
    size_t packAlign;
    uint64_t schema;
    void* extension;
};

// nvtxExtModuleSegment_t and nvtxExtModuleInfo_t.
struct ModuleSegment {
    size_t segmentId;
    size_t slotCount;
    intptr_t* functionSlots;
};
struct ModuleInfo {
    uint16_t nvtxVersion;
    uint16_t structSize;
    uint16_t moduleId;
    uint16_t compatId;
    size_t segmentCount;
    ModuleSegment* segments;
    intptr_t (*exportFunction)(uint32_t id);
    const void* extensionInfo;
};

// NVTX_EXT_PAYLOAD_MODULEID and the callback IDs of nvToolsExtPayload.h.
inline constexpr uint16_t kPayloadModule = 2;
enum PayloadCall : uint32_t {
    kPayloadSchemaRegister = 0,
    kPayloadEnumRegister = 1,
    kMarkPayload = 2,
    kRangePushPayload = 3,
    kRangePopPayload = 4,
    kRangeStartPayload = 5,
    kRangeEndPayload = 6,
    kDomainIsEnabled = 7
};
// Smaller IDs are assigned by the program.
inline constexpr uint64_t kFirstDynamicSchema = uint64_t(1) << 32;

// NVTX_NO_PUSH_POP_TRACKING.
inline constexpr int kNoDepth = -2;

} // namespace lockstep::capture::nvtx
