/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/matrix.h"

#include <string.h>

enum { WIDTH = 100, LABEL_FAIR = 46, LABEL_LEAST = 12, CODE = 5 };

#define BOLD  "\033[1m"
#define DIM   "\033[2m"
#define RED   "\033[31m"
#define PLAIN "\033[0m"

/* A table that is being written. */
struct sheet {
    const nvfp4_matrix *m;
    struct out *out;
    size_t label;  /* width of the first column */
    size_t policy; /* of the second, where there are several policies; else 0 */
    size_t cell;   /* of the others */
    int codes;     /* cells hold codes, not names */
    size_t blanks; /* owed before the next text of the line; none are written at its end */
};

/* Columns that a text takes on a terminal: bytes that begin a character. */
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += (*text & 0xc0) != 0x80;
    return n;
}

static void pay_blanks(struct sheet *s)
{
    for (; s->blanks != 0; s->blanks--)
        out_char(s->out, ' ');
}

static void end_line(struct sheet *s)
{
    s->blanks = 0;
    out_char(s->out, '\n');
}

static void paint(const struct sheet *s, const char *code)
{
    if (s->m->color)
        out_text(s->out, code);
}

/* A text in a column of that width: cut with two dots, or filled with blanks. */
static void out_fitted(struct sheet *s, const char *text, size_t width)
{
    const size_t all = width_of(text), shown = all > width ? width - 2 : all;
    size_t n = 0;
    if (*text != '\0')
        pay_blanks(s);
    for (const char *p = text; *p != '\0'; p++) {
        n += (*p & 0xc0) != 0x80;
        if (n > shown)
            break;
        out_char(s->out, (unsigned char)*p < 0x20 || *p == 0x7f ? '?' : *p);
    }
    out_text(s->out, all > width ? ".." : "");
    s->blanks += all > width ? 0 : width - all;
}

/* ---- measures ---- */

static void row_label(const nvfp4_matrix_row *row, char *text, size_t room)
{
    struct out label = out_begin(text, room);
    out_text(&label, row->name);
    out_text(&label, row->detail[0] != '\0' ? ", " : "");
    out_text(&label, row->detail);
    out_end(&label);
}

static size_t label_width(const nvfp4_matrix *m)
{
    size_t most = LABEL_LEAST;
    for (size_t r = 0; r < m->row_count; r++) {
        char text[256];
        row_label(&m->rows[r], text, sizeof text);
        if (width_of(text) > most)
            most = width_of(text);
    }
    return most;
}

static size_t span_count(const nvfp4_matrix *m)
{
    size_t n = 0;
    for (size_t c = 0; c < m->column_count; c += nvfp4_matrix_span(m, c))
        n++;
    return n;
}

/* The longest name that a cell would hold, with its mark. */
static size_t name_width(const nvfp4_matrix *m)
{
    size_t most = strlen("no backend") + 1;
    for (size_t r = 0; r < m->row_count; r++)
        for (size_t c = 0; c < m->column_count; c++)
            for (size_t p = 0; p < m->policy_count; p++) {
                struct matrix_cell cell;
                struct matrix_mark mark;
                nvfp4_matrix_cell(m, r, c, p, &cell);
                if (cell.kind != CELL_CHOSEN)
                    continue;
                nvfp4_matrix_mark(m->policies[p].policy, cell.backend, &mark);
                const size_t width = width_of(mark.name) + 1;
                most = width > most ? width : most;
            }
    return most;
}

