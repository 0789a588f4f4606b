/* SPDX-License-Identifier: Apache-2.0 */
/* Markdown, CSV and JSON. */
#include "explain/matrix.h"

#include <string.h>

static const char *cell_word(const nvfp4_matrix *m, size_t policy, const struct matrix_cell *cell)
{
    switch (cell->kind) {
    case CELL_CHOSEN:
        return nvfp4_policy_backend_name(m->policies[policy].policy, (nvfp4_backend)cell->backend);
    case CELL_NONE:
        return "no backend";
    case CELL_REFUSED:
        return "refused";
    default:
        return "-";
    }
}

static const char *status_word(const struct matrix_cell *cell)
{
    static const char *const words[] = { [CELL_CHOSEN] = "ok",
                                         [CELL_NONE] = "no_backend",
                                         [CELL_REFUSED] = "refused",
                                         [CELL_UNASKED] = "not_asked" };
    return words[cell->kind];
}

/* ---- Markdown ---- */

/* Nothing in a cell may end it or become markup. */
static void out_markdown(struct out *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("|\\`*_[]<>#&", *text) != NULL)
            out_char(out, '\\');
        out_char(out, (unsigned char)*text < 0x20 ? ' ' : *text);
    }
}

/* Are two neighbouring columns alike in every row? Then they are told as one. */
static int columns_alike(const nvfp4_matrix *m, size_t a, size_t b)
{
    struct matrix_cell x, y;
    if (m->columns[a].device.vendor != m->columns[b].device.vendor)
        return 0;
    for (size_t r = 0; r < m->row_count; r++)
        for (size_t p = 0; p < m->policy_count; p++) {
            nvfp4_matrix_cell(m, r, a, p, &x);
            nvfp4_matrix_cell(m, r, b, p, &y);
            if (!nvfp4_matrix_same(m, p, &x, p, &y))
                return 0;
        }
    return 1;
}

size_t nvfp4_matrix_span(const nvfp4_matrix *m, size_t column)
{
    size_t end = column + 1;
    while (end < m->column_count && columns_alike(m, column, end))
        end++;
    return end - column;
}

void nvfp4_matrix_out_span(struct out *out, const nvfp4_matrix *m, size_t column, size_t span)
{
    const nvfp4_device_key *first = &m->columns[column].device;
    const nvfp4_device_key *last = &m->columns[column + span - 1].device;
    nvfp4_matrix_out_device(out, first);
    if (span > 1 && first->vendor == NVFP4_VENDOR_NVIDIA) {
        out_char(out, '-');
        out_number(out, (uint64_t)last->sm);
    }
}

static void markdown_cell(const nvfp4_matrix *m, size_t row, size_t column, struct out *out)
{
    struct matrix_cell first, cell;
    int alike = 1;
    nvfp4_matrix_cell(m, row, column, 0, &first);
    for (size_t p = 1; p < m->policy_count; p++) {
        nvfp4_matrix_cell(m, row, column, p, &cell);
        alike &= nvfp4_matrix_same(m, 0, &first, p, &cell);
    }
    for (size_t p = 0; p < (alike ? 1 : m->policy_count); p++) {
        nvfp4_matrix_cell(m, row, column, p, &cell);
        out_text(out, p == 0 ? " " : " / ");
        out_markdown(out, cell_word(m, p, &cell));
        out_text(out, cell.downgraded ? "\\*" : "");
    }
    out_text(out, " |");
}

void nvfp4_matrix_markdown(const nvfp4_matrix *m, struct out *out)
{
    out_text(out, "| layer |");
    for (size_t c = 0; c < m->column_count; c += nvfp4_matrix_span(m, c)) {
        out_char(out, ' ');
        nvfp4_matrix_out_span(out, m, c, nvfp4_matrix_span(m, c));
        out_text(out, " |");
    }
    out_text(out, "\n|---|");
    for (size_t c = 0; c < m->column_count; c += nvfp4_matrix_span(m, c))
        out_text(out, "---|");
    out_char(out, '\n');
    for (size_t r = 0; r < m->row_count; r++) {
        out_text(out, "| ");
        out_markdown(out, m->rows[r].name);
        if (m->rows[r].detail[0] != '\0') {
            out_text(out, ", ");
            out_markdown(out, m->rows[r].detail);
        }
        if (m->rows[r].reason != NULL) {
            out_text(out, " (");
            out_markdown(out, m->rows[r].reason);
            out_char(out, ')');
        }
        out_text(out, " |");
        for (size_t c = 0; c < m->column_count; c += nvfp4_matrix_span(m, c))
            markdown_cell(m, r, c, out);
        out_char(out, '\n');
    }
    out_text(out, m->policy_count > 1 ? "\nPolicies: " : "\nPolicy: ");
    for (size_t p = 0; p < m->policy_count; p++) {
        out_text(out, p == 0 ? "" : " / ");
        out_markdown(out, nvfp4_matrix_policy_name(m, p));
    }
    out_text(out, ". \\* runs with 16-bit activations.\n");
}

/* ---- CSV, as RFC 4180 ---- */

static void out_csv(struct out *out, const char *text)
{
    if (text[strcspn(text, "\",\r\n")] == '\0') {
        out_text(out, text);
        return;
    }
    out_char(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"')
            out_char(out, '"');
        out_char(out, *text);
    }
    out_char(out, '"');
}

