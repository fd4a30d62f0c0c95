// SPDX-License-Identifier: Apache-2.0
/* The capture file (.lsc) that liblockstep_capture.so writes and core/readers/capture_spool reads: layout of
 * its fixed parts and numbers of its kinds. FORMAT.md next to this file describes their meaning. In C, so
 * that any program can use it; all numbers are little-endian. */
#ifndef LOCKSTEP_SPOOL_FORMAT_H
#define LOCKSTEP_SPOOL_FORMAT_H

#include <stdint.h>

/* A reader rejects files of another major version, and reads the parts it knows of a later minor version. */
#define LOCKSTEP_SPOOL_MAJOR 1
#define LOCKSTEP_SPOOL_MINOR 1

/* "\x89LSC\r\n\x1a\n": not text, and damaged by transfers that change line ends. */
#define LOCKSTEP_SPOOL_MAGIC "\x89LSC\r\n\x1a\n"
#define LOCKSTEP_SPOOL_BLOCK_MAGIC 0x4B4C424Cu /* "LBLK" */
#define LOCKSTEP_SPOOL_END_MAGIC "LSC-END\n"
/* Greatest unpacked size of a block in this version. */
#define LOCKSTEP_SPOOL_BLOCK_LIMIT (16u << 20)

/* The first bytes of a file. 64 bytes. */
typedef struct LockstepSpoolHeader {
    uint8_t magic[8];
    uint16_t major;
    uint16_t minor;
    uint32_t header_bytes; /* the first block begins here */
    uint8_t session[16];   /* random; the same in all files of one process */
    int64_t realtime_ns;   /* CLOCK_REALTIME when the file was created */
    int64_t monotonicRaw_ns;
    uint64_t reserved;
    uint64_t checksum; /* XXH3, 64 bits, seed 0, of all preceding bytes */
} LockstepSpoolHeader;

/* Content of the payload of a block. */
enum LockstepSpoolBlockType {
    LOCKSTEP_BLOCK_META = 1,    /* JSON: process, host and settings (at the beginning) */
    LOCKSTEP_BLOCK_RECORDS = 2, /* texts and records */
    LOCKSTEP_BLOCK_SUMMARY = 3, /* JSON: counts of written and lost data (if closed properly) */
    LOCKSTEP_BLOCK_INDEX = 4    /* one LockstepSpoolIndexEntry per preceding block */
};

/* Header before each payload. 56 bytes. */
typedef struct LockstepSpoolBlock {
    uint32_t magic;
    uint16_t type;
    uint16_t flags;        /* bit 0: payload is a zstd frame, else uncompressed */
    uint64_t sequence;     /* 0, 1, 2 ... in the file */
    uint32_t stored_bytes; /* of the payload after this header */
    uint32_t raw_bytes;    /* of the payload once unpacked */
    int64_t first_ns;      /* earliest and latest stamp in it; 0 and 0 if none */
    int64_t last_ns;
    uint32_t records;  /* number of records in it */
    uint32_t step;     /* 1 + the greatest training step that is first named in it; 0 = none; since 1.1 */
    uint64_t checksum; /* XXH3, 64 bits, of the preceding 48 bytes, then (as seed) of the stored payload */
} LockstepSpoolBlock;

#define LOCKSTEP_BLOCK_IS_ZSTD 1u

/* Index entry of one block. 40 bytes. */
typedef struct LockstepSpoolIndexEntry {
    uint64_t offset; /* offset of its LockstepSpoolBlock */
    uint32_t stored_bytes;
    uint16_t type;
    uint16_t reserved;
    int64_t first_ns;
    int64_t last_ns;
    uint32_t records;
    uint32_t reserved2;
} LockstepSpoolIndexEntry;

/* Last bytes of a file that was closed properly. 16 bytes. */
typedef struct LockstepSpoolEnd {
    uint64_t indexOffset;
    uint8_t magic[8];
} LockstepSpoolEnd;

/* Kinds of records: X(name, number, fields). A record is its kind and its fields, all LEB128; FORMAT.md
 * describes the fields. Kinds, and fields at the end of a kind, are only ever added. */
