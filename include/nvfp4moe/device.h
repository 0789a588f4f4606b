/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_DEVICE_H
#define NVFP4MOE_DEVICE_H

/**
 * @file device.h
 * @brief Which GPU this is: a catalogue of names and PCI ids, and a probe of the machine.
 *
 * The catalogue is pure data. The probe loads driver libraries when it is called (NVML first, which
 * makes no CUDA context and takes milliseconds), reads sysfs, and unloads what it can. A machine
 * without a driver or a GPU is an answer with a status of its own, never a message on stderr.
 *
 * A probe can also be held against a recorded machine (::nvfp4_machine): the same code then runs on
 * the facts of a file, so a report about a machine is a file that anyone can replay.
 */

#include <stddef.h>
#include <stdint.h>

#include <nvfp4moe/deployment.h>
#include <nvfp4moe/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How sure an answer is: name, value, word. */
#define NVFP4_CONFIDENCE_MAP(X)                                                                    \
    X(UNKNOWN, 0, "unknown")                                                                       \
    X(LOW, 1, "low")       /* a reserved or unnamed id, or an SM inferred from relatives */        \
    X(MEDIUM, 2, "medium") /* an id range, a community name, or a name with parts left out */      \
    X(HIGH, 3, "high")     /* said by the driver, or an exact id or name in its own list */

typedef enum nvfp4_confidence {
#define X(name, value, word) NVFP4_CONFIDENCE_##name = (value),
    NVFP4_CONFIDENCE_MAP(X)
#undef X
        NVFP4_CONFIDENCE_COUNT
} nvfp4_confidence;

/* ---- the catalogue ------------------------------------------------------------------------- */

/** What of a text or an id decided the answer of a look-up: name, value, word. */
#define NVFP4_GPU_MATCH_MAP(X)                                                                     \
    X(ROW, 0, "row")            /* a row as it stands in the catalogue: nvfp4_gpu_at() */          \
    X(PCI_ID, 1, "pci id")      /* an exact PCI device id */                                       \
    X(PCI_RANGE, 2, "pci range") /* the range that an unlisted id lies in */                       \
    X(NAME, 3, "name")          /* the name, apart from case, blanks and dashes */                 \
    X(ALIAS, 4, "alias")        /* another name of it */                                           \
    X(BOARD, 5, "board")        /* a name once size, form factor or slice is left out */           \
    X(SM, 6, "sm")              /* a compute capability or an architecture, no board */

typedef enum nvfp4_gpu_match {
#define X(name, value, word) NVFP4_GPU_MATCH_##name = (value),
    NVFP4_GPU_MATCH_MAP(X)
#undef X
        NVFP4_GPU_MATCH_COUNT
} nvfp4_gpu_match;

/** A GPU of the catalogue. Its strings are never NULL and live for ever. */
typedef struct nvfp4_gpu {
    size_t struct_size;
    nvfp4_device_key key;  /**< vendor, SM and architecture; SM 0 in a row whose SM nobody states */
    int32_t match;         /**< an ::nvfp4_gpu_match */
    int32_t confidence;    /**< an ::nvfp4_confidence: from id or name to SM */
    int32_t pci_device_id; /**< 0: none known, or the boards of this name have several */
    int32_t memory_gib;    /**< nominal; 0: not known, or the boards of this name differ */
    const char *name;      /**< "NVIDIA H200"; "" where only an SM was asked for */
    const char *label;     /**< what a person types for it: "h200"; "" as for `name` */
    const char *aliases;   /**< further such names, separated by commas; "" for none */
    const char *chip;      /**< "GH100"; "" if not known */
    const char *source;    /**< where the row comes from */
} nvfp4_gpu;

/** An empty ::nvfp4_gpu to receive an answer. */
#define NVFP4_GPU_INIT                                                                             \
    {                                                                                              \
        sizeof(nvfp4_gpu), { NVFP4_VENDOR_NVIDIA, 0, "" }, 0, 0, 0, 0, "", "", "", "", ""          \
    }

/**
 * @brief Number of rows in the catalogue.
 * @return Always the same within one release.
 * @since 0.1
 */
NVFP4_API size_t nvfp4_gpu_count(void);

