/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVFP4_EXPLAIN_MATRIX_H
#define NVFP4_EXPLAIN_MATRIX_H

#include <nvfp4moe/matrix.h>

#include "explain/print.h"

/* How a backend is shown where there is little room. */
struct matrix_mark {
    char code[8];      /* "FCUT" */
    char label[12];    /* "CUTLASS" */
    const char *name;  /* "FLASHINFER_CUTLASS" */
    const char *paint; /* ANSI colour */
};
void nvfp4_matrix_mark(const nvfp4_policy *policy, int32_t backend, struct matrix_mark *mark);

enum cell_kind { CELL_CHOSEN, CELL_NONE, CELL_REFUSED, CELL_UNASKED };

/* What one policy answers in one place. */
struct matrix_cell {
    enum cell_kind kind;
    int32_t backend, kernel; /* where one is chosen */
    int32_t scheme;          /* that runs */
    int downgraded;          /* another scheme than the layer's */
};

/* The cell of a row, a column and a policy. */
nvfp4_status nvfp4_matrix_cell(const nvfp4_matrix *m, size_t row, size_t column, size_t policy,
                               struct matrix_cell *cell);

/* Do two cells say the same, whatever the policy? */
int nvfp4_matrix_same(const nvfp4_matrix *m, size_t policy_a, const struct matrix_cell *a,
                      size_t policy_b, const struct matrix_cell *b);

/* The deployment of a policy on a column's device. */
nvfp4_deployment nvfp4_matrix_deployment(const nvfp4_matrix_policy *policy,
                                         const nvfp4_device_key *device);

/* "SM 120", "amd" */
void nvfp4_matrix_out_device(struct out *out, const nvfp4_device_key *device);

/* Name of a policy. */
const char *nvfp4_matrix_policy_name(const nvfp4_matrix *m, size_t policy);

/* How many columns from this one on are alike in every row, and the heading of so many. */
size_t nvfp4_matrix_span(const nvfp4_matrix *m, size_t column);
void nvfp4_matrix_out_span(struct out *out, const nvfp4_matrix *m, size_t column, size_t span);

/* One format each; the matrix is sound. */
void nvfp4_matrix_text(const nvfp4_matrix *m, struct out *out);
void nvfp4_matrix_markdown(const nvfp4_matrix *m, struct out *out);
void nvfp4_matrix_csv(const nvfp4_matrix *m, struct out *out);
void nvfp4_matrix_json(const nvfp4_matrix *m, struct out *out);
nvfp4_status nvfp4_matrix_html(const nvfp4_matrix *m, void *memory, size_t size, struct out *out);

#endif
