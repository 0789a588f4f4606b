/* SPDX-License-Identifier: Apache-2.0 */
/* Records, .npy files, and plans in folders. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dirent.h>

#include "verify/text.h"
#include "verify/tool/npy.h"
#include "verify/tool/planfile.h"
#include "verify/tool/planted.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct fixture {
    nvfp4_moe_layer layer;
    nvfp4_verify_claim claim;
};

static void small_claim(struct fixture *f)
{
    f->layer = (nvfp4_moe_layer)NVFP4_MOE_LAYER_INIT;
    f->claim = (nvfp4_verify_claim)NVFP4_VERIFY_CLAIM_INIT;
    f->claim.layer = &f->layer;
    f->claim.tokens = 8;
    f->layer.hidden_size = 256;
    f->layer.intermediate_size = 128;
    f->layer.num_experts = 4;
    f->layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    f->layer.swiglu_limit = 10;
}

struct printed {
    const char *name;
    double x;
    int digits;
    const char *text;
};

static const struct printed numbers[] = {
    {"ten", 10, 6, "10.0"},
    {"zero", 0, 6, "0.0"},
    {"a limit with a fraction", 1.702, 17, "1.702"},
    {"small", 0.001, 6, "0.001"},
    {"smaller", -1.5e-5, 6, "-0.000015"},
    {"tiny", 1.25e-9, 6, "1.25e-9"},
    {"large", 1e20, 6, "1.0e+20"},
    {"exact integer", 123456, 17, "123456.0"},
    {"rounded", 2.0 / 3, 4, "0.6667"},
    {"between", 123.25, 6, "123.25"},
    {"NaN", NAN, 6, ".nan"},
    {"minus infinity", -INFINITY, 6, "-.inf"},
};

static void number(void **state)
{
    const struct printed *p = *state;
    char buffer[64];
    struct nvfp4_verify_text text = {buffer, sizeof buffer, 0};
    nvfp4_verify_text_number(&text, p->x, p->digits);
    /* 17 digits write 1.702 as they must to come back the same; that is longer than a person would.
     */
    if (p->digits == 17)
        assert_true(strtod(buffer, NULL) == p->x);
    else
        assert_string_equal(buffer, p->text);
    assert_int_equal(text.length, strlen(buffer));
}

static void quoted(void **state)
{
    (void)state;
    char buffer[128];
    struct nvfp4_verify_text text = {buffer, sizeof buffer, 0};
    nvfp4_verify_text_quoted(&text, "a\"b\\c\nd\x7f\xC3\xA9\xFF\xC2\x85\xE2\x82");
    assert_string_equal(buffer, "\"a\\\"b\\\\c\\u000ad\\u007f\xC3\xA9\xEF\xBF\xBD\\u0085"
                                "\xEF\xBF\xBD\xEF\xBF\xBD\"");
    struct nvfp4_verify_text small = {buffer, 4, 0};
    nvfp4_verify_text_put(&small, "abcdef");
    assert_string_equal(buffer, "abc");
    assert_int_equal(small.length, 6);
}

static nvfp4_verify_result judge(const struct fixture *f, nvfp4_verification **plan,
                                 nvfp4_plant plant)
{
    nvfp4_bench *bench = NULL;
    nvfp4_verify_result result = NVFP4_VERIFY_RESULT_INIT;
    assert_int_equal(nvfp4_verify_plan(&f->claim, plan), NVFP4_OK);
    assert_int_equal(nvfp4_bench_new(&f->claim, *plan, &bench), NVFP4_OK);
    assert_int_equal(nvfp4_verify_judge(*plan, nvfp4_bench_run(bench, plant),
                                        nvfp4_verify_run_count(*plan), &result),
                     NVFP4_OK);
    nvfp4_bench_destroy(bench);
    return result;
}

struct record {
    const char *name;
    nvfp4_plant plant;
    const char *has[3];
    const char *has_not[2];
};

