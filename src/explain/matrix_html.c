/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matrix as one page. The table is plain HTML, readable without a script; the reasons of all
 * cells lie beside it as JSON in which equal texts, verdicts and answers stand once. Style and
 * script are files of their own (page/), built into the library.
 */
#include "explain/matrix.h"

#include <string.h>

#include "explain/matrix_intern.h"
#include "matrix_page.inc"

enum kind { STRINGS, VERDICTS, ANSWERS };

struct page {
    const nvfp4_matrix *m;
    struct out *out;
    struct intern *intern;
};

/* ---- escapes ---- */

static void out_html(struct out *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            out_text(out, "&amp;");
            break;
        case '<':
            out_text(out, "&lt;");
            break;
        case '>':
            out_text(out, "&gt;");
            break;
        case '"':
            out_text(out, "&quot;");
            break;
        default:
            out_char(out, (unsigned char)*text < 0x20 ? ' ' : *text);
        }
    }
}

/* JSON inside a script element: nothing in it may look like its end. */
static void out_script_json(struct out *out, const char *json)
{
    for (; *json != '\0'; json++)
        if (*json == '<')
            out_text(out, "\\u003c");
        else
            out_char(out, *json);
}

/* ---- what lies behind a cell ---- */

static uint32_t string(const struct page *p, const char *text)
{
    return nvfp4_intern_add(p->intern, STRINGS, text, strlen(text));
}

/* The rest of a fixed room that a text was made in; longer ones are cut. */
static uint32_t made(const struct page *p, struct out *made)
{
    return nvfp4_intern_add(p->intern, STRINGS, made->buffer,
                            out_end(made) < made->capacity ? made->length : made->capacity - 1);
}

/* [kernel, [[reason, text], ...]] */
static uint32_t verdict(const struct page *p, const nvfp4_moe_layer *layer,
                        const nvfp4_deployment *d, const nvfp4_policy *policy, size_t kernel)
{
    nvfp4_finding findings[FINDINGS_MAX];
    char text[2048], json[2048];
    struct out name = out_begin(text, sizeof text), out = out_begin(json, sizeof json);
    size_t count = 0;
    nvfp4_out_kernel(&name, policy, kernel);
    out_char(&out, '[');
    out_number(&out, made(p, &name));
    out_text(&out, ",[");
    nvfp4_list_findings(layer, d, policy, (int32_t)kernel, findings, FINDINGS_MAX, &count);
    for (size_t i = 0; i < count && i < FINDINGS_MAX; i++) {
        struct out sentence = out_begin(text, sizeof text);
        nvfp4_out_finding_short(&sentence, policy, &findings[i]);
        out_text(&out, i == 0 ? "[" : ",[");
        out_number(&out, string(p, nvfp4_reason_name((nvfp4_reason)findings[i].reason)));
        out_char(&out, ',');
        out_number(&out, made(p, &sentence));
        out_char(&out, ']');
    }
    out_text(&out, "]]");
    out_end(&out);
    return nvfp4_intern_add(p->intern, VERDICTS, json, strlen(json));
}

static void answer_warnings(const struct page *p, const nvfp4_moe_layer *layer,
                            const nvfp4_deployment *d, const nvfp4_verdicts *v, struct out *out)
{
    const char *between = "";
    for (int w = 0; w < NVFP4_WARNING_COUNT; w++) {
        char text[1024];
        struct out sentence = out_begin(text, sizeof text);
        if (!(v->warnings >> w & 1))
            continue;
        nvfp4_out_warning(&sentence, layer, d, v, (nvfp4_warning)w);
        out_text(out, between);
        out_number(out, made(p, &sentence));
        between = ",";
    }
}

static void answer_remedies(const struct page *p, const nvfp4_moe_layer *layer,
                            const nvfp4_deployment *d, const nvfp4_policy *policy, struct out *out)
{
    nvfp4_remedy remedies[NVFP4_REMEDIES_MAX];
    size_t count = 0;
    nvfp4_find_remedies(layer, d, policy, remedies, &count);
    for (size_t i = 0; i < count; i++) {
        char text[1024];
        struct out sentence = out_begin(text, sizeof text);
        nvfp4_out_remedy(&sentence, d, policy, &remedies[i]);
        out_text(out, i == 0 ? "" : ",");
        out_number(out, made(p, &sentence));
    }
}