/**
 * @brief One row of the catalogue. The rows have no order that means anything.
 * @param      index From 0 to nvfp4_gpu_count() - 1.
 * @param[out] gpu   Set up with #NVFP4_GPU_INIT.
 * @retval NVFP4_EINVAL @p gpu is NULL or there is no such row.
 * @retval NVFP4_EABI   `struct_size` is too small.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_gpu_at(size_t index, nvfp4_gpu *gpu);

/**
 * @brief The GPU that a person means.
 *
 * Understood are, apart from case, blanks, dashes and underscores:
 * - names of the catalogue, with or without the maker's: "NVIDIA H200", "rtx pro 6000", "gb300"
 * - compute capabilities: "sm_120", "sm120", "12.0"; 101 is read as 110
 * - PCI device ids: "0x2bb1", "10de:2bb1"
 * - the names that MIG slices and virtual GPUs print: "NVIDIA A100-SXM4-40GB MIG 1g.5gb"
 * - AMD's boards and targets: "mi300x", "gfx942"
 * - architectures of one SM: "hopper"
 *
 * A name is matched as a whole: "h1" is no name, "a10" is not "a100". Sizes, form factors and such
 * may follow a name ("h100 sxm5 80gb"). A name that fits boards of several SMs is refused; what it
 * may mean is told by @p error and nvfp4_gpu_choices().
 *
 * @param      text  UTF-8, NUL-terminated.
 * @param[out] gpu   Set up with #NVFP4_GPU_INIT. Where several boards share name and SM, it is the
 *                   first of them, with id and memory 0 if these differ.
 * @param[out] error May be NULL. On any failure: status and one sentence with what may be meant.
 * @retval NVFP4_EUNKNOWN   No such GPU, or nobody states its SM.
 * @retval NVFP4_EAMBIGUOUS The name fits GPUs of several SMs.
 * @retval NVFP4_EINVAL     @p text or @p gpu is NULL.
 * @retval NVFP4_EABI       `struct_size` is too small.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_gpu_find(const char *text, nvfp4_gpu *gpu, nvfp4_error *error);

/**
 * @brief What a text that nvfp4_gpu_find() refuses may mean.
 *
 * @param      text     As given to nvfp4_gpu_find().
 * @param[out] names    Receives up to @p capacity names that nvfp4_gpu_find() takes, nearest first;
 *                      they live for ever. May be NULL when @p capacity is 0.
 * @param      capacity Entries @p names can hold.
 * @param[out] count    The number of names there are (at most 16), also when larger than
 *                      @p capacity; 0 when nothing is near.
 * @retval NVFP4_EINVAL A pointer is NULL.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_gpu_choices(const char *text, const char **names, size_t capacity,
                                         size_t *count);

/**
 * @brief The GPU of a PCI device id: the exact id, or else the range it lies in.
 *
 * The id is the truth where the name is not: virtual GPUs keep the id of the board and may print
 * the name of a board of another generation.
 *
 * @param      vendor_id    0x10de NVIDIA, 0x1002 AMD.
 * @param      device_id    PCI device id, such as 0x2335.
 * @param      subsystem_id Subsystem vendor << 16 | subsystem device, which tells apart boards that
 *                          share an id; 0: not known.
 * @param[out] gpu          Set up with #NVFP4_GPU_INIT. For a range `name` is "".
 * @retval NVFP4_EUNKNOWN The id is neither listed nor in a known range, or nobody states its SM.
 * @retval NVFP4_EINVAL   @p gpu is NULL.
 * @retval NVFP4_EABI     `struct_size` is too small.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_gpu_from_pci(uint32_t vendor_id, uint32_t device_id,
                                          uint32_t subsystem_id, nvfp4_gpu *gpu);

/* ---- the probe ----------------------------------------------------------------------------- */

/** Where the facts of a device come from: name, value, word. */
#define NVFP4_SOURCE_MAP(X)                                                                        \
    X(AUTO, 0, "auto") /* the first of the following that answers */                               \
    X(NVML, 1, "nvml") /* NVIDIA's management library: milliseconds, no CUDA context */            \
    X(CUDA, 2, "cuda") /* the CUDA driver: hundreds of milliseconds, no CUDA context */            \
    X(PCI, 3, "pci")   /* ids on the PCI bus: no driver needed */                                  \
    X(TREE, 4, "tree") /* the device tree of a Jetson */

typedef enum nvfp4_source {
#define X(name, value, word) NVFP4_SOURCE_##name = (value),
    NVFP4_SOURCE_MAP(X)
#undef X
        NVFP4_SOURCE_COUNT
} nvfp4_source;

