/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPUs of this machine as ranks that agree on one MoE kernel, through NCCL:
 *
 *   gpus swiglu_limit=10 --rank 1 flashinfer=0.6.12
 *
 * NCCL has no bitwise AND, so the sets are gathered and combined on the host. One process has all
 * the GPUs; with one process for each, only ncclCommInitRank() takes the place of
 * ncclCommInitAll().
 *
 * Exits with 0 when all chose the same kernel, with 1 when all stopped, with 77 without two GPUs.
 */
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#include "../mpi/rank.h"

enum { RANKS_MOST = 16, NO_GPUS = 77 };

static void need(int holds, const char *what, const char *why)
{
    if (holds)
        return;
    printf("%s: %s\n", what, why);
    exit(2);
}
#define CUDA(call) cuda_needs(call, #call)
#define NCCL(call) nccl_needs(call, #call)

static void cuda_needs(cudaError_t result, const char *what)
{
    need(result == cudaSuccess, what, cudaGetErrorString(result));
}

static void nccl_needs(ncclResult_t result, const char *what)
{
    need(result == ncclSuccess, what, ncclGetErrorString(result));
}

struct gpus {
    int count;
    ncclComm_t comms[RANKS_MOST];
    cudaStream_t streams[RANKS_MOST];
};

/* Every rank gives `size` bytes and gets those of all: mine[rank] and all[rank] lie on the host. */
static void all_gather(struct gpus *g, const void *const *mine, void *const *all, size_t size,
                       ncclDataType_t type, size_t elements)
{
    void *give[RANKS_MOST], *get[RANKS_MOST];
    for (int r = 0; r < g->count; r++) {
        CUDA(cudaSetDevice(r));
        CUDA(cudaMalloc(&give[r], size));
        CUDA(cudaMalloc(&get[r], size * (size_t)g->count));
        CUDA(cudaMemcpy(give[r], mine[r], size, cudaMemcpyHostToDevice));
    }
    NCCL(ncclGroupStart());
    for (int r = 0; r < g->count; r++)
        NCCL(ncclAllGather(give[r], get[r], elements, type, g->comms[r], g->streams[r]));
    NCCL(ncclGroupEnd());
    for (int r = 0; r < g->count; r++) {
        CUDA(cudaSetDevice(r));
        CUDA(cudaStreamSynchronize(g->streams[r]));
        CUDA(cudaMemcpy(all[r], get[r], size * (size_t)g->count, cudaMemcpyDeviceToHost));
        CUDA(cudaFree(give[r]));
        CUDA(cudaFree(get[r]));
    }
}

static void open_gpus(struct gpus *g)
{
    NCCL(ncclCommInitAll(g->comms, g->count, NULL));
    for (int r = 0; r < g->count; r++) {
        CUDA(cudaSetDevice(r));
        CUDA(cudaStreamCreate(&g->streams[r]));
    }
}

static void close_gpus(struct gpus *g)
{
    for (int r = 0; r < g->count; r++) {
        CUDA(cudaSetDevice(r));
        CUDA(cudaStreamDestroy(g->streams[r]));
        NCCL(ncclCommDestroy(g->comms[r]));
    }
}

static struct rank make_rank(int number, int argc, char **argv)
{
    struct rank rank = { number, NVFP4_MOE_LAYER_INIT, NVFP4_DEPLOYMENT_INIT, NULL, NULL, 0 };
    int major, minor;
    CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number));
    CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, number));
    rank.deployment.device.sm = 10 * major + minor;
    rank_read(&rank, argc - 1, argv + 1);
    printf("rank %d: sm %d\n", number, (int)rank.deployment.device.sm);
    return rank;
}

/* The guard. Each rank checks what it has gathered itself, as it would in a process of its own. */
static int agree(struct gpus *g, struct rank *ranks, nvfp4_agreement records[][RANKS_MOST])
{
    nvfp4_agreement own[RANKS_MOST];
    const void *mine[RANKS_MOST];
    void *all[RANKS_MOST];
    int go_on = 1;
    for (int r = 0; r < g->count; r++) {
        own[r] = rank_record(&ranks[r]);
        mine[r] = &own[r];
        all[r] = records[r];
    }
    all_gather(g, mine, all, sizeof own[0], ncclUint8, sizeof own[0]);
    for (int r = 0; r < g->count; r++) {
        nvfp4_agreement_report report = NVFP4_AGREEMENT_REPORT_INIT;
        const nvfp4_status status =
            nvfp4_agreement_check(records[r], (size_t)g->count, &report, NULL, 0);
        if (r == 0)
            print_differences(&report);
        if (status != NVFP4_OK)
            print_answer(&ranks[r], status, NULL);
        go_on &= status == NVFP4_OK;
    }
    return go_on;
}

/* The choice, from the sets of all. */
static int choose(struct gpus *g, const struct rank *ranks)
{
    nvfp4_kernel_set own[RANKS_MOST], sets[RANKS_MOST][RANKS_MOST];
    const void *mine[RANKS_MOST];
    void *all[RANKS_MOST];
    int chosen = 1;
    for (int r = 0; r < g->count; r++) {
        const nvfp4_status status =
            nvfp4_eligible_kernels(&ranks[r].layer, &ranks[r].deployment, ranks[r].policy, &own[r]);
        need(status == NVFP4_OK, "nvfp4_eligible_kernels", nvfp4_status_text(status));
        mine[r] = &own[r];
        all[r] = sets[r];
    }
    all_gather(g, mine, all, sizeof own[0], ncclUint64, 1);
    for (int r = 0; r < g->count; r++) {
        nvfp4_selection selection = { .kernel = -1 };
        nvfp4_kernel_set common = ~(nvfp4_kernel_set)0;
        for (int other = 0; other < g->count; other++)
            common &= sets[r][other];
        const nvfp4_status status = nvfp4_select_from_set(&ranks[r].layer, &ranks[r].deployment,
                                                          ranks[r].policy, common, &selection);
        print_answer(&ranks[r], status, &selection);
        chosen &= status == NVFP4_OK;
    }
    return chosen;
}

int main(int argc, char **argv)
{
    static nvfp4_agreement records[RANKS_MOST][RANKS_MOST];
    struct rank ranks[RANKS_MOST];
    struct gpus g = { 0 };
    if (cudaGetDeviceCount(&g.count) != cudaSuccess || g.count < 2) {
        printf("needs two GPUs\n");
        return NO_GPUS;
    }
    g.count = g.count < RANKS_MOST ? g.count : RANKS_MOST;
    for (int r = 0; r < g.count; r++)
        ranks[r] = make_rank(r, argc, argv);
    open_gpus(&g);
    const int go_on = agree(&g, ranks, records);
    const int chosen = go_on && choose(&g, ranks);
    if (go_on)
        print_losses(ranks[0].policy, records[0], (size_t)g.count);
    close_gpus(&g);
    return chosen ? EXIT_SUCCESS : EXIT_FAILURE;
}
