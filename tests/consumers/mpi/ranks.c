/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks of an MPI job that agree on one MoE kernel:
 *
 *   mpirun -n 8 ranks sm=120 --rank 3 flashinfer=0.6.12
 *
 * Exits with 0 on every rank when all chose the same kernel, with 1 on every rank when all stopped.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "rank.h"

/* Gathers every rank's record; may all go on? Rank 0 speaks for all, since all know the same. */
static nvfp4_status agree(struct rank *rank, nvfp4_agreement *records, int count)
{
    nvfp4_agreement_report report = NVFP4_AGREEMENT_REPORT_INIT;
    const nvfp4_agreement mine = rank_record(rank);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, records, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    const nvfp4_status status = nvfp4_agreement_check(records, (size_t)count, &report, NULL, 0);
    if (rank->number == 0)
        print_differences(&report);
    return status;
}

/* Combines every rank's set of kernels, and chooses from what is left. */
static nvfp4_status choose(const struct rank *rank, nvfp4_selection *selection)
{
    nvfp4_kernel_set mine, common;
    if (nvfp4_eligible_kernels(&rank->layer, &rank->deployment, rank->policy, &mine) !=
        NVFP4_OK) /* cannot be: then there was no record, and all have stopped */
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Allreduce(&mine, &common, 1, MPI_UINT64_T, MPI_BAND, MPI_COMM_WORLD);
    return nvfp4_select_from_set(&rank->layer, &rank->deployment, rank->policy, common, selection);
}

int main(int argc, char **argv)
{
    int count;
    struct rank rank = { .layer = NVFP4_MOE_LAYER_INIT, .deployment = NVFP4_DEPLOYMENT_INIT };
    nvfp4_selection selection;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank.number);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    nvfp4_agreement *records = calloc((size_t)count, sizeof *records);
    if (records == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);

    rank_read(&rank, argc - 1, argv + 1);
    nvfp4_status status = agree(&rank, records, count);
    if (status == NVFP4_OK) {
        status = choose(&rank, &selection);
        if (rank.number == 0)
            print_losses(rank.policy, records, (size_t)count);
    }
    print_answer(&rank, status, &selection);
    free(records);
    MPI_Finalize();
    return status == NVFP4_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
