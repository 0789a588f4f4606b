/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/document.h"

/*
 * A text and what it reads as: either the tree in one line (see print()), or the status and place of
 * the refusal with a piece of its message.
 */
struct row {
    const char *name;
    nvfp4_syntax syntax;
    const char *text;
    size_t length; /* 0: strlen(text) */
    const char *tree;
    nvfp4_status status;
    int line, column;
    const char *message;
};

#define J NVFP4_SYNTAX_JSON
#define Y NVFP4_SYNTAX_YAML
#define A NVFP4_SYNTAX_AUTO
#define TREE(name, syntax, text, tree) { name, syntax, text, 0, tree, NVFP4_OK, 0, 0, NULL }
#define BYTES(name, syntax, text, tree)                                                            \
    { name, syntax, text, sizeof(text) - 1, tree, NVFP4_OK, 0, 0, NULL }
#define FAIL(name, syntax, text, status, line, column, message)                                    \
    { name, syntax, text, sizeof(text) - 1, NULL, NVFP4_##status, line, column, message }

static const struct row rows[] = {
    /* JSON that is read */
    TREE("scalars", J, "[null, true, false, 1, -2, 2.5, \"a\"]", "[~,T,F,1,-2,r2.5,'a']"),
    TREE("empty list and object", J, "[{}, []]", "[{},[]]"),
    TREE("object", J, "{\"a\": 1, \"b\": {\"c\": [2]}}", "{a:1,b:{c:[2]}}"),
    TREE("scalar at the top", J, " \"x\" ", "'x'"),
    TREE("escapes", J, "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u20ac\"", "'\"\\/\b\f\n\r\tA\xE2\x82\xAC'"),
    TREE("surrogate pair", J, "\"\\ud83d\\uDE00\"", "'\xF0\x9F\x98\x80'"),
    TREE("surrogate pair in a key", J, "{\"\\ud83d\\ude00\":1}", "{\xF0\x9F\x98\x80:1}"),
    BYTES("escaped NUL", J, "\"a\\u0000b\"", "'a\\0b'"),
    TREE("raw line separators", J, "\"a\xE2\x80\xA8" "b\xC2\x85" "c\x7F\"",
         "'a\xE2\x80\xA8" "b\xC2\x85" "c\x7F'"),
    TREE("byte order mark", J, "\xEF\xBB\xBF{\"a\":1}", "{a:1}"),
    TREE("CRLF", J, "{\r\n\"a\":\r\n1\r\n}\r\n", "{a:1}"),
    TREE("tab in front", J, "\t{\"a\"\n:\t1}", "{a:1}"),
    TREE("NaN and infinities", J, "[NaN, Infinity, -Infinity]", "[rnan,rinf,r-inf]"),
    TREE("overflowing real", J, "[1e999, -1e999]", "[rinf,r-inf]"),
    TREE("largest integer", J, "[9223372036854775807]", "[9223372036854775807]"),
    TREE("beyond the largest", J, "[9223372036854775808]", "[b9.22337e+18]"),
    TREE("minus zero", J, "[-0, -0.0]", "[0,r-0]"),
    TREE("duplicate: the last counts", J, "{\"a\":1,\"b\":2,\"a\":3}", "{a:1<,b:2,a:3>}"),
    TREE("YAML words are not JSON's", J, "[\"yes\", \"~\"]", "['yes','~']"),
    /* JSON that is refused */
    FAIL("empty", J, "", ESYNTAX, 1, 1, "empty"),
    FAIL("blank", J, " \n ", ESYNTAX, 2, 2, "empty"),
    FAIL("truncated", J, "{\"a\": [1,\n 2", ESYNTAX, 2, 3, "ends where ',' or ']'"),
    FAIL("truncated string", J, "[\"abc", ESYNTAX, 1, 2, "inside the string"),
    FAIL("truncated escape", J, "[\"abc\\", ESYNTAX, 1, 7, "ends where"),
    FAIL("truncated \\u", J, "[\"\\u12", ESYNTAX, 1, 5, "hexadecimal"),
    FAIL("garbage behind", J, "{}\n{}", ESYNTAX, 2, 1, "end of the text"),
    FAIL("comma behind the last", J, "[1,]", ESYNTAX, 1, 4, "a value"),
    FAIL("comma behind the last pair", J, "{\"a\":1,}", ESYNTAX, 1, 8, "a key"),
    FAIL("two commas", J, "[1,,2]", ESYNTAX, 1, 4, "a value"),
    FAIL("missing comma", J, "[1 2]", ESYNTAX, 1, 4, "',' or ']'"),
    FAIL("missing colon", J, "{\"a\" 1}", ESYNTAX, 1, 6, "':'"),
    FAIL("wrong bracket", J, "[1}", ESYNTAX, 1, 3, "',' or ']'"),
    FAIL("bare key", J, "{a: 1}", ESYNTAX, 1, 2, "double quotes"),
    FAIL("bare word", J, "[abc]", ESYNTAX, 1, 2, "a value"),
    FAIL("single quotes", J, "['a']", ESYNTAX, 1, 2, "a value"),
    FAIL("comment", J, "[1] # one", ESYNTAX, 1, 5, "end of the text"),
    FAIL("leading zero", J, "[012]", ESYNTAX, 1, 3, "',' or ']'"),
    FAIL("leading plus", J, "[+1]", ESYNTAX, 1, 2, "a value"),
    FAIL("no digit behind the point", J, "[1.]", ESYNTAX, 1, 4, "a digit"),
    FAIL("no exponent", J, "[1e+]", ESYNTAX, 1, 5, "a digit"),
    FAIL("minus alone", J, "[-]", ESYNTAX, 1, 3, "a digit"),
    FAIL("misspelt literal", J, "[nul]", ESYNTAX, 1, 2, "a value"),
    FAIL("unknown escape", J, "[\"\\x41\"]", ESYNTAX, 1, 4, "backslash"),
    FAIL("raw newline in a string", J, "[\"a\nb\"]", ESYNTAX, 1, 4, "control character"),
    FAIL("lone high surrogate", J, "[\"\\ud83dx\"]", ESYNTAX, 1, 3, "half of a surrogate"),
    FAIL("lone low surrogate", J, "[\"\\ude00\"]", ESYNTAX, 1, 3, "half of a surrogate"),
    FAIL("two high surrogates", J, "[\"\\ud83d\\ud83d\"]", ESYNTAX, 1, 3, "half of a surrogate"),
    FAIL("invalid UTF-8", J, "{\"a\":\n \"\xFF\"}", ESYNTAX, 2, 3, "0xff is not UTF-8"),
    FAIL("raw NUL", J, "[\"a\0b\"]", ESYNTAX, 1, 4, "NUL"),
    FAIL("NUL behind", J, "[]\0", ESYNTAX, 1, 3, "NUL"),
    FAIL("UTF-16", J, "\xFF\xFE{\0}\0", ESYNTAX, 1, 1, "0xff"),
    /* YAML that is read */
    TREE("block mapping", Y, "a: 1\nb:\n  - x\n  - 2.5\nc: {d: [e]}\n", "{a:1,b:['x',r2.5],c:{d:['e']}}"),
    TREE("null in its spellings", Y, "[~, null, Null, NULL, ]\n", "[~,~,~,~]"),
    TREE("null by absence", Y, "a:\nb: ''\n", "{a:~,b:''}"),
    TREE("booleans of YAML 1.2 only", Y, "[true, FALSE, yes, off]", "[T,F,'yes','off']"),
    TREE("integers", Y, "[0, +7, 0o17, 0x1F, 010]", "[0,7,15,31,10]"),
    TREE("reals", Y, "[1., .5, 1e3, -.inf, .nan, 1_000]", "[r1,r0.5,r1000,r-inf,rnan,'1_000']"),
    TREE("quoted is a string", Y, "['1', \"true\", 'null']", "['1','true','null']"),
    TREE("version is a string", Y, "flashinfer: 0.6.18", "{flashinfer:'0.6.18'}"),
    TREE("comment and document start", Y, "# hello\n---\na: 1 # one\n...\n", "{a:1}"),
    TREE("byte order mark in YAML", Y, "\xEF\xBB\xBF" "a: 1", "{a:1}"),
    TREE("literal block", Y, "a: |\n  1\n", "{a:'1\n'}"),
    TREE("beyond 64 bits in YAML", Y, "[99999999999999999999]", "[b1e+20]"),
    /* YAML that is refused */
    FAIL("anchor", Y, "a: &x 1", ESCHEMA, 1, 4, "anchors"),
    FAIL("anchor on a list", Y, "a: &x [1]", ESCHEMA, 1, 4, "anchors"),
    FAIL("alias", Y, "a: *x", ESCHEMA, 1, 4, "aliases"),
    FAIL("tag", Y, "a: !!str 1", ESCHEMA, 1, 4, "tags"),
    FAIL("tag on a mapping", Y, "a: !x {}", ESCHEMA, 1, 4, "tags"),
    FAIL("second document", Y, "a: 1\n---\nb: 2\n", ESCHEMA, 2, 1, "second document"),
    FAIL("duplicate key", Y, "a: 1\nb: 2\na: 3\n", ESCHEMA, 3, 1, "'a' stands twice, first in line 1"),
    FAIL("list as key", Y, "? [a]\n: 1\n", ESCHEMA, 1, 3, "cannot be a key"),
    FAIL("no key", Y, "?\n: 1\n", ESYNTAX, 1, 2, "expected a key"),
    FAIL("comments alone", Y, "# nothing\n", ESYNTAX, 1, 1, "empty"),
    FAIL("bad indentation", Y, "a: 1\n b: 2\n", ESYNTAX, 2, 3, "mapping values"),
    FAIL("open bracket", Y, "a: [1\n", ESYNTAX, 2, 1, ""),
    FAIL("column in bytes", Y, "\xC3\xA4\xC3\xA4: &x 1", ESCHEMA, 1, 7, "anchors"),
    FAIL("control character", Y, "a: \x01", ESYNTAX, 1, 4, "control"),
    FAIL("place behind LS is in the same line", Y, "[\"\xE2\x80\xA8\", *x]", ESCHEMA, 1, 9, "aliases"),
    /* Which syntax */
    TREE("JSON by its look", A, " {\"a\": \"\\ud83d\\ude00\"}", "{a:'\xF0\x9F\x98\x80'}"),
    TREE("YAML by its look", A, "{a: 1}", "{a:1}"),
    TREE("a word is YAML", A, "abc", "'abc'"),
};

static char *print(const nvfp4_node *n, char *out)
{
    if (n->key != NULL)
        out += sprintf(out, "%s:", n->key);
    switch (n->kind) {
    case NVFP4_NODE_NULL:
        out += sprintf(out, "~");
        break;
    case NVFP4_NODE_BOOL:
        out += sprintf(out, n->integer ? "T" : "F");
        break;
    case NVFP4_NODE_INT:
        out += sprintf(out, "%lld", (long long)n->integer);
        break;
    case NVFP4_NODE_BIG:
        out += sprintf(out, "b%g", n->real);
        break;
    case NVFP4_NODE_REAL:
        out += isnan(n->real) ? sprintf(out, "rnan") : sprintf(out, "r%g", n->real);
        break;
    case NVFP4_NODE_STRING:
        *out++ = '\'';
        for (uint32_t i = 0; i < n->length; i++)
            out += n->text[i] != '\0' ? sprintf(out, "%c", n->text[i]) : sprintf(out, "\\0");
        *out++ = '\'';
        break;
    default:
        *out++ = n->kind == NVFP4_NODE_MAPPING ? '{' : '[';
        for (const nvfp4_node *c = n->first; c != NULL; c = c->next) {
            out = print(c, out);
            if (c->next != NULL)
                *out++ = ',';
        }
        *out++ = n->kind == NVFP4_NODE_MAPPING ? '}' : ']';
        break;
    }
    if (n->shadowed)
        *out++ = '<';
    if (n->repeated)
        *out++ = '>';
    *out = '\0';
    return out;
}

static void reads(void **state)
{
    const struct row *const row = *state;
    const nvfp4_document_options options = { .syntax = row->syntax, .file = "dir/name" };
    const size_t length = row->length > 0 ? row->length : strlen(row->text);
    nvfp4_document *document = NULL;
    nvfp4_error error = { 0 };
    const nvfp4_status status =
        nvfp4_document_parse(row->text, length, &options, &document, &error);
    if (status != row->status)
        print_message("%s: %d:%d: %s\n", row->name, error.line, error.column, error.message);
    assert_int_equal(status, row->status);
    if (status == NVFP4_OK) {
        char tree[512];
        print(nvfp4_document_root(document), tree);
        assert_string_equal(tree, row->tree);
        nvfp4_document_free(document);
        return;
    }
    assert_null(document);
    assert_int_equal(error.status, status);
    assert_string_equal(error.file, "dir/name");
    if (strstr(error.message, row->message) == NULL)
        fail_msg("message: %s", error.message);
    assert_int_equal(error.line, row->line);
    assert_int_equal(error.column, row->column);
}

static nvfp4_document *parse(const char *text, size_t length, nvfp4_syntax syntax)
{
    const nvfp4_document_options options = { .syntax = syntax };
    nvfp4_document *document = NULL;
    nvfp4_error error;
    const nvfp4_status status = nvfp4_document_parse(text, length, &options, &document, &error);
    if (status != NVFP4_OK)
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    return document;
}

static void looks_keys_up(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": 1, \"a\\u0000\": 2, \"b\": {\"c\": 3}}";
    nvfp4_document *const document = parse(text, sizeof text - 1, J);
    const nvfp4_node *const root = nvfp4_document_root(document);
    assert_int_equal(nvfp4_node_get(root, "a")->integer, 1);
    assert_int_equal(nvfp4_node_get(nvfp4_node_get(root, "b"), "c")->integer, 3);
    assert_null(nvfp4_node_get(root, "c"));
    assert_null(nvfp4_node_get(nvfp4_node_get(root, "a"), "c"));
    assert_null(nvfp4_node_get(NULL, "a"));
    assert_null(nvfp4_document_duplicate(document, 0));
    nvfp4_document_free(document);
}

static void keeps_places(void **state)
{
    (void)state;
    static const char text[] = "{\n  \"a\": 13.10,\r\n  \"b\": [1,\r2]}";
    for (int yaml = 0; yaml < 2; yaml++) {
        nvfp4_document *const document = parse(text, sizeof text - 1, yaml ? Y : J);
        const nvfp4_node *const a = nvfp4_node_get(nvfp4_document_root(document), "a");
        assert_string_equal(a->text, "13.10");
        assert_int_equal(a->line, 2);
        assert_int_equal(a->column, 8);
        assert_int_equal(a->key_line, 2);
        assert_int_equal(a->key_column, 3);
        const nvfp4_node *const two = nvfp4_node_get(nvfp4_document_root(document), "b")->first->next;
        assert_int_equal(two->line, 4);
        assert_int_equal(two->column, 1);
        nvfp4_document_free(document);
    }
}

static void helpers_take_any_node(void **state)
{
    (void)state;
    static const char text[] = "[\"w4a4\", 1, 2.5, 9999999999999999999, null, true, {}]";
    nvfp4_document *const document = parse(text, sizeof text - 1, J);
    const nvfp4_node *n = nvfp4_document_root(document)->first;
    double number = 0;
    assert_true(nvfp4_node_is(n, "w4a4"));
    assert_false(nvfp4_node_is(n, "w4a"));
    assert_false(nvfp4_node_is(NULL, "w4a"));
    assert_false(nvfp4_node_number(n, &number));
    assert_true(nvfp4_node_number(n = n->next, &number));
    assert_true(number == 1.0);
    assert_true(nvfp4_node_number(n = n->next, &number));
    assert_true(number == 2.5);
    assert_true(nvfp4_node_number(n = n->next, &number));
    assert_true(number == 9999999999999999999.0);
    assert_false(nvfp4_node_number(NULL, NULL));
    for (; n != NULL; n = n->next)
        assert_string_not_equal(nvfp4_node_kind_name(n), "unknown");
    assert_string_equal(nvfp4_node_kind_name(NULL), "nothing");
    nvfp4_document_free(document);
}

static void refuses_duplicates_on_request(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": 1,\n \"a\": 2}";
    const nvfp4_document_options options = { .syntax = J, .unique_keys = 1, .first_line = 40 };
    nvfp4_document *document = NULL;
    nvfp4_error error;
    assert_int_equal(nvfp4_document_parse(text, sizeof text - 1, &options, &document, &error),
                     NVFP4_ESCHEMA);
    assert_int_equal(error.line, 41);
    assert_int_equal(error.column, 2);
    assert_string_equal(error.message, "key 'a' stands twice, first in line 40");
}

/* A mapping large enough to be indexed, with the keys in no order. */
static void finds_keys_in_large_mappings(void **state)
{
    (void)state;
    enum { KEYS = 20000 };
    char *const text = malloc(KEYS * 24 + 64);
    char *out = text;
    *out++ = '{';
    for (int i = 0; i < KEYS; i++)
        out += sprintf(out, "\"k%d\": %d,\n", i * 7919 % KEYS, i);
    out += sprintf(out, "\"k5\": -1, \"k5\": -2}");
    nvfp4_document *const document = parse(text, (size_t)(out - text), J);
    const nvfp4_node *const root = nvfp4_document_root(document);
    for (int i = 0; i < KEYS; i++) {
        char key[16];
        sprintf(key, "k%d", i * 7919 % KEYS);
        const nvfp4_node *const found = nvfp4_node_get(root, key);
        assert_int_equal(found->integer, i * 7919 % KEYS == 5 ? -2 : i);
    }
    assert_null(nvfp4_node_get(root, "k20000"));
    assert_null(nvfp4_node_get(root, ""));
    assert_int_equal(nvfp4_document_duplicate(document, 0)->integer, -1);
    assert_int_equal(nvfp4_document_duplicate(document, 1)->integer, -2);
    assert_null(nvfp4_document_duplicate(document, 2));
    nvfp4_document_free(document);
    free(text);
}

static nvfp4_status parse_repeated(const char *piece, size_t times, const char *tail,
                                   nvfp4_syntax syntax, nvfp4_error *error)
{
    const size_t size = strlen(piece);
    char *const text = malloc(size * times + strlen(tail) + 1);
    for (size_t i = 0; i < times; i++)
        memcpy(text + i * size, piece, size);
    strcpy(text + size * times, tail);
    const nvfp4_document_options options = { .syntax = syntax };
    nvfp4_document *document = NULL;
    const nvfp4_status status =
        nvfp4_document_parse(text, strlen(text), &options, &document, error);
    if (status == NVFP4_OK)
        nvfp4_document_free(document);
    free(text);
    return status;
}

static void keeps_its_bounds(void **state)
{
    (void)state;
    nvfp4_error error;
    assert_int_equal(parse_repeated("[", 257, "", J, &error), NVFP4_ELIMIT);
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 257);
    assert_int_equal(parse_repeated("[", 256, "", J, &error), NVFP4_ESYNTAX);
    assert_int_equal(parse_repeated("[", 257, "", Y, &error), NVFP4_ELIMIT);
    assert_int_equal(parse_repeated("{\"a\":", 100000, "", J, &error), NVFP4_ELIMIT);
    assert_int_equal(parse_repeated("{\"a\":", 100000, "", Y, &error), NVFP4_ELIMIT);
    assert_int_equal(parse_repeated("[1,2,3,4,5,6,7,8],", 200000, "", J, &error), NVFP4_ESYNTAX);
    assert_int_equal(error.column, 18);
    assert_int_equal(parse_repeated(" ", NVFP4_DOCUMENT_BYTES, "1", J, &error), NVFP4_ELIMIT);
    assert_int_equal(parse_repeated(" ", NVFP4_DOCUMENT_BYTES - 1, "1", J, &error), NVFP4_OK);
}

