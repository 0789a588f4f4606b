/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/matrix.h"

#include <string.h>

#include "core/rule.h"

/* Short names and colours of the built-in backends. */
static const struct {
    const char *code, *label, *paint;
} marks[NVFP4_BACKEND_COUNT] = {
    [NVFP4_BACKEND_B12X] = { "B12X", "b12x", "\033[95m" },
    [NVFP4_BACKEND_FLASHINFER_TRTLLM] = { "FTRT", "TRTLLM", "\033[92m" },
    [NVFP4_BACKEND_FLASHINFER_CUTLASS] = { "FCUT", "CUTLASS", "\033[36m" },
    [NVFP4_BACKEND_FLASHINFER_CUTEDSL] = { "FCDS", "CuTeDSL", "\033[32m" },
    [NVFP4_BACKEND_FLASHINFER_CUTEDSL_BATCHED] = { "FCDB", "CuTeDSL-B", "\033[32m" },
    [NVFP4_BACKEND_FLASHINFER_B12X] = { "FB12", "FI-b12x", "\033[35m" },
    [NVFP4_BACKEND_VLLM_CUTLASS] = { "VCUT", "vLLM-CUT", "\033[94m" },
    [NVFP4_BACKEND_MARLIN] = { "MARL", "Marlin", "\033[33m" },
    [NVFP4_BACKEND_HUMMING] = { "HUMM", "Humming", "\033[93m" },
    [NVFP4_BACKEND_EMULATION] = { "EMUL", "emulated", "\033[90m" },
};

static void copy(char *to, size_t room, const char *from)
{
    size_t n = 0;
    for (; from[n] != '\0' && n + 1 < room; n++)
        to[n] = from[n];
    to[n] = '\0';
}

void nvfp4_matrix_mark(const nvfp4_policy *policy, int32_t backend, struct matrix_mark *mark)
{
    const int known = backend > 0 && backend < NVFP4_BACKEND_COUNT && marks[backend].code != NULL;
    mark->name = nvfp4_policy_backend_name(policy, (nvfp4_backend)backend);
    mark->paint = known ? marks[backend].paint : "\033[97m";
    copy(mark->code, 5, known ? marks[backend].code : mark->name);
    copy(mark->label, 10, known ? marks[backend].label : mark->name);
}

nvfp4_deployment nvfp4_matrix_deployment(const nvfp4_matrix_policy *policy,
                                         const nvfp4_device_key *device)
{
    nvfp4_deployment there = *policy->deployment;
    there.device = *device;
    return there;
}

nvfp4_status nvfp4_matrix_cell(const nvfp4_matrix *m, size_t row, size_t column, size_t policy,
                               struct matrix_cell *cell)
{
    const nvfp4_matrix_policy *p = &m->policies[policy];
    const nvfp4_deployment there = nvfp4_matrix_deployment(p, &m->columns[column].device);
    nvfp4_selection s;
    *cell = (struct matrix_cell){ CELL_UNASKED, NVFP4_BACKEND_NONE, -1, 0, 0 };
    if (m->rows[row].reason != NULL)
        return NVFP4_OK;
    const nvfp4_status status = nvfp4_select_backend(&m->rows[row].layer, &there, p->policy, &s);
    if (status == NVFP4_OK)
        *cell = (struct matrix_cell){ CELL_CHOSEN, s.backend, s.kernel, s.scheme,
                                      s.scheme != m->rows[row].layer.scheme };
    else if (status == NVFP4_ENOBACKEND || status == NVFP4_EREFUSED)
        cell->kind = status == NVFP4_ENOBACKEND ? CELL_NONE : CELL_REFUSED;
    else
        return status;
    return NVFP4_OK;
}

int nvfp4_matrix_same(const nvfp4_matrix *m, size_t policy_a, const struct matrix_cell *a,
                      size_t policy_b, const struct matrix_cell *b)
{
    return a->kind == b->kind && a->downgraded == b->downgraded &&
           (a->kind != CELL_CHOSEN ||
            strcmp(
                nvfp4_policy_backend_name(m->policies[policy_a].policy, (nvfp4_backend)a->backend),
                nvfp4_policy_backend_name(m->policies[policy_b].policy,
                                          (nvfp4_backend)b->backend)) == 0);
}

void nvfp4_matrix_out_device(struct out *out, const nvfp4_device_key *device)
{
    if (device->vendor == NVFP4_VENDOR_NVIDIA) {
        out_text(out, "SM ");
        out_number(out, (uint64_t)own_sm(device->sm));
    } else {
        out_text(out, nvfp4_vendor_name((nvfp4_vendor)device->vendor));
    }
}

const char *nvfp4_matrix_policy_name(const nvfp4_matrix *m, size_t policy)
{
    return nvfp4_policy_name(m->policies[policy].policy);
}

/* Every cell can be asked. */
static nvfp4_status sound(const nvfp4_matrix *m)
{
    struct matrix_cell cell;
    if ((m->rows == NULL && m->row_count != 0) || (m->columns == NULL && m->column_count != 0) ||
        m->policies == NULL || m->policy_count == 0)
        return NVFP4_EINVAL;
    for (size_t p = 0; p < m->policy_count; p++)
        if (m->policies[p].deployment == NULL)
            return NVFP4_EINVAL;
    for (size_t r = 0; r < m->row_count; r++)
        if (m->rows[r].name == NULL || m->rows[r].detail == NULL)
            return NVFP4_EINVAL;
    for (size_t r = 0; r < m->row_count; r++)
        for (size_t c = 0; c < m->column_count; c++)
            for (size_t p = 0; p < m->policy_count; p++) {
                const nvfp4_status status = nvfp4_matrix_cell(m, r, c, p, &cell);
                if (status != NVFP4_OK)
                    return status;
            }
    return NVFP4_OK;
}

nvfp4_status nvfp4_matrix_write(const nvfp4_matrix *matrix, nvfp4_matrix_output format,
                                void *memory, size_t size, char *buffer, size_t capacity,
                                size_t *length)
{
    static void (*const writers[])(const nvfp4_matrix *, struct out *) = {
        [NVFP4_MATRIX_TEXT] = nvfp4_matrix_text,
        [NVFP4_MATRIX_MARKDOWN] = nvfp4_matrix_markdown,
        [NVFP4_MATRIX_CSV] = nvfp4_matrix_csv,
        [NVFP4_MATRIX_JSON] = nvfp4_matrix_json,
    };
    if (matrix == NULL || length == NULL || (buffer == NULL && capacity != 0) ||
        (unsigned)format >= NVFP4_MATRIX_OUTPUT_COUNT)
        return NVFP4_EINVAL;
    if (matrix->struct_size < sizeof(nvfp4_matrix))
        return NVFP4_EABI;
    nvfp4_status status = sound(matrix);
    if (status != NVFP4_OK)
        return status;
    struct out out = out_begin(buffer, capacity);
    if (format == NVFP4_MATRIX_HTML)
        status = memory != NULL ? nvfp4_matrix_html(matrix, memory, size, &out) : NVFP4_ENOMEM;
    else
        writers[format](matrix, &out);
    const size_t all = out_end(&out);
    if (status == NVFP4_OK)
        *length = all;
    return status;
}