/* clang-format off */
#define LOCKSTEP_SPOOL_KINDS(X)                                                                    \
    X(THREAD, 1, 1) X(DOMAIN, 2, 1) X(PUSH, 3, 2) X(POP, 4, 1) X(PUSH_EX, 5, 6) X(START, 6, 7)     \
    X(END, 7, 2) X(MARK, 8, 6) X(THREAD_NAME, 9, 2) X(DOMAIN_NAME, 10, 2)                          \
    X(CATEGORY_NAME, 11, 3) X(RESOURCE_NAME, 12, 5) X(CLOCKS, 13, 4) X(LOST, 14, 4)                \
    X(OWN_WORK, 16, 3) X(SCHEMA, 17, 3) X(PAYLOAD, 18, 2) X(THREAD_END, 19, 1)   \
    X(KERNEL, 32, 20) X(MEMCPY, 33, 13) X(MEMSET, 34, 10) X(API, 35, 7) X(SYNC, 36, 8)             \
    X(OVERHEAD, 37, 4) X(GRAPH, 38, 7) X(MEMORY, 39, 10) X(DEVICE, 40, 8) X(CONTEXT, 41, 4)        \
    X(STREAM, 42, 5) X(CUDA_EVENT, 43, 5) X(OTHER_ACTIVITY, 44, 2)
/* clang-format on */

#define LOCKSTEP_SPOOL_KIND_NUMBER(name, number, fields) LOCKSTEP_KIND_##name = number,
enum LockstepSpoolKind { LOCKSTEP_SPOOL_KINDS(LOCKSTEP_SPOOL_KIND_NUMBER) LOCKSTEP_KIND_LIMIT = 64 };

/* The first field of LOST. */
enum LockstepSpoolLoss {
    LOCKSTEP_LOST_RING_FULL = 1,    /* records that a thread made while its ring was full */
    LOCKSTEP_LOST_NO_RING = 2,      /* records of threads for which there was no memory */
    LOCKSTEP_LOST_NOT_WRITTEN = 3,  /* records of blocks that the file system rejected */
    LOCKSTEP_LOST_GPU_BY_CUPTI = 4, /* records that CUPTI reported as dropped */
    LOCKSTEP_LOST_GPU_BUFFERS = 5,  /* buffers that CUPTI requested beyond the memory limit */
    LOCKSTEP_LOST_TEXTS = 6,        /* registered texts and domains beyond the memory limit */
    LOCKSTEP_LOST_CUT_TEXTS = 7,    /* texts longer than 1 MiB, cut there; since 1.1 */
    LOCKSTEP_LOST_PAYLOADS = 8,     /* payloads beyond 64 KiB, or beyond 16 of one call; since 1.1 */
    LOCKSTEP_LOST_REPORTS = 9,      /* capture ranges that have no report; since 1.1 */
    LOCKSTEP_LOST_IN_HANDLER = 10,  /* records of handlers that interrupted another record; since 1.1 */
    LOCKSTEP_LOST_RING_DAMAGED =
        11 /* runs of unknown length: the ring of a thread was overwritten; since 1.1 */
};

/* Schema of a PAYLOAD that identifies the collective of its range; no schema of a program has this number.
 * 24 bytes, then the name of the group: any text that is the same on all participating ranks. */
#define LOCKSTEP_SCHEMA_COLLECTIVE 0x4C53434F4C4C4543ull
typedef struct LockstepSpoolCollective {
    uint64_t size_bytes; /* contributed by this rank */
    uint64_t sequence;   /* number of the operation in the group, equal on all ranks; UINT64_MAX: none */
    uint32_t group_size; /* participating ranks; UINT32_MAX: unknown */
    uint32_t rank;       /* number of this rank in the group; UINT32_MAX: unknown */
} LockstepSpoolCollective;

/* The class field of API. */
#define LOCKSTEP_API_RUNTIME 0
#define LOCKSTEP_API_DRIVER 1

#endif