/* [kernel, scheme, [limit, alpha, beta, space]] of what is chosen; null else. */
static void answer_choice(const struct page *p, const nvfp4_moe_layer *layer,
                          const nvfp4_deployment *d, const nvfp4_policy *policy,
                          const nvfp4_verdicts *v, struct out *out)
{
    char text[256];
    struct out name = out_begin(text, sizeof text);
    nvfp4_forward f;
    if (v->status != NVFP4_OK ||
        nvfp4_forward_to(layer, d, policy, v->selection.kernel, &f) != NVFP4_OK) {
        out_text(out, v->status == NVFP4_EREFUSED ? "\"refused\"" : "null");
        return;
    }
    nvfp4_out_kernel(&name, policy, (size_t)v->selection.kernel);
    out_char(out, '[');
    out_number(out, made(p, &name));
    out_char(out, ',');
    nvfp4_out_json_string(out, nvfp4_scheme_name((nvfp4_scheme)v->selection.scheme));
    out_text(out, ",[");
    if (f.has_limit)
        nvfp4_out_real(out, f.limit);
    else
        out_text(out, "null");
    out_char(out, ',');
    nvfp4_out_real(out, f.alpha);
    out_char(out, ',');
    nvfp4_out_real(out, f.beta);
    out_char(out, ',');
    nvfp4_out_json_string(out, nvfp4_limit_space_name((nvfp4_limit_space)f.limit_space));
    out_text(out, "]]");
}

/* [choice, eligible, [warnings], [remedies], [verdicts]], numbers of strings and verdicts. */
static uint32_t answer(const struct page *p, size_t row, size_t column, size_t policy)
{
    const nvfp4_matrix_policy *mp = &p->m->policies[policy];
    const nvfp4_moe_layer *layer = &p->m->rows[row].layer;
    const nvfp4_deployment d = nvfp4_matrix_deployment(mp, &p->m->columns[column].device);
    nvfp4_verdicts v = NVFP4_VERDICTS_INIT;
    char json[2048], text[1024];
    struct out out = out_begin(json, sizeof json), names = out_begin(text, sizeof text);
    if (nvfp4_judge(layer, &d, mp->policy, &v) != NVFP4_OK)
        return 0;
    out_char(&out, '[');
    answer_choice(p, layer, &d, mp->policy, &v, &out);
    nvfp4_out_backends(&names, mp->policy, v.eligible, ", ", 0);
    out_char(&out, ',');
    out_number(&out, made(p, &names));
    out_text(&out, ",[");
    answer_warnings(p, layer, &d, &v, &out);
    out_text(&out, "],[");
    answer_remedies(p, layer, &d, mp->policy, &out);
    out_text(&out, "],[");
    for (int32_t k = 0, told = 0; k < v.kernel_count; k++)
        if (v.reasons[k] != 0) {
            out_text(&out, told++ == 0 ? "" : ",");
            out_number(&out, verdict(p, layer, &d, mp->policy, (size_t)k));
        }
    out_text(&out, "]]");
    out_end(&out);
    return nvfp4_intern_add(p->intern, ANSWERS, json, strlen(json));
}

/* ---- the table ---- */

/* A class for colour and pattern: built-in backends have their own, others share some. */
static void out_class(struct out *out, const struct matrix_cell *cell)
{
    if (cell->kind != CELL_CHOSEN) {
        out_text(out, cell->kind == CELL_UNASKED ? "b-unasked" : "b-none");
        return;
    }
    out_char(out, 'b');
    out_number(out, cell->backend < NVFP4_BACKEND_COUNT ? (uint64_t)cell->backend
                                                        : 90 + (uint64_t)cell->backend % 4);
}

static void cell_mark(const nvfp4_matrix *m, size_t policy, const struct matrix_cell *cell,
                      struct matrix_mark *mark)
{
    *mark = cell->kind == CELL_REFUSED ? (struct matrix_mark){ "refd", "refused", "refused", "" }
                                       : (struct matrix_mark){ "none", "none", "no backend", "" };
    if (cell->kind == CELL_CHOSEN)
        nvfp4_matrix_mark(m->policies[policy].policy, cell->backend, mark);
}