static void csv_line(const nvfp4_matrix *m, size_t row, size_t column, size_t policy,
                     const char *board, struct out *out)
{
    const nvfp4_device_key *device = &m->columns[column].device;
    struct matrix_cell cell;
    nvfp4_kernel_info info = { 0, 0, "", "", "" };
    nvfp4_matrix_cell(m, row, column, policy, &cell);
    if (cell.kind == CELL_CHOSEN)
        nvfp4_policy_kernel(m->policies[policy].policy, (size_t)cell.kernel, &info);
    out_csv(out, m->rows[row].name);
    out_char(out, ',');
    out_csv(out, m->rows[row].detail);
    out_char(out, ',');
    out_text(out, nvfp4_vendor_name((nvfp4_vendor)device->vendor));
    out_char(out, ',');
    if (device->vendor == NVFP4_VENDOR_NVIDIA)
        out_number(out, (uint64_t)device->sm);
    out_char(out, ',');
    out_csv(out, board);
    out_char(out, ',');
    out_csv(out, nvfp4_matrix_policy_name(m, policy));
    out_char(out, ',');
    out_text(out, status_word(&cell));
    out_char(out, ',');
    out_csv(out, info.backend_name);
    out_char(out, ',');
    out_csv(out, info.kernel_name);
    out_char(out, ',');
    out_text(out, cell.kind == CELL_CHOSEN ? nvfp4_scheme_name((nvfp4_scheme)cell.scheme) : "");
    out_text(out, "\r\n");
}

void nvfp4_matrix_csv(const nvfp4_matrix *m, struct out *out)
{
    out_text(out, "name,detail,vendor,sm,gpu,policy,status,backend,kernel,scheme\r\n");
    for (size_t r = 0; r < m->row_count; r++)
        for (size_t c = 0; c < m->column_count; c++)
            for (size_t p = 0; p < m->policy_count; p++) {
                const nvfp4_matrix_column *column = &m->columns[c];
                if (column->board_count == 0)
                    csv_line(m, r, c, p, "", out);
                for (size_t b = 0; b < column->board_count; b++)
                    csv_line(m, r, c, p, column->boards[b], out);
            }
}

/* ---- JSON ---- */

static void json_column(const nvfp4_matrix_column *column, struct out *out)
{
    out_text(out, "{\"vendor\":");
    nvfp4_out_json_string(out, nvfp4_vendor_name((nvfp4_vendor)column->device.vendor));
    out_text(out, ",\"sm\":");
    if (column->device.vendor == NVFP4_VENDOR_NVIDIA)
        out_number(out, (uint64_t)column->device.sm);
    else
        out_text(out, "null");
    out_text(out, ",\"gpus\":[");
    for (size_t b = 0; b < column->board_count; b++) {
        out_text(out, b == 0 ? "" : ",");
        nvfp4_out_json_string(out, column->boards[b]);
    }
    out_text(out, "]}");
}

static void json_cell(const nvfp4_matrix *m, size_t row, size_t column, size_t policy,
                      struct out *out)
{
    struct matrix_cell cell;
    nvfp4_kernel_info info;
    nvfp4_matrix_cell(m, row, column, policy, &cell);
    out_text(out, "{\"status\":\"");
    out_text(out, status_word(&cell));
    out_char(out, '"');
    if (cell.kind == CELL_CHOSEN &&
        nvfp4_policy_kernel(m->policies[policy].policy, (size_t)cell.kernel, &info) == NVFP4_OK) {
        out_text(out, ",\"backend\":");
        nvfp4_out_json_string(out, info.backend_name);
        out_text(out, ",\"kernel\":");
        nvfp4_out_json_string(out, info.kernel_name);
        out_text(out, ",\"scheme\":");
        nvfp4_out_json_string(out, nvfp4_scheme_name((nvfp4_scheme)cell.scheme));
    } else {
        out_text(out, ",\"backend\":null,\"kernel\":null,\"scheme\":null");
    }
    out_char(out, '}');
}

static void json_row(const nvfp4_matrix *m, size_t row, struct out *out)
{
    const nvfp4_matrix_row *r = &m->rows[row];
    out_text(out, "{\"name\":");
    nvfp4_out_json_string(out, r->name);
    out_text(out, ",\"detail\":");
    nvfp4_out_json_string(out, r->detail);
    out_text(out, ",\"reason\":");
    if (r->reason != NULL)
        nvfp4_out_json_string(out, r->reason);
    else
        out_text(out, "null");
    out_text(out, ",\"answers\":{");
    for (size_t p = 0; p < m->policy_count; p++) {
        out_text(out, p == 0 ? "" : ",");
        nvfp4_out_json_string(out, nvfp4_matrix_policy_name(m, p));
        out_text(out, ":[");
        for (size_t c = 0; c < m->column_count; c++) {
            out_text(out, c == 0 ? "" : ",");
            json_cell(m, row, c, p, out);
        }
        out_char(out, ']');
    }
    out_text(out, "}}");
}

void nvfp4_matrix_json(const nvfp4_matrix *m, struct out *out)
{
    out_text(out, "{\"policies\":[");
    for (size_t p = 0; p < m->policy_count; p++) {
        out_text(out, p == 0 ? "" : ",");
        nvfp4_out_json_string(out, nvfp4_matrix_policy_name(m, p));
    }
    out_text(out, "],\"columns\":[");
    for (size_t c = 0; c < m->column_count; c++) {
        out_text(out, c == 0 ? "" : ",");
        json_column(&m->columns[c], out);
    }
    out_text(out, "],\"rows\":[");
    for (size_t r = 0; r < m->row_count; r++) {
        out_text(out, r == 0 ? "" : ",");
        json_row(m, r, out);
    }
    out_text(out, "]}");
}