static const struct record records[] = {
    {"honours is evidence",
     NVFP4_PLANT_RIGHT,
     {"\nverdict: honours\nverified: honours\n", "\nfaults: []\n", "swiglu_limit: 10.0\n"},
     {"rule_out"}},
    {"a fault rules out",
     NVFP4_PLANT_GATE_ONLY,
     {"\nverdict: gate_only\nrule_out: clamp\n", "\nfaults: [gate_only]\n", "\nworst: {run: "},
     {"verified:"}},
    {"a wrong limit is told",
     NVFP4_PLANT_LIMIT_7,
     {"\nverdict: wrong_limit\nrule_out: clamp\n", "\nlimit: 7.0\n"},
     {"verified:"}},
    {"a change with the batch",
     NVFP4_PLANT_SMALL_IGNORES_LIMIT,
     {"rule_out: clamp\n", "\nsmall_batch: ignores_limit\nlarge_batch: honours\n"},
     {"verified:"}},
    {"hidden NaN rules nothing out",
     NVFP4_PLANT_NAN_HIDDEN,
     {"\nverdict: nan_hidden\n"},
     {"verified:", "rule_out"}},
};

static void record(void **state)
{
    const struct record *r = *state;
    struct fixture f;
    nvfp4_verification *plan = NULL;
    nvfp4_verify_subject subject = {sizeof subject, "GPU \"X\"", "MARLIN", NULL};
    char buffer[2048];
    size_t length = 0;
    small_claim(&f);
    f.layer.scheme = NVFP4_SCHEME_W4A16;
    nvfp4_verify_result result = judge(&f, &plan, r->plant);
    assert_int_equal(
        nvfp4_verify_record_print(plan, &result, &subject, buffer, sizeof buffer, &length),
        NVFP4_OK);
    assert_int_equal(length, strlen(buffer));
    assert_non_null(strstr(buffer,
                           "format: \"nvfp4moe-verification/1\"\ndevice: \"GPU \\\"X\\\"\"\n"
                           "kernel: \"MARLIN\"\nversion: \"\"\nclaim:\n  level: moe\n"));
    for (size_t i = 0; i < 3; i++)
        if (r->has[i] != NULL)
            assert_non_null(strstr(buffer, r->has[i]));
    for (size_t i = 0; i < 2; i++)
        if (r->has_not[i] != NULL)
            assert_null(strstr(buffer, r->has_not[i]));
    /* Every size of buffer: cut and terminated, the length told. */
    for (size_t n = 0; n <= length; n++) {
        char *cut = malloc(n + 1);
        size_t told = 0;
        cut[n] = 'x';
        assert_int_equal(
            nvfp4_verify_record_print(plan, &result, &subject, n > 0 ? cut : NULL, n, &told),
            NVFP4_ELIMIT);
        assert_int_equal(told, length);
        assert_true(cut[n] == 'x' && (n == 0 || strncmp(cut, buffer, n - 1) == 0));
        assert_true(n == 0 || cut[n - 1] == '\0');
        free(cut);
    }
    assert_int_equal(nvfp4_verify_record_print(NULL, &result, NULL, NULL, 0, &length),
                     NVFP4_EINVAL);
    assert_int_equal(nvfp4_verify_record_print(plan, NULL, NULL, NULL, 0, &length), NVFP4_EINVAL);
    assert_int_equal(nvfp4_verify_record_print(plan, &result, NULL, NULL, 9, &length),
                     NVFP4_EINVAL);
    nvfp4_verification_destroy(plan);
}

/* A file of a header and bytes of data, as text. */
struct npy {
    const char *name;
    const char *header;
    size_t data;
    nvfp4_status status;
};

static const struct npy npys[] = {
    {"as numpy writes it", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24, 0},
    {"one dimension", "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n", 24, 0},
    {"no dimension", "{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n", 4, 0},
    {"keys in another order", "{'shape':(2,3),'fortran_order':False,'descr':'<f4'}", 24, 0},
    {"double quotes", "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (6,)}", 24, 0},
    {"empty", "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 5), }", 0, 0},
    {"bytes", "{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }", 5, 0},
    {"integers", "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }", 4, 0},
    {"data short", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 23,
     NVFP4_ESYNTAX},
    {"data long", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 25, NVFP4_ESYNTAX},
    {"big-endian", "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4, NVFP4_ESCHEMA},
    {"half floats", "{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }", 4, NVFP4_ESCHEMA},
    {"a structure", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4,
     NVFP4_ESCHEMA},
    {"Fortran order", "{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", 4, NVFP4_ESCHEMA},
    {"shape missing", "{'descr': '<f4', 'fortran_order': False, }", 0, NVFP4_ESYNTAX},
    {"a key twice", "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}", 4,
     NVFP4_ESYNTAX},
    {"a key too many", "{'descr': '<f4', 'x': 1, 'fortran_order': False, 'shape': ()}", 4,
     NVFP4_ESYNTAX},
    {"no dict", "hello", 4, NVFP4_ESYNTAX},
    {"dict without an end", "{'descr': '<f4', 'fortran_order': False, 'shape': ()", 4,
     NVFP4_ESYNTAX},
    {"something behind it", "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", 4,
     NVFP4_ESYNTAX},
    {"negative size", "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 4,
     NVFP4_ESYNTAX},
    {"size beyond counting",
     "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 4,
     NVFP4_ESYNTAX},
    {"product beyond counting",
     "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296, 2), }", 8,
     NVFP4_ESYNTAX},
    {"product that would wrap to nothing",
     "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 0,
     NVFP4_ESYNTAX},
    {"nine dimensions", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }",
     4, NVFP4_ELIMIT},
};