static void counts_values(void **state)
{
    (void)state;
    const size_t most = NVFP4_DOCUMENT_NODES;
    nvfp4_error error;
    char *const text = malloc(2 * most + 2);
    text[0] = '[';
    for (size_t i = 0; i < most; i++) {
        text[2 * i + 1] = '1';
        text[2 * i + 2] = ',';
    }
    const nvfp4_document_options options = { .syntax = J };
    nvfp4_document *document = NULL;
    text[2 * (most - 1)] = ']'; /* as many values as may be, the list among them */
    assert_int_equal(nvfp4_document_parse(text, 2 * most - 1, &options, &document, &error),
                     NVFP4_OK);
    nvfp4_document_free(document);
    document = NULL;
    text[2 * (most - 1)] = ',';
    text[2 * most] = ']';
    assert_int_equal(nvfp4_document_parse(text, 2 * most + 1, &options, &document, &error),
                     NVFP4_ELIMIT);
    assert_null(document);
    free(text);
}

static void long_keys_are_read(void **state)
{
    (void)state;
    char text[5000], key[4001];
    memset(key, 'k', 4000);
    key[4000] = '\0';
    const int length = sprintf(text, "{\"%s\": 7}", key);
    nvfp4_document *const document = parse(text, (size_t)length, J);
    assert_int_equal(nvfp4_node_get(nvfp4_document_root(document), key)->integer, 7);
    nvfp4_document_free(document);
}

