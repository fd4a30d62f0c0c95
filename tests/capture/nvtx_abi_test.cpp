// SPDX-License-Identifier: Apache-2.0
// Compares the library's own declarations of the injection interface with NVIDIA's headers.
#include "capture/inject/nvtx_abi.h"

#include "tests/support/test_registry.h"

#if __has_include(<nvtx3/nvToolsExtPayload.h>)
#include <nvtx3/nvToolsExtPayload.h>
#define LOCKSTEP_HAS_NVTX 1
#endif

using namespace lockstep::capture;

#ifdef LOCKSTEP_HAS_NVTX

#define SAME_PLACE(ours, field, theirs, theirField)                                                          \
    static_assert(offsetof(ours, field) == offsetof(theirs, theirField) &&                                   \
                  sizeof(ours::field) == sizeof(theirs::theirField))
#define SAME_NUMBER(ours, theirs)                                                                            \
    static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs))

static_assert(sizeof(nvtx::EventAttributes) == sizeof(nvtxEventAttributes_t));
SAME_PLACE(nvtx::EventAttributes, size, nvtxEventAttributes_t, size);
SAME_PLACE(nvtx::EventAttributes, category, nvtxEventAttributes_t, category);
SAME_PLACE(nvtx::EventAttributes, colorType, nvtxEventAttributes_t, colorType);
SAME_PLACE(nvtx::EventAttributes, color, nvtxEventAttributes_t, color);
SAME_PLACE(nvtx::EventAttributes, payloadType, nvtxEventAttributes_t, payloadType);
SAME_PLACE(nvtx::EventAttributes, payloadCount, nvtxEventAttributes_t, reserved0);
SAME_PLACE(nvtx::EventAttributes, payload, nvtxEventAttributes_t, payload);
SAME_PLACE(nvtx::EventAttributes, messageType, nvtxEventAttributes_t, messageType);
SAME_PLACE(nvtx::EventAttributes, message, nvtxEventAttributes_t, message);
static_assert(sizeof(nvtx::ResourceAttributes) == sizeof(nvtxResourceAttributes_t));
SAME_PLACE(nvtx::ResourceAttributes, identifierType, nvtxResourceAttributes_t, identifierType);
SAME_PLACE(nvtx::ResourceAttributes, identifier, nvtxResourceAttributes_t, identifier);
SAME_PLACE(nvtx::ResourceAttributes, message, nvtxResourceAttributes_t, message);
static_assert(sizeof(nvtx::PayloadBytes) == sizeof(nvtxPayloadData_t));
SAME_PLACE(nvtx::PayloadBytes, schema, nvtxPayloadData_t, schemaId);
SAME_PLACE(nvtx::PayloadBytes, size, nvtxPayloadData_t, size);
SAME_PLACE(nvtx::PayloadBytes, bytes, nvtxPayloadData_t, payload);
static_assert(sizeof(nvtx::SchemaEntry) == sizeof(nvtxPayloadSchemaEntry_t));
SAME_PLACE(nvtx::SchemaEntry, type, nvtxPayloadSchemaEntry_t, type);
SAME_PLACE(nvtx::SchemaEntry, name, nvtxPayloadSchemaEntry_t, name);
SAME_PLACE(nvtx::SchemaEntry, arrayOrUnionDetail, nvtxPayloadSchemaEntry_t, arrayOrUnionDetail);
SAME_PLACE(nvtx::SchemaEntry, offset, nvtxPayloadSchemaEntry_t, offset);
static_assert(sizeof(nvtx::SchemaAttributes) == sizeof(nvtxPayloadSchemaAttr_t));
SAME_PLACE(nvtx::SchemaAttributes, entries, nvtxPayloadSchemaAttr_t, entries);
SAME_PLACE(nvtx::SchemaAttributes, payloadStaticSize, nvtxPayloadSchemaAttr_t, payloadStaticSize);
SAME_PLACE(nvtx::SchemaAttributes, schema, nvtxPayloadSchemaAttr_t, schemaId);
static_assert(sizeof(nvtx::ModuleInfo) == sizeof(nvtxExtModuleInfo_t));
SAME_PLACE(nvtx::ModuleInfo, moduleId, nvtxExtModuleInfo_t, moduleId);
SAME_PLACE(nvtx::ModuleInfo, segments, nvtxExtModuleInfo_t, segments);
static_assert(sizeof(nvtx::ModuleSegment) == sizeof(nvtxExtModuleSegment_t));
SAME_PLACE(nvtx::ModuleSegment, functionSlots, nvtxExtModuleSegment_t, functionSlots);
static_assert(sizeof(nvtx::CallbacksTable) == sizeof(NvtxExportTableCallbacks));
SAME_PLACE(nvtx::CallbacksTable, moduleFunctionTable, NvtxExportTableCallbacks, GetModuleFunctionTable);
static_assert(sizeof(nvtx::VersionTable) == sizeof(NvtxExportTableVersionInfo));
SAME_PLACE(nvtx::VersionTable, setInjectionVersion, NvtxExportTableVersionInfo, SetInjectionNvtxVersion);
SAME_NUMBER(nvtx::kCallbacksTable, NVTX_ETID_CALLBACKS);
SAME_NUMBER(nvtx::kVersionTable, NVTX_ETID_VERSIONINFO);
SAME_NUMBER(nvtx::kCore, NVTX_CB_MODULE_CORE);
SAME_NUMBER(nvtx::kCuda, NVTX_CB_MODULE_CUDA);
SAME_NUMBER(nvtx::kCudaRuntime, NVTX_CB_MODULE_CUDART);
SAME_NUMBER(nvtx::kCore2, NVTX_CB_MODULE_CORE2);
SAME_NUMBER(nvtx::kMarkEx, NVTX_CBID_CORE_MarkEx);
SAME_NUMBER(nvtx::kRangePushEx, NVTX_CBID_CORE_RangePushEx);
SAME_NUMBER(nvtx::kRangePop, NVTX_CBID_CORE_RangePop);
SAME_NUMBER(nvtx::kNameOsThreadW, NVTX_CBID_CORE_NameOsThreadW);
SAME_NUMBER(nvtx::kDomainMarkEx, NVTX_CBID_CORE2_DomainMarkEx);
SAME_NUMBER(nvtx::kDomainRangePop, NVTX_CBID_CORE2_DomainRangePop);
SAME_NUMBER(nvtx::kDomainRegisterStringA, NVTX_CBID_CORE2_DomainRegisterStringA);
SAME_NUMBER(nvtx::kInitialize, NVTX_CBID_CORE2_Initialize);
SAME_NUMBER(nvtx::kNameCuStreamA, NVTX_CBID_CUDA_NameCuStreamA);
SAME_NUMBER(nvtx::kNameCudaStreamA, NVTX_CBID_CUDART_NameCudaStreamA);
SAME_NUMBER(nvtx::kRegistered, NVTX_MESSAGE_TYPE_REGISTERED);
SAME_NUMBER(nvtx::kBinaryPayload, NVTX_PAYLOAD_TYPE_EXT);
SAME_NUMBER(nvtx::kPayloadModule, NVTX_EXT_PAYLOAD_MODULEID);
SAME_NUMBER(nvtx::kRangeEndPayload, NVTX3EXT_CBID_nvtxRangeEndPayload);
SAME_NUMBER(nvtx::kDomainIsEnabled, NVTX3EXT_CBID_nvtxDomainIsEnabled);
SAME_NUMBER(nvtx::kFirstDynamicSchema, NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
SAME_NUMBER(nvtx::kNoDepth, NVTX_NO_PUSH_POP_TRACKING);

#endif

class NvtxAbiTest : public QObject {
    Q_OBJECT

  private slots:
    void declarationsMatchTheHeaders()
    {
#ifndef LOCKSTEP_HAS_NVTX
        QSKIP("NVIDIA's headers are not here");
#endif
    }
};

LOCKSTEP_TEST(NvtxAbiTest, "nvtx_abi_test")
#include "nvtx_abi_test.moc"