static void write_button(const struct page *p, size_t row, size_t column, size_t policy)
{
    const nvfp4_matrix *m = p->m;
    struct out *out = p->out;
    struct matrix_cell cell, first;
    struct matrix_mark mark;
    nvfp4_matrix_cell(m, row, column, policy, &cell);
    nvfp4_matrix_cell(m, row, column, 0, &first);
    cell_mark(m, policy, &cell, &mark);
    out_text(out, "<button class=\"");
    out_class(out, &cell);
    out_text(out, nvfp4_matrix_same(m, 0, &first, policy, &cell) ? "\"" : " differs\"");
    out_text(out, " data-a=");
    out_number(out, answer(p, row, column, policy));
    out_text(out, " aria-label=\"");
    out_html(out, mark.name);
    if (cell.downgraded)
        out_text(out, ", 16-bit activations");
    if (m->policy_count > 1) {
        out_text(out, ", ");
        out_html(out, nvfp4_matrix_policy_name(m, policy));
    }
    out_text(out, "\">");
    out_html(out, mark.label);
    out_text(out, cell.downgraded ? "*</button>" : "</button>");
}

static void write_row(const struct page *p, size_t row)
{
    const nvfp4_matrix *m = p->m;
    const nvfp4_matrix_row *r = &m->rows[row];
    struct out *out = p->out;
    out_text(out, "<tr><th scope=row><span class=name>");
    out_html(out, r->name);
    out_text(out, "</span>");
    if (r->detail[0] != '\0') {
        out_text(out, "<small>");
        out_html(out, r->detail);
        out_text(out, "</small>");
    }
    out_text(out, "</th>");
    if (r->reason != NULL) {
        out_text(out, "<td class=unasked colspan=");
        out_number(out, m->column_count);
        out_char(out, '>');
        out_html(out, r->reason);
        out_text(out, "</td></tr>\n");
        return;
    }
    for (size_t c = 0; c < m->column_count; c++) {
        out_text(out, "<td>");
        for (size_t k = 0; k < m->policy_count; k++)
            write_button(p, row, c, k);
        out_text(out, "</td>");
    }
    out_text(out, "</tr>\n");
}

static void write_table(const struct page *p)
{
    const nvfp4_matrix *m = p->m;
    struct out *out = p->out;
    out_text(out, "<table id=matrix>\n<caption class=unseen>Chosen backend by layer and "
                  "device</caption>\n<thead><tr><th scope=col class=corner>layer</th>");
    for (size_t c = 0; c < m->column_count; c++) {
        char text[64];
        struct out name = out_begin(text, sizeof text);
        nvfp4_matrix_out_device(&name, &m->columns[c].device);
        out_end(&name);
        out_text(out, "<th scope=col><button class=device data-c=");
        out_number(out, c);
        out_char(out, '>');
        out_html(out, text);
        if (m->columns[c].board_count != 0) {
            out_text(out, "<small>");
            out_number(out, m->columns[c].board_count);
            out_text(out, m->columns[c].board_count == 1 ? " board</small>" : " boards</small>");
        }
        out_text(out, "</button></th>");
    }
    out_text(out, "</tr></thead>\n<tbody>\n");
    for (size_t r = 0; r < m->row_count; r++)
        write_row(p, r);
    out_text(out, "</tbody>\n</table>\n");
}

/* Each kind of cell that is there, as a switch. */
static void write_legend(const struct page *p)
{
    const nvfp4_matrix *m = p->m;
    uint64_t told = 0; /* bit 0: no backend */
    struct out *out = p->out;
    out_text(out, "<ul id=legend aria-label=\"Backends: press to show only these\">");
    for (size_t r = 0; r < m->row_count; r++)
        for (size_t c = 0; c < m->column_count; c++)
            for (size_t k = 0; k < m->policy_count; k++) {
                struct matrix_cell cell;
                struct matrix_mark mark;
                nvfp4_matrix_cell(m, r, c, k, &cell);
                const int bit = cell.kind == CELL_CHOSEN ? cell.backend : 0;
                if (cell.kind == CELL_UNASKED || (told >> bit & 1))
                    continue;
                told |= (uint64_t)1 << bit;
                cell_mark(m, k, &cell, &mark);
                out_text(out, "<li><button type=button aria-pressed=false data-b=\"");
                out_class(out, &cell);
                out_text(out, "\"><span class=\"swatch ");
                out_class(out, &cell);
                out_text(out, "\">");
                out_html(out, mark.label);
                out_text(out, "</span> ");
                out_html(out, mark.name);
                out_text(out, "</button></li>");
            }
    if (m->policy_count > 1)
        out_text(out,
                 "<li><button type=button aria-pressed=false data-b=differs><span class=\"swatch "
                 "differs\">!</span> only differences</button></li>");
    out_text(out, "</ul>\n");
}

