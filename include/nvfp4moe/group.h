/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4MOE_GROUP_H
#define NVFP4MOE_GROUP_H

/**
 * @file group.h
 * @brief Many ranks, one answer: the agreement is a bitwise AND that any collective can do.
 *
 * Ranks that choose for themselves may choose differently, and then hang in a collective or read
 * each other's weights in the wrong layout. Here each rank computes the *set* of kernels that fit
 * it, the sets are combined by AND, and the same order of preference is applied to what is left:
 * every rank gets the same kernel, or every rank gets the same refusal.
 *
 * 1. nvfp4_agreement_make() on every rank; gather the records (64 bytes each, plain bytes) to all.
 * 2. nvfp4_agreement_check() on every rank: do all ask the same question, under the same policy?
 *    All ranks see the same records, so all go on or all stop.
 * 3. nvfp4_select_from_set() with the AND of all sets, which the check has computed as well.
 *
 * Who wants no guard combines what nvfp4_eligible_kernels() says on each rank; the lines for MPI show
 * both ways to the same set. Nothing here calls a communication library; these do what is needed:
 *
 * MPI:
 * @code{.c}
 * nvfp4_agreement mine = NVFP4_AGREEMENT_INIT, *all = ...;   // room for one per rank
 * nvfp4_agreement_make(&layer, &deployment, policy, &mine);  // if it fails, send the zeros
 * MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
 * if (nvfp4_agreement_check(all, ranks, &report, NULL, 0) == NVFP4_OK) {
 *     nvfp4_eligible_kernels(&layer, &deployment, policy, &kernels);
 *     MPI_Allreduce(MPI_IN_PLACE, &kernels, 1, MPI_UINT64_T, MPI_BAND, MPI_COMM_WORLD);
 *     nvfp4_select_from_set(&layer, &deployment, policy, kernels, &selection);
 * }
 * @endcode
 *
 * NCCL reduces by sum, product, minimum, maximum and average only. So gather the sets with
 * `ncclAllGather` of `ncclUint64` (the records as `ncclUint8`), copy them to the host, and AND
 * there.
 *
 * torch.distributed: the same holds for its NCCL backend, where `ReduceOp.BAND` is not available.
 * Carry the set as the int64 with the same bits, `all_gather` it, AND on the host:
 * @code{.py}
 * signed = kernels - (1 << 64) if kernels >> 63 else kernels     # a Python int of 64 bits
 * mine = torch.tensor([signed], dtype=torch.int64, device=device)
 * sets = [torch.empty_like(mine) for _ in range(dist.get_world_size(group))]
 * dist.all_gather(sets, mine, group=group)
 * common = functools.reduce(operator.and_, (int(s) for s in sets)) & (1 << 64) - 1
 * @endcode
 * A record travels as a tensor of 64 `torch.uint8`.
 *
 * A model whose layers differ has one record and one choice for each kind of layer; the records of
 * all may be gathered in one go.
 *
 * In one thing this file differs from version.h: ::NVFP4_ENOBACKEND, ::NVFP4_EREFUSED and
 * ::NVFP4_EDISAGREE are answers, and what explains them is written with them, as said at each
 * function. Of a rank that fails or comes late nothing is known here: that is the collective's
 * business.
 */

#include <nvfp4moe/select.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief The kernels that fit this rank's request, those of one backend only if it was asked for.
 *
 * Opt-in kernels are members only when asked for by name. The numbering is the policy's: sets may
 * be combined only between ranks whose nvfp4_policy_hash() is equal, which the guard below looks
 * after.
 *
 * @param      layer      What is computed. Not retained.
 * @param      deployment How and on what this rank runs it. Not retained.
 * @param      policy     NULL: the default policy.
 * @param[out] kernels    The set; empty when nothing fits, which is no error here.
 * @retval NVFP4_EINVAL,NVFP4_EABI As select.h says.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_eligible_kernels(const nvfp4_moe_layer *layer,
                                              const nvfp4_deployment *deployment,
                                              const nvfp4_policy *policy,
                                              nvfp4_kernel_set *kernels);