static size_t build(const struct npy *n, int version, uint8_t *bytes)
{
    size_t length = strlen(n->header), start = version == 1 ? 10 : 12;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (uint8_t)version;
    bytes[7] = 0;
    memset(bytes + 8, 0, 4);
    bytes[8] = (uint8_t)length;
    memcpy(bytes + start, n->header, length);
    memset(bytes + start + length, 0x40, n->data);
    return start + length + n->data;
}

static void npy(void **state)
{
    const struct npy *n = *state;
    uint8_t bytes[512];
    for (int version = 1; version <= 3; version++) {
        size_t size = build(n, version, bytes);
        nvfp4_npy array = {.count = 77};
        const char *what = NULL;
        assert_int_equal(nvfp4_npy_parse(bytes, size, &array, &what), n->status);
        assert_non_null(what);
        if (n->status != NVFP4_OK)
            assert_int_equal(array.count, 77);
        else
            free(array.data);
        /* Every shorter file is refused, but for the one that lacks nothing. */
        for (size_t cut = 0; cut < size && n->status == NVFP4_OK && n->data > 0; cut++) {
            uint8_t *exact = malloc(cut + 1); /* so that a reader past the end is found out */
            memcpy(exact, bytes, cut);
            assert_int_equal(nvfp4_npy_parse(exact, cut, &array, &what), NVFP4_ESYNTAX);
            free(exact);
        }
    }
}

/* Bytes of chance in place of any one byte: an answer each time. */
static void npy_garbage(void **state)
{
    (void)state;
    uint8_t bytes[512], copy[512];
    uint32_t chance = 1;
    size_t size = build(&npys[0], 1, bytes);
    for (int round = 0; round < 200000; round++) {
        nvfp4_npy array;
        const char *what = NULL;
        memcpy(copy, bytes, size);
        for (int i = 0; i < 3; i++) {
            chance = chance * 1664525 + 1013904223;
            copy[(chance >> 16) % size] = (uint8_t)(chance >> 8);
        }
        if (nvfp4_npy_parse(copy, size, &array, &what) == NVFP4_OK)
            free(array.data);
    }
}

static char folder[] = "/tmp/nvfp4-verify-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    char path[600];
    DIR *dir = opendir(folder);
    for (struct dirent *d = dir != NULL ? readdir(dir) : NULL; d != NULL; d = readdir(dir)) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        (void)unlink(path);
    }
    if (dir != NULL)
        (void)closedir(dir);
    return rmdir(folder);
}

static void path_of(char path[256], const char *file)
{
    (void)snprintf(path, 256, "%s/%s", folder, file);
}