/** What is doubtful about a device (bits of `doubts`). */
enum {
    NVFP4_DOUBT_ORDER = 1u << 0,  /**< CUDA may number this device otherwise */
    NVFP4_DOUBT_NAME = 1u << 1,   /**< the driver's name is that of another board: a virtual GPU? */
    NVFP4_DOUBT_SM = 1u << 2,     /**< the SM is the catalogue's, not the driver's */
    NVFP4_DOUBT_HIDDEN = 1u << 3, /**< whether CUDA shows this device cannot be known from here */
    NVFP4_DOUBT_VALUES = 1u << 4  /**< the driver gave values that cannot be, which were dropped */
};

/** How CUDA_VISIBLE_DEVICES was read: name, value, sentence. */
#define NVFP4_VISIBILITY_MAP(X)                                                                    \
    X(ALL, 0, "not set: every device is visible")                                                  \
    X(LIST, 1, "every entry names a device")                                                       \
    X(CUT, 2, "an entry names no device: it and all after it are ignored")                         \
    X(NONE, 3, "the first entry names no device: none is visible")                                 \
    X(EMPTY, 4, "set but empty: no device is visible")                                             \
    X(TWICE, 5, "a device is named twice: CUDA refuses to start")                                  \
    X(DRIVER, 6, "taken from the CUDA driver")                                                     \
    X(UNKNOWN, 7, "cannot be told from this source")

typedef enum nvfp4_visibility {
#define X(name, value, text) NVFP4_VISIBILITY_##name = (value),
    NVFP4_VISIBILITY_MAP(X)
#undef X
        NVFP4_VISIBILITY_COUNT
} nvfp4_visibility;

/**
 * One device. Plain data of a fixed size; later releases use up `reserved`.
 *
 * Strings are NUL-terminated, printable UTF-8, and "" where the source does not say.
 */
typedef struct nvfp4_device {
    nvfp4_device_key key;      /**< what a decision needs; SM 0: nobody knows it */
    int32_t visible;           /**< 1: an engine started in this environment gets it; else 0 */
    int32_t cuda_ordinal;      /**< N of `cuda:N`, from 0; -1: hidden, none of CUDA's, unknown */
    int32_t nvml_index;        /**< NVML's number of it (of the parent, for a slice); -1: unknown */
    int32_t source;            /**< an ::nvfp4_source, never AUTO */
    int32_t confidence;        /**< an ::nvfp4_confidence: how sure `key` is */
    uint32_t doubts;           /**< NVFP4_DOUBT_* bits */
    int32_t mig;               /**< 1: a MIG slice; 2: a GPU in MIG mode, of which CUDA shows
                                    slices only; else 0 */
    int32_t gpu_instance;      /**< id of the slice's GPU instance; -1: none or unknown */
    int32_t compute_instance;  /**< id of the slice's compute instance; -1: none or unknown */
    int32_t cuda_version;      /**< the driver's, major * 1000 + minor * 10; 0: unknown */
    uint32_t pci_vendor_id;    /**< 0x10de; 0: unknown */
    uint32_t pci_device_id;    /**< 0x2335; 0: unknown */
    uint32_t pci_subsystem_id; /**< vendor << 16 | device; 0: unknown */
    uint64_t memory_bytes;     /**< as the driver reports it, else nominal; 0: unknown */
    char name[96];             /**< as the driver prints it; without a driver the catalogue's */
    char board[96];            /**< the catalogue's name of the PCI id; "" if not listed */
    char uuid[96];             /**< "GPU-..." or "MIG-..." */
    char pci_address[32];      /**< "00000000:1b:00.0" */
    char driver_version[32];   /**< "580.159.04" */
    uint8_t reserved[128];     /**< 0 */
} nvfp4_device;

/** A recorded machine: the facts of all sources and the environment. Immutable. */
typedef struct nvfp4_machine nvfp4_machine;

/** Bits of `flags` in ::nvfp4_probe_options. */
enum {
    /** List hidden devices too, after the visible ones; then "all hidden" is no failure. */
    NVFP4_PROBE_HIDDEN = 1u << 0,
    /**
     * Under AUTO and NVML never start the CUDA driver to learn the order of a mixed host; the doubt
     * is then named by ::NVFP4_DOUBT_ORDER. For processes that will fork: a child cannot use a CUDA
     * driver that its parent has started. Does not bind where the source is CUDA.
     */
    NVFP4_PROBE_NO_CUDA = 1u << 1
};