/**
 * @brief Choose from a set by the policy's order of preference.
 *
 * Whether a member fits is not looked at again. What this rank did not ask for is not chosen,
 * though: of a set that was combined with this rank's own that changes nothing.
 *
 * @param      layer      What is computed. Not retained.
 * @param      deployment How and on what this rank runs it. Not retained.
 * @param      policy     NULL: the default policy.
 * @param      kernels    What all ranks have in common.
 * @param[out] selection  Written only on ::NVFP4_OK.
 * @retval NVFP4_ENOBACKEND,NVFP4_EREFUSED Nothing is left; @p selection is unchanged.
 * @retval NVFP4_EINVAL Also: the set has a member that is no kernel of the policy.
 * @retval NVFP4_EABI   As select.h says.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_select_from_set(const nvfp4_moe_layer *layer,
                                             const nvfp4_deployment *deployment,
                                             const nvfp4_policy *policy, nvfp4_kernel_set kernels,
                                             nvfp4_selection *selection);

/* ---- a whole group in one process ---- */

/** A kernel that some rank of a group cannot run. */
typedef struct nvfp4_group_loss {
    int32_t kernel;           /**< its number in the policy */
    nvfp4_reason_set reasons; /**< all that rules it out on `rank`; never empty */
    size_t rank;              /**< the first rank that rules it out */
    size_t rank_count;        /**< ranks that rule it out; below the group's: others could run it */
} nvfp4_group_loss;

/** What a group comes to. Set up with #NVFP4_GROUP_INIT. */
typedef struct nvfp4_group {
    size_t struct_size;        /**< set by #NVFP4_GROUP_INIT */
    nvfp4_selection selection; /**< the same on all ranks; what to pass on each: nvfp4_forward_to() */
    nvfp4_kernel_set kernels;  /**< what nvfp4_eligible_kernels() says on every rank, combined */
    size_t loss_count;         /**< losses in all, also when more than there was room for */
    size_t odd_rank;           /**< with EDISAGREE: the first that asks otherwise than rank 0 */
    uint32_t warnings;         /**< HETEROGENEOUS_DEVICES or none; a rank's own: nvfp4_judge() */
    int32_t reserved;          /**< 0 */
} nvfp4_group;

/** An empty ::nvfp4_group. */
#define NVFP4_GROUP_INIT                                                                           \
    {                                                                                              \
        sizeof(nvfp4_group), { 0, 0, 0, 0 }, 0, 0, 0, 0, 0                                         \
    }

/**
 * @brief Choose the one kernel for all ranks of a group, and say which rank takes the others away.
 *
 * The layer and the policy are the same for all; devices, libraries, what is built or switched off
 * may differ from rank to rank. The order of the ranks does not change the choice. A kernel is
 * judged on every rank as nvfp4_judge() does it, whatever was asked for; the two values compared by
 * a reason are listed by nvfp4_list_findings() for that rank. `peers` of a deployment are looked at
 * too, and need not be set here.
 *
 * Time grows with @p rank_count times the kernels of the policy; no allocation.
 *
 * @param      layer      What is computed. Not retained.
 * @param      ranks      One deployment per rank, all with the same `struct_size`. Not retained.
 * @param      rank_count At least 1.
 * @param      policy     NULL: the default policy.
 * @param[in,out] group   `struct_size` in. Written with ::NVFP4_OK and with the three answers
 *                        below, with which its selection is zero, with kernel -1.
 * @param[out] losses     By kernel number, caller-owned; may be NULL when @p capacity is 0. Written
 *                        with ::NVFP4_OK, ::NVFP4_ENOBACKEND and ::NVFP4_EREFUSED.
 * @param      capacity   Entries @p losses can hold; #NVFP4_KERNELS_MAX is always enough.
 *
 * @retval NVFP4_ENOBACKEND No kernel fits every rank.
 * @retval NVFP4_EREFUSED   The backend asked for does not fit every rank.
 * @retval NVFP4_EDISAGREE  The ranks ask for different backends, or run the layer in different ways
 *                          (see ::NVFP4_INPUT_DEPLOYMENT); no losses are told.
 * @retval NVFP4_EINVAL     @p rank_count is 0, another pointer is NULL, or as select.h says for at
 *                          least one rank; nvfp4_eligible_kernels() tells for which.
 * @retval NVFP4_EABI       A `struct_size` is too small, or not the same on all ranks.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_select_backend_group(const nvfp4_moe_layer *layer,
                                                  const nvfp4_deployment *ranks, size_t rank_count,
                                                  const nvfp4_policy *policy, nvfp4_group *group,
                                                  nvfp4_group_loss *losses, size_t capacity);

/* ---- the guard: do all ranks ask the same question? ---- */