static void measure(struct sheet *s)
{
    const nvfp4_matrix *m = s->m;
    const size_t spans = span_count(m), name = name_width(m);
    s->label = label_width(m);
    s->policy = 0;
    for (size_t p = 0; p < m->policy_count && m->policy_count > 1; p++)
        if (width_of(nvfp4_matrix_policy_name(m, p)) + 1 > s->policy)
            s->policy = width_of(nvfp4_matrix_policy_name(m, p)) + 1;
    s->codes = s->label + 1 + s->policy + spans * (name + 1) > WIDTH + 1;
    s->cell = s->codes ? CODE + 1 : name + 1;
    for (size_t c = 0; c < m->column_count; c += nvfp4_matrix_span(m, c)) {
        char text[64];
        struct out heading = out_begin(text, sizeof text);
        nvfp4_matrix_out_span(&heading, m, c, nvfp4_matrix_span(m, c));
        const size_t width = out_end(&heading) + 1 - (s->codes && text[0] == 'S' ? 3 : 0);
        s->cell = width > s->cell ? width : s->cell;
    }
    /* Labels get what the cells leave, and where that is little, so much that they can be read. */
    const size_t taken = 1 + s->policy + spans * s->cell;
    const size_t most = taken + LABEL_FAIR < WIDTH ? WIDTH + 1 - taken : LABEL_FAIR;
    s->label = s->label > most ? most : s->label;
}

/* ---- lines ---- */

static void out_cell(struct sheet *s, size_t row, size_t column, size_t policy)
{
    const nvfp4_matrix *m = s->m;
    struct matrix_cell cell, first;
    struct matrix_mark mark = { "none", "", "no backend", RED };
    char text[160];
    struct out part = out_begin(text, sizeof text);
    nvfp4_matrix_cell(m, row, column, policy, &cell);
    nvfp4_matrix_cell(m, row, column, 0, &first);
    if (cell.kind == CELL_CHOSEN)
        nvfp4_matrix_mark(m->policies[policy].policy, cell.backend, &mark);
    else if (cell.kind == CELL_REFUSED)
        mark = (struct matrix_mark){ "refd", "", "refused", RED };
    else if (cell.kind == CELL_UNASKED)
        mark = (struct matrix_mark){ "-", "", "-", DIM };
    out_text(&part, s->codes ? mark.code : mark.name);
    out_text(&part, cell.downgraded ? "*" : "");
    out_text(&part, nvfp4_matrix_same(m, 0, &first, policy, &cell) ? "" : "!");
    out_end(&part);
    pay_blanks(s);
    paint(s, mark.paint);
    out_fitted(s, text, s->cell - 1);
    paint(s, PLAIN);
    s->blanks++;
}

static void out_heading(struct sheet *s, size_t from, size_t to)
{
    paint(s, BOLD);
    s->blanks = s->label + 1 + s->policy;
    for (size_t c = from; c < to; c += nvfp4_matrix_span(s->m, c)) {
        char text[64];
        struct out heading = out_begin(text, sizeof text);
        nvfp4_matrix_out_span(&heading, s->m, c, nvfp4_matrix_span(s->m, c));
        out_end(&heading);
        out_fitted(s, text + (s->codes && text[0] == 'S' ? 3 : 0), s->cell - 1);
        s->blanks++;
    }
    paint(s, PLAIN);
    end_line(s);
}

static void out_row(struct sheet *s, size_t row, size_t from, size_t to)
{
    const nvfp4_matrix *m = s->m;
    char text[256];
    row_label(&m->rows[row], text, sizeof text);
    for (size_t p = 0; p < m->policy_count; p++) {
        out_fitted(s, p == 0 ? text : "", s->label);
        s->blanks++;
        if (m->rows[row].reason != NULL) {
            pay_blanks(s);
            paint(s, DIM);
            out_text(s->out, m->rows[row].reason);
            paint(s, PLAIN);
            end_line(s);
            return;
        }
        if (s->policy != 0)
            out_fitted(s, nvfp4_matrix_policy_name(m, p), s->policy);
        for (size_t c = from; c < to; c += nvfp4_matrix_span(m, c))
            out_cell(s, row, c, p);
        end_line(s);
    }
}

/* ---- the legend ---- */

/* What is in the table at all. */
struct seen {
    int none, refused, downgraded, differs;
};