/**
 * What to ask and where. Set up with #NVFP4_PROBE_OPTIONS_INIT, then change what differs.
 *
 * The strings are the caller's and not retained. A NULL library or root means the real one: the
 * SONAME ("libnvidia-ml.so.1", "libcuda.so.1"; on Windows nvml.dll, nvcuda.dll from System32) and
 * "/". A root is a folder in which "sys", "proc" and "dev" lie.
 */
typedef struct nvfp4_probe_options {
    size_t struct_size;
    int32_t source;              /**< an ::nvfp4_source */
    uint32_t flags;              /**< NVFP4_PROBE_* bits */
    const char *visible_devices; /**< value of CUDA_VISIBLE_DEVICES; NULL: not set */
    const char *device_order;    /**< value of CUDA_DEVICE_ORDER; NULL: not set */
    const char *nvml_library;    /**< SONAME or path */
    const char *cuda_library;    /**< SONAME or path */
    const char *root;            /**< folder that stands for "/" */
    /** Recorded machine to ask instead of this one. Its environment is used, except where
     *  `visible_devices` or `device_order` is not NULL. */
    const nvfp4_machine *machine;
} nvfp4_probe_options;

/** Every source, in its order, on this machine, with CUDA_VISIBLE_DEVICES not set. */
#define NVFP4_PROBE_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(nvfp4_probe_options), NVFP4_SOURCE_AUTO, 0, NULL, NULL, NULL, NULL, NULL, NULL      \
    }

/**
 * @brief Fill in the environment: CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER of this process.
 *
 * The only function of the library that reads the environment. The pointers are those of getenv().
 *
 * @param[in,out] options May be NULL: nothing happens.
 * @par Thread safety As getenv(): no other thread may change the environment meanwhile.
 * @since 0.1
 */
NVFP4_API void nvfp4_probe_environment(nvfp4_probe_options *options);

/** What a source came to when it was not asked; beside the statuses, which are 0 or negative. */
#define NVFP4_NOT_ASKED 1

/** How a probe came to its answer. Set up with #NVFP4_PROBE_REPORT_INIT. */
typedef struct nvfp4_probe_report {
    size_t struct_size;
    int32_t source;          /**< the ::nvfp4_source that answered; AUTO: none did */
    int32_t outcomes[8];     /**< by ::nvfp4_source: an ::nvfp4_status, or #NVFP4_NOT_ASKED */
    int32_t visibility;      /**< an ::nvfp4_visibility */
    int32_t visible;         /**< devices that an engine gets, all of them, listed or not */
    int32_t hidden;          /**< devices that are there but that it does not get */
    int32_t order_uncertain; /**< 1: the CUDA ordinals may be otherwise */
    int32_t cuda_version;    /**< major * 1000 + minor * 10; 0: unknown */
    char driver_version[32]; /**< "" if unknown */
    char message[256];       /**< a sentence on what is missing or doubtful, or "" */
} nvfp4_probe_report;

/** An empty ::nvfp4_probe_report to receive an answer. */
#define NVFP4_PROBE_REPORT_INIT                                                                    \
    {                                                                                              \
        sizeof(nvfp4_probe_report), 0, { 0, 0, 0, 0, 0, 0, 0, 0 }, 0, 0, 0, 0, 0, "", ""           \
    }