/** What ranks compare: name, value, word. Value 8 + l: the version of the ::nvfp4_library l. */
#define NVFP4_INPUT_MAP(X)                                                                         \
    X(RECORD, 0, "record")   /* no record of this format: rubbish, zeros, another release's */     \
    X(POLICY, 1, "policy")   /* another policy: nvfp4_policy_hash() */                             \
    X(LAYER, 2, "layer")     /* another model */                                                   \
    X(BACKEND, 3, "backend") /* another backend asked for */                                       \
    X(DEPLOYMENT, 4, "deployment") /* another tensor, data, context or sequence parallelism, EP,   \
                                      format, all2all, EPLB, LoRA, batch invariance, humming GEMM  \
                                      or key of the policy's own */

/** See #NVFP4_INPUT_MAP. */
typedef enum nvfp4_input {
#define X(name, value, word) NVFP4_INPUT_##name = (value),
    NVFP4_INPUT_MAP(X)
#undef X
        NVFP4_INPUT_LIBRARY = 8, /**< the first library; add an ::nvfp4_library */
    NVFP4_INPUT_END = 16 /**< values are below this */
} nvfp4_input;

/** Set of inputs: bit i is set when the ::nvfp4_input i is a member. */
typedef uint32_t nvfp4_input_set;

/** The set that holds the one input @p i. */
#define NVFP4_INPUT_BIT(i) ((nvfp4_input_set)1 << (i))

/** Inputs that may not differ: a member of this set stops all. */
#define NVFP4_INPUTS_STOP ((nvfp4_input_set)0x00ff)
/** Inputs that may differ, since the AND takes care of them: the versions of libraries. */
#define NVFP4_INPUTS_LIBRARIES ((nvfp4_input_set)0xff00)

/**
 * What one rank asks, in 64 bytes that mean the same on every machine. Numbers are little-endian.
 *
 * | offset | bytes | what                                                                        |
 * |--------|-------|-----------------------------------------------------------------------------|
 * | 0      | 8     | `NVFP4AG` and the format's version, 1                                       |
 * | 8      | 8     | policy: nvfp4_policy_hash()                                                 |
 * | 16     | 8     | layer: a hash over what of it decides, defaults filled in                   |
 * | 24     | 8     | deployment: a hash over what ranks share of it (::NVFP4_INPUT_DEPLOYMENT)   |
 * | 32     | 8     | kernels: nvfp4_eligible_kernels()                                           |
 * | 40     | 16    | libraries: two bytes each, more the more of the policy's floors it meets    |
 * | 56     | 1     | the ::nvfp4_backend asked for, as the activation format means it            |
 * | 57     | 3     | 0                                                                           |
 * | 60     | 4     | check sum over all before it                                                |
 */
typedef struct nvfp4_agreement {
    uint8_t bytes[64]; /**< see above */
} nvfp4_agreement;

/** No record. A rank that has no valid question sends this: it takes part, and all stop. */
#define NVFP4_AGREEMENT_INIT                                                                       \
    {                                                                                              \
        { 0 }                                                                                      \
    }