/* ---- the data ---- */

static void write_interned(const struct page *p, enum kind kind)
{
    out_char(p->out, '[');
    for (const struct intern_text *t = p->intern->first[kind]; t != NULL; t = t->next) {
        out_text(p->out, t->number == 0 ? "" : ",");
        if (kind != STRINGS) {
            out_script_json(p->out, t->text);
            continue;
        }
        char json[8192];
        struct out quoted = out_begin(json, sizeof json);
        nvfp4_out_json_string(&quoted, t->text);
        out_end(&quoted);
        out_script_json(p->out, json);
    }
    out_char(p->out, ']');
}

static void write_data(const struct page *p)
{
    const nvfp4_matrix *m = p->m;
    struct out *out = p->out;
    out_text(out, "<script type=\"application/json\" id=data>{\"strings\":");
    write_interned(p, STRINGS);
    out_text(out, ",\n\"verdicts\":");
    write_interned(p, VERDICTS);
    out_text(out, ",\n\"answers\":");
    write_interned(p, ANSWERS);
    out_text(out, ",\n\"policies\":[");
    for (size_t k = 0; k < m->policy_count; k++) {
        char json[512];
        struct out quoted = out_begin(json, sizeof json);
        nvfp4_out_json_string(&quoted, nvfp4_matrix_policy_name(m, k));
        out_end(&quoted);
        out_text(out, k == 0 ? "" : ",");
        out_script_json(out, json);
    }
    out_text(out, "],\n\"boards\":[");
    for (size_t c = 0; c < m->column_count; c++) {
        out_text(out, c == 0 ? "[" : ",[");
        for (size_t b = 0; b < m->columns[c].board_count; b++) {
            char json[1024];
            struct out quoted = out_begin(json, sizeof json);
            nvfp4_out_json_string(&quoted, m->columns[c].boards[b]);
            out_end(&quoted);
            out_text(out, b == 0 ? "" : ",");
            out_script_json(out, json);
        }
        out_char(out, ']');
    }
    out_text(out, "]}</script>\n");
}

static void write_lines(struct out *out, const char *const *lines)
{
    for (; *lines != NULL; lines++)
        out_text(out, *lines);
}

static void write_head(const struct page *p)
{
    const nvfp4_matrix *m = p->m;
    struct out *out = p->out;
    out_text(out, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                  "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=color-scheme content=\"light dark\">\n"
                  "<link rel=icon href=\"data:,\">\n<title>");
    out_html(out, m->title != NULL ? m->title : "Which kernel runs it");
    out_text(out, "</title>\n<style>\n");
    write_lines(out, matrix_css);
    out_text(out, "</style>\n</head>\n<body>\n<header>\n<h1>");
    out_html(out, m->title != NULL ? m->title : "Which kernel runs it");
    out_text(out, "</h1>\n<p>Rules of ");
    for (size_t k = 0; k < m->policy_count; k++) {
        out_text(out, k == 0 ? "<b>" : k + 1 == m->policy_count ? " and <b>" : ", <b>");
        out_html(out, nvfp4_matrix_policy_name(m, k));
        out_text(out, "</b>");
    }
    out_text(out, m->policy_count > 1 ? ", one below the other; framed cells differ." : ".");
    out_text(out, " Press a cell for its reasons. * runs with 16-bit activations.</p>\n");
    write_lines(out, matrix_controls);
    write_legend(p);
    out_text(out, "</header>\n<main>\n<div class=scroll role=region aria-label=\"Matrix\" "
                  "tabindex=-1>\n");
}

nvfp4_status nvfp4_matrix_html(const nvfp4_matrix *m, void *memory, size_t size, struct out *out)
{
    struct intern *intern = memory;
    const struct page p = { m, out, intern };
    if (size < sizeof *intern)
        return NVFP4_ENOMEM;
    nvfp4_intern_begin(intern, (char *)(intern + 1), size - sizeof *intern);
    write_head(&p);
    write_table(&p);
    out_text(out, "</div>\n<p id=empty hidden>Nothing matches.</p>\n</main>\n");
    write_lines(out, matrix_dialog);
    write_data(&p);
    out_text(out, "<script>\n");
    write_lines(out, matrix_js);
    out_text(out, "</script>\n</body>\n</html>\n");
    return intern->full ? NVFP4_ENOMEM : NVFP4_OK;
}