/**
 * @brief The devices that an engine started in this environment gets, in CUDA's order.
 *
 * Where CUDA shows a device, those of other makers count as hidden.
 * `devices[i].cuda_ordinal` is `i` wherever CUDA's numbering can be known. CUDA_VISIBLE_DEVICES is
 * read as the CUDA driver reads it. On a host whose GPUs differ, CUDA's default order (fastest
 * first) is not NVML's (PCI address); unless #NVFP4_PROBE_NO_CUDA forbids it, the CUDA driver is
 * then started and asked. The CUDA driver itself only looks at the environment of the process,
 * once: under source CUDA `visible_devices` is not applied.
 *
 * @param      options  NULL: #NVFP4_PROBE_OPTIONS_INIT with nvfp4_probe_environment().
 * @param[out] devices  Receives up to @p capacity devices; may be NULL when @p capacity is 0.
 * @param      capacity Entries @p devices can hold.
 * @param[out] count    The number of devices, also when larger than @p capacity.
 * @param[out] report   May be NULL. Written on failure too, unless that is EINVAL or EABI.
 * @retval NVFP4_ENODRIVER No driver, and the PCI bus and device tree show no GPU that is known.
 * @retval NVFP4_ENODEVICE There is a driver but no device, or all are hidden: see @p report.
 * @retval NVFP4_EDRIVER   The driver is broken, of another version than its library, or lacks a
 *                         symbol.
 * @retval NVFP4_EPERM     The driver may not be used by this user.
 * @retval NVFP4_ENOMEM    Out of memory.
 * @retval NVFP4_EINVAL    @p count or @p devices is NULL, or the source is none.
 * @retval NVFP4_EABI      A `struct_size` is too small.
 * @par Thread safety Calls from several threads wait for each other.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_probe_devices(const nvfp4_probe_options *options,
                                           nvfp4_device *devices, size_t capacity, size_t *count,
                                           nvfp4_probe_report *report);

/* ---- recorded machines --------------------------------------------------------------------- */

/**
 * @brief Record this machine: what every source says, each on its own, and the environment.
 *
 * Starts the CUDA driver. A source that fails is recorded as such.
 *
 * @param      options Where to look; `source` and `flags` do not matter. NULL as for
 *                     nvfp4_probe_devices().
 * @param[out] machine To be given to nvfp4_machine_destroy().
 * @retval NVFP4_EINVAL @p machine is NULL.
 * @retval NVFP4_EABI   `struct_size` is too small.
 * @retval NVFP4_ELIMIT CUDA_VISIBLE_DEVICES has more than 4095 bytes, CUDA_DEVICE_ORDER more than 63.
 * @retval NVFP4_ENOMEM Out of memory.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_machine_record(const nvfp4_probe_options *options,
                                            nvfp4_machine **machine);

/**
 * @brief Write a machine as the text of a machine file (YAML).
 * @param      machine  May not be NULL.
 * @param[out] buffer   Receives the text, NUL-terminated, cut if it does not fit; may be NULL when
 *                      @p capacity is 0.
 * @param      capacity Bytes in @p buffer.
 * @return Length of the whole text without NUL, also when cut.
 * @since 0.1
 */
NVFP4_API size_t nvfp4_machine_print(const nvfp4_machine *machine, char *buffer, size_t capacity);

/**
 * @brief Read the text of a machine file.
 * @param      text    YAML or JSON; need not end with NUL.
 * @param      length  Bytes of @p text.
 * @param      file    Name for messages; NULL: none.
 * @param[out] machine To be given to nvfp4_machine_destroy().
 * @param[out] error   May be NULL. On failure: where and why.
 * @retval NVFP4_ESYNTAX Not well-formed.
 * @retval NVFP4_ESCHEMA A key, type or value that a machine file does not have.
 * @retval NVFP4_ELIMIT  Larger than a machine can be.
 * @retval NVFP4_ENOMEM  Out of memory.
 * @retval NVFP4_EINVAL  @p text or @p machine is NULL.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_machine_parse(const char *text, size_t length, const char *file,
                                           nvfp4_machine **machine, nvfp4_error *error);

/**
 * @brief Read a machine file.
 * @param      path    A file, "-" is not special.
 * @param[out] machine To be given to nvfp4_machine_destroy().
 * @param[out] error   May be NULL. On failure: where and why.
 * @retval NVFP4_EIO The file cannot be read; else as nvfp4_machine_parse().
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_machine_load(const char *path, nvfp4_machine **machine,
                                          nvfp4_error *error);

/**
 * @brief Give back a machine.
 * @param machine May be NULL.
 * @since 0.1
 */
NVFP4_API void nvfp4_machine_destroy(nvfp4_machine *machine);

/** @name Words of the enums
 * @{ */
/**
 * @brief The word or sentence for a value.
 * @return Never NULL; "unknown" for a number that is no value of the enum.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_confidence_name(nvfp4_confidence confidence);
NVFP4_API const char *nvfp4_gpu_match_name(nvfp4_gpu_match match);
NVFP4_API const char *nvfp4_source_name(nvfp4_source source);
NVFP4_API const char *nvfp4_visibility_text(nvfp4_visibility visibility);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