static void npy_round_trip(void **state)
{
    (void)state;
    char path[256];
    const size_t shape[3] = {2, 1, 3};
    const float floats[6] = {1, -0.0f, 3.5f, 1e-40f, 3e38f, -7};
    const double doubles[6] = {1, 2, 3.25, -4, 1e300, 0};
    const int32_t integers[6] = {0, -1, 2147483647, 4, 5, 6};
    const uint8_t octets[6] = {0, 255, 3, 4, 5, 6};
    const void *data[] = {floats, doubles, octets, integers};
    const size_t sizes[] = {4, 8, 1, 4};
    path_of(path, "round.npy");
    for (int type = 0; type < 4; type++)
        for (size_t dimensions = 1; dimensions <= 3; dimensions += 2) {
            const size_t flat[1] = {6};
            nvfp4_npy back;
            const char *what = NULL;
            assert_int_equal(nvfp4_npy_write(path, (nvfp4_npy_type)type, dimensions,
                                             dimensions == 1 ? flat : shape, data[type]),
                             NVFP4_OK);
            assert_int_equal(nvfp4_npy_read(path, &back, &what), NVFP4_OK);
            assert_int_equal(back.type, type);
            assert_int_equal(back.dimensions, dimensions);
            assert_int_equal(back.count, 6);
            assert_memory_equal(back.data, data[type], 6 * sizes[type]);
            free(back.data);
        }
    nvfp4_npy none;
    const char *what = NULL;
    path_of(path, "absent.npy");
    assert_int_equal(nvfp4_npy_read(path, &none, &what), NVFP4_EIO);
    assert_int_equal(nvfp4_npy_write("/nonexistent/x.npy", NVFP4_NPY_UINT8, 1, shape, octets),
                     NVFP4_EIO);
}

/* A plan of a claim that no plan can be made for. */
static void refuses_claims(void **state)
{
    (void)state;
    struct nvfp4_complaint complaint;
    char path[256];
    static const char small[] =
        "{\"format\": \"nvfp4moe-verify-plan/1\", \"claim\": {\"tokens\": 5}}";
    path_of(path, "plan.json");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(small, 1, sizeof small - 1, file), sizeof small - 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(nvfp4_plan_load(folder, &(nvfp4_verification *){NULL}, &complaint),
                     NVFP4_EINVAL);
    assert_non_null(strstr(complaint.text, "plan.json: tokens must be from 8 to 4096, found 5"));
    assert_int_equal(remove(path), 0);
}

/* Out to a folder, an engine's outputs in, judged. */
static void plan_round_trip(void **state)
{
    (void)state;
    struct fixture f;
    struct nvfp4_complaint complaint;
    nvfp4_verify_result result = NVFP4_VERIFY_RESULT_INIT;
    for (int level = 0; level < 2; level++)
        for (int order = 0; order < 2; order++) {
            nvfp4_verification *plan = NULL, *back = NULL;
            nvfp4_bench *bench = NULL;
            float **outputs = NULL;
            char path[256];
            small_claim(&f);
            f.claim.level = level;
            f.claim.scale_order = order;
            f.claim.seed = UINT64_MAX - 3;
            f.layer.activation = NVFP4_ACTIVATION_SWIGLUOAI;
            f.layer.has |= NVFP4_HAS_SWIGLU_ALPHA;
            f.layer.swiglu_alpha = 1.702;
            f.claim.free_params = NVFP4_HAS_SWIGLU_LIMIT | NVFP4_HAS_SWIGLU_BETA;
            assert_int_equal(nvfp4_verify_plan(&f.claim, &plan), NVFP4_OK);
            assert_int_equal(nvfp4_plan_save(&f.claim, plan, folder, &complaint), NVFP4_OK);
            assert_int_equal(nvfp4_plan_load(folder, &back, &complaint), NVFP4_OK);
            assert_true(nvfp4_plan_fingerprint(plan) == nvfp4_plan_fingerprint(back));
            size_t count = nvfp4_verify_run_count(plan);
            assert_int_equal(nvfp4_verify_run_count(back), count);
            assert_int_equal(nvfp4_bench_new(&f.claim, plan, &bench), NVFP4_OK);
            const float *const *made = nvfp4_bench_run(bench, NVFP4_PLANT_UP_ONLY);
            for (size_t r = 0; r < count; r++) {
                nvfp4_verify_run run = NVFP4_VERIFY_RUN_INIT;
                char file[32];
                (void)nvfp4_verify_get_run(plan, r, &run);
                const size_t shape[2] = {(size_t)run.tokens, (size_t)run.columns};
                (void)snprintf(file, sizeof file, "run%zu_out.npy", r);
                path_of(path, file);
                double *wide = malloc(shape[0] * shape[1] * sizeof *wide);
                for (size_t i = 0; i < shape[0] * shape[1]; i++)
                    wide[i] = (double)made[r][i];
                assert_int_equal(
                    nvfp4_npy_write(path, r % 2 ? NVFP4_NPY_FLOAT64 : NVFP4_NPY_FLOAT32, 2, shape,
                                    r % 2 ? (void *)wide : (const void *)made[r]),
                    NVFP4_OK);
                free(wide);
            }
            assert_int_equal(nvfp4_outputs_load(folder, back, &outputs, &complaint), NVFP4_OK);
            assert_int_equal(
                nvfp4_verify_judge(back, (const float *const *)outputs, count, &result), NVFP4_OK);
            assert_int_equal(result.verdict, NVFP4_VERDICT_UP_ONLY);
            nvfp4_outputs_free(outputs, count);
            /* An output of another shape or type is refused by name. */
            const size_t wrong[1] = {4};
            const float few[4] = {0};
            path_of(path, "run1_out.npy");
            assert_int_equal(nvfp4_npy_write(path, NVFP4_NPY_FLOAT32, 1, wrong, few), NVFP4_OK);
            assert_int_equal(nvfp4_outputs_load(folder, back, &outputs, &complaint), NVFP4_ESCHEMA);
            assert_non_null(strstr(complaint.text, "run1_out.npy: must be float32 or float64 of ["));
            assert_non_null(strstr(complaint.text, "], found float32 of [4]"));
            assert_int_equal(remove(path), 0);
            assert_int_equal(nvfp4_outputs_load(folder, back, &outputs, &complaint), NVFP4_EIO);
            nvfp4_bench_destroy(bench);
            nvfp4_verification_destroy(plan);
            nvfp4_verification_destroy(back);
        }
    assert_int_equal(nvfp4_plan_load("/nonexistent", &(nvfp4_verification *){NULL}, &complaint),
                     NVFP4_EIO);
}