static void out_legend_name(struct sheet *s, const struct matrix_mark *mark, size_t *column)
{
    const size_t width = strlen(mark->code) + width_of(mark->name) + 4;
    if (*column != 0 && *column + width > WIDTH) {
        end_line(s);
        *column = 0;
    }
    pay_blanks(s);
    paint(s, mark->paint);
    out_text(s->out, mark->code);
    paint(s, PLAIN);
    out_char(s->out, ' ');
    out_text(s->out, mark->name);
    s->blanks = 3;
    *column += width;
}

/* Each backend of the table once, in the order in which they come. */
static void look(struct sheet *s, struct seen *seen)
{
    const nvfp4_matrix *m = s->m;
    nvfp4_backend_set told = 0;
    size_t column = 0;
    for (size_t r = 0; r < m->row_count; r++)
        for (size_t c = 0; c < m->column_count; c++)
            for (size_t p = 0; p < m->policy_count; p++) {
                struct matrix_cell cell, first;
                struct matrix_mark mark;
                nvfp4_matrix_cell(m, r, c, p, &cell);
                nvfp4_matrix_cell(m, r, c, 0, &first);
                seen->none |= cell.kind == CELL_NONE;
                seen->refused |= cell.kind == CELL_REFUSED;
                seen->downgraded |= cell.downgraded;
                seen->differs |= !nvfp4_matrix_same(m, 0, &first, p, &cell);
                if (!s->codes || cell.kind != CELL_CHOSEN || (told >> cell.backend & 1))
                    continue;
                told |= NVFP4_BACKEND_BIT(cell.backend);
                nvfp4_matrix_mark(m->policies[p].policy, cell.backend, &mark);
                out_legend_name(s, &mark, &column);
            }
    if (column != 0)
        end_line(s);
}

static void out_legend(struct sheet *s)
{
    struct seen seen = { 0, 0, 0, 0 };
    end_line(s);
    look(s, &seen);
    if (seen.none && s->codes)
        out_text(s->out, "none no backend fits\n");
    if (seen.refused && s->codes)
        out_text(s->out, "refd refused: the backend asked for does not fit\n");
    if (seen.downgraded)
        out_text(s->out, "* runs with 16-bit activations\n");
    if (seen.differs) {
        out_text(s->out, "! not what ");
        out_text(s->out, nvfp4_matrix_policy_name(s->m, 0));
        out_text(s->out, " chooses\n");
    }
}

static void out_boards(struct sheet *s)
{
    for (size_t c = 0; c < s->m->column_count; c++) {
        const nvfp4_matrix_column *column = &s->m->columns[c];
        size_t at = 0;
        if (column->board_count == 0)
            continue;
        nvfp4_matrix_out_device(s->out, &column->device);
        out_text(s->out, ": ");
        at = 8;
        for (size_t b = 0; b < column->board_count; b++) {
            const size_t width = width_of(column->boards[b]) + 2;
            if (at + width > WIDTH) {
                out_text(s->out, "\n        ");
                at = 8;
            }
            out_fitted(s, column->boards[b], width - 2);
            out_text(s->out, b + 1 < column->board_count ? ", " : "");
            at += width;
        }
        end_line(s);
    }
}

void nvfp4_matrix_text(const nvfp4_matrix *m, struct out *out)
{
    struct sheet s = { m, out, 0, 0, 0, 0, 0 };
    measure(&s);
    if (m->title != NULL) {
        out_text(out, m->title);
        out_text(out, "\n\n");
    }
    /* As many columns as fit, then the next ones below. */
    for (size_t from = 0; from < m->column_count;) {
        size_t to = from, width = s.label + 1 + s.policy;
        while (to < m->column_count && (to == from || width + s.cell <= WIDTH + 1)) {
            width += s.cell;
            to += nvfp4_matrix_span(m, to);
        }
        if (from != 0)
            out_char(out, '\n');
        out_heading(&s, from, to);
        for (size_t r = 0; r < m->row_count; r++)
            out_row(&s, r, from, to);
        from = to;
    }
    out_legend(&s);
    if (m->boards)
        out_boards(&s);
}