/**
 * @brief Write down what this rank asks.
 *
 * Of a library's version only counts which floors of the policy it meets: versions between which
 * the policy makes no difference give the same record.
 *
 * @param      layer      What is computed. Not retained.
 * @param      deployment How and on what this rank runs it. Not retained.
 * @param      policy     NULL: the default policy.
 * @param[out] agreement  Unchanged on failure. A rank must not leave the collective then: it sends
 *                        #NVFP4_AGREEMENT_INIT.
 * @retval NVFP4_EINVAL,NVFP4_EABI As select.h says.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_agreement_make(const nvfp4_moe_layer *layer,
                                            const nvfp4_deployment *deployment,
                                            const nvfp4_policy *policy, nvfp4_agreement *agreement);

/**
 * @brief The set of kernels in a record, to find the ranks that lack one.
 * @param agreement May be NULL or hold anything.
 * @return The empty set for NULL and for what is no record.
 * @since 0.1
 */
NVFP4_API nvfp4_kernel_set nvfp4_agreement_kernels(const nvfp4_agreement *agreement);

/** What the records of a group say. Set up with #NVFP4_AGREEMENT_REPORT_INIT. */
typedef struct nvfp4_agreement_report {
    size_t struct_size;       /**< set by #NVFP4_AGREEMENT_REPORT_INIT */
    nvfp4_kernel_set kernels; /**< what all have in common; empty unless all may go on */
    nvfp4_input_set differs;  /**< inputs that are not the same on all ranks */
    int32_t reserved;         /**< 0 */
    size_t rank_count[16];    /**< by ::nvfp4_input: ranks on which it is not as on most */
    size_t first_rank[16];    /**< by ::nvfp4_input: the first of them; 0 where there is none */
} nvfp4_agreement_report;

/** An empty ::nvfp4_agreement_report. */
#define NVFP4_AGREEMENT_REPORT_INIT                                                                \
    {                                                                                              \
        sizeof(nvfp4_agreement_report), 0, 0, 0, { 0 }, { 0 }                                      \
    }

/**
 * @brief May all ranks go on? If not: which input differs, and on which ranks.
 *
 * An input counts as different on the ranks that do not say what more than half say; where no value
 * has that majority, on those that do not say what the first rank says. BACKEND, DEPLOYMENT and the
 * libraries get their meaning from the policy, so for a rank under another policy they are not
 * compared.
 *
 * The answer depends on the records alone: ranks that gathered the same ones, in the same order,
 * get the same answer. No allocation; the time grows with @p rank_count.
 *
 * @param      ranks      The gathered records, by rank. They may hold anything.
 * @param      rank_count At least 1.
 * @param[in,out] report  `struct_size` in. Written with ::NVFP4_OK and ::NVFP4_EDISAGREE.
 * @param[out] differs    By rank: the inputs that are different there. Caller-owned; may be NULL
 *                        when @p capacity is 0. Written when @p report is.
 * @param      capacity   Entries @p differs can hold; of more than @p rank_count the rest is
 *                        unchanged.
 *
 * @retval NVFP4_OK        All may go on; `report->differs` may still name libraries.
 * @retval NVFP4_EDISAGREE All must stop: a member of #NVFP4_INPUTS_STOP differs.
 * @retval NVFP4_EINVAL    @p rank_count is 0, or another pointer is NULL.
 * @retval NVFP4_EABI      `struct_size` is smaller than in the first release.
 * @since 0.1
 */
NVFP4_API nvfp4_status nvfp4_agreement_check(const nvfp4_agreement *ranks, size_t rank_count,
                                             nvfp4_agreement_report *report,
                                             nvfp4_input_set *differs, size_t capacity);

/**
 * @brief Word of an input: "policy", "layer"; for a library its name, "flashinfer".
 * @param input Any number.
 * @return Never NULL; "unknown" for a number that is no input.
 * @since 0.1
 */
NVFP4_API const char *nvfp4_input_name(nvfp4_input input);

#ifdef __cplusplus
}
#endif
#endif