#define HEAD "{\"format\": \"nvfp4moe-verify-plan/1\", \"fingerprint\": \"00000000000000ff\", "

struct description {
    const char *name, *text, *complaint;
    nvfp4_status status;
};

static const struct description descriptions[] = {
    {"all good", HEAD "\"claim\": {\"scheme\": \"w4a16\", \"swiglu_limit\": 2.5, \"seed\": \"9\"}}",
     NULL, 0},
    {"other parts are skipped",
     HEAD "\"runs\": [{\"a\": [1, {\"b\": null}], \"format\": 1}], "
          "\"claim\": {\"swiglu_limit\": 2.5, \"scheme\": \"w4a16\", \"seed\": 9}}",
     NULL, 0},
    {"a null leaves the default",
     HEAD
     "\"claim\": {\"scheme\": \"w4a16\", \"swiglu_limit\": 2.5, \"seed\": 9, \"dtype\": null}}",
     NULL, 0},
    {"nothing", "", "1:1: expected a value", NVFP4_ESYNTAX},
    {"no claim", HEAD "\"x\": 1}", "no format or no claim", NVFP4_ESCHEMA},
    {"no format", "{\"claim\": {}}", "no format or no claim", NVFP4_ESCHEMA},
    {"another format", "{\"format\": \"x\", \"claim\": {}}", "unknown format x", NVFP4_ESCHEMA},
    {"unknown key", HEAD "\n\"claim\": {\"colour\": 1}}", "2:22: unknown key colour",
     NVFP4_ESCHEMA},
    {"unknown word", HEAD "\"claim\": {\"scheme\": \"w4\"}}", "bad value for scheme",
     NVFP4_ESCHEMA},
    {"number that is none", HEAD "\"claim\": {\"swiglu_limit\": nan}}", "bad value for",
     NVFP4_ESCHEMA},
    {"number too large", HEAD "\"claim\": {\"tokens\": 4294967300}}", "bad value for tokens",
     NVFP4_ESCHEMA},
    {"seed too large", HEAD "\"claim\": {\"seed\": \"18446744073709551616\"}}",
     "bad value for seed", NVFP4_ESCHEMA},
    {"negative size", HEAD "\"claim\": {\"top_k\": -2}}", "bad value for top_k", NVFP4_ESCHEMA},
    {"unknown free word", HEAD "\"claim\": {\"free\": \"limit,gamma\"}}", "bad value for free",
     NVFP4_ESCHEMA},
    {"free with a comma too many", HEAD "\"claim\": {\"free\": \"limit,\"}}", "bad value for free",
     NVFP4_ESCHEMA},
    {"bad fingerprint", "{\"format\": \"nvfp4moe-verify-plan/1\", \"fingerprint\": \"zz\"}",
     "bad fingerprint", NVFP4_ESCHEMA},
    {"no end", HEAD "\"claim\": {", "expected a string", NVFP4_ESYNTAX},
    {"string without an end", "{\"form", "string without an end", NVFP4_ESYNTAX},
    {"bad escape", "{\"a\\q\": 1}", "bad character in a string", NVFP4_ESYNTAX},
    {"escapes",
     "{\"a\\u00e9\\n\\\"\": \"\\\\\", "
     "\"format\": \"nvfp4moe-verify-plan/1\", "
     "\"fingerprint\": \"00000000000000ff\", \"claim\": {\"scheme\": \"w4a16\", "
     "\"swiglu_limit\": 2.5, \"seed\": 9}}",
     NULL, 0},
    {"something behind it", HEAD "\"claim\": {}} x", "something follows", NVFP4_ESYNTAX},
    {"no colon", "{\"a\" 1}", "expected a colon", NVFP4_ESYNTAX},
    {"no comma", "{\"a\": [1 2]}", "expected a comma", NVFP4_ESYNTAX},
    {"too deep", "[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]", "nested too deeply", NVFP4_ELIMIT},
};