static void reads_files(void **state)
{
    (void)state;
    nvfp4_document *document = NULL;
    nvfp4_error error = { 0 };
    assert_int_equal(nvfp4_document_read("/nowhere/at.json", NULL, &document, &error), NVFP4_EIO);
    assert_string_equal(error.file, "/nowhere/at.json");
    assert_string_equal(error.message, "there is no such file");
    assert_int_equal(nvfp4_document_read(NVFP4_TEST_DATA, NULL, &document, &error), NVFP4_EIO);
    assert_string_equal(error.message, "it is a folder");
    assert_null(document);
}

static void cuts_long_texts(void **state)
{
    (void)state;
    char path[1000];
    nvfp4_document *document = NULL;
    nvfp4_error error = { 0 };
    memset(path, 'x', sizeof path);
    for (size_t i = 1; i < sizeof path; i += 2)
        memcpy(path + i - 1, "\xC3\xA4", 2);
    strcpy(path + 990, "end.json");
    assert_int_equal(nvfp4_document_read(path, NULL, &document, &error), NVFP4_EIO);
    assert_memory_equal(error.file, "...\xC3\xA4", 5);
    assert_string_equal(error.file + strlen(error.file) - 8, "end.json");
    char excerpt[NVFP4_EXCERPT];
    assert_string_equal(nvfp4_excerpt("a\nb\x7F\xFF", 5, excerpt), "a?b??");
    nvfp4_excerpt(path, 900, excerpt);
    assert_string_equal(excerpt + strlen(excerpt) - 5, "\xC3\xA4...");
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(looks_keys_up),
        cmocka_unit_test(keeps_places),
        cmocka_unit_test(helpers_take_any_node),
        cmocka_unit_test(refuses_duplicates_on_request),
        cmocka_unit_test(finds_keys_in_large_mappings),
        cmocka_unit_test(keeps_its_bounds),
        cmocka_unit_test(counts_values),
        cmocka_unit_test(long_keys_are_read),
        cmocka_unit_test(reads_files),
        cmocka_unit_test(cuts_long_texts),
    };
    struct CMUnitTest tests[COUNT(rows)];
    for (size_t i = 0; i < COUNT(rows); i++)
        tests[i] = (struct CMUnitTest){ .name = rows[i].name,
                                        .test_func = reads,
                                        .initial_state = (void *)(uintptr_t)&rows[i] };
    int failed = _cmocka_run_group_tests("document", tests, COUNT(rows), NULL, NULL);
    failed += cmocka_run_group_tests_name("document, whole", others, NULL, NULL);
    return failed;
}