static void description(void **state)
{
    const struct description *d = *state;
    nvfp4_verify_claim claim = {.seed = 77};
    nvfp4_moe_layer layer;
    uint64_t fingerprint = 5;
    struct nvfp4_complaint complaint = {""};
    size_t size = strlen(d->text);
    char *exact = malloc(size + 1); /* no NUL behind it */
    memcpy(exact, d->text, size);
    assert_int_equal(nvfp4_plan_parse(exact, size, &claim, &layer, &fingerprint, &complaint),
                     d->status);
    free(exact);
    if (d->status == NVFP4_OK) {
        assert_int_equal(layer.scheme, NVFP4_SCHEME_W4A16);
        assert_true(layer.swiglu_limit == 2.5 && layer.has == NVFP4_HAS_SWIGLU_LIMIT);
        assert_int_equal(claim.seed, 9);
        assert_int_equal(fingerprint, 0xFF);
    } else {
        assert_non_null(strstr(complaint.text, d->complaint));
        assert_int_equal(claim.seed, 77);
    }
}

static void description_garbage(void **state)
{
    (void)state;
    const char *good = descriptions[1].text;
    size_t size = strlen(good);
    uint32_t chance = 1;
    char *copy = malloc(size);
    for (int round = 0; round < 100000; round++) {
        nvfp4_verify_claim claim;
        nvfp4_moe_layer layer;
        uint64_t fingerprint;
        struct nvfp4_complaint complaint;
        memcpy(copy, good, size);
        for (int i = 0; i < 2; i++) {
            chance = chance * 1664525 + 1013904223;
            copy[(chance >> 16) % size] = (char)(chance >> 8);
        }
        (void)nvfp4_plan_parse(copy, size - chance % 3, &claim, &layer, &fingerprint, &complaint);
    }
    free(copy);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(numbers) + COUNT(records) + COUNT(npys) + COUNT(descriptions) +
                            6] = {
        cmocka_unit_test(quoted), cmocka_unit_test(npy_garbage), cmocka_unit_test(npy_round_trip),
        cmocka_unit_test(plan_round_trip), cmocka_unit_test(refuses_claims),
        cmocka_unit_test(description_garbage)};
    size_t n = 6;
    for (size_t i = 0; i < COUNT(numbers); i++)
        tests[n++] = (struct CMUnitTest){numbers[i].name, number, NULL, NULL,
                                         (void *)(uintptr_t)&numbers[i]};
    for (size_t i = 0; i < COUNT(records); i++)
        tests[n++] = (struct CMUnitTest){records[i].name, record, NULL, NULL,
                                         (void *)(uintptr_t)&records[i]};
    for (size_t i = 0; i < COUNT(npys); i++)
        tests[n++] =
            (struct CMUnitTest){npys[i].name, npy, NULL, NULL, (void *)(uintptr_t)&npys[i]};
    for (size_t i = 0; i < COUNT(descriptions); i++)
        tests[n++] = (struct CMUnitTest){descriptions[i].name, description, NULL, NULL,
                                         (void *)(uintptr_t)&descriptions[i]};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
