/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine that has its kernel verified: fused MoE kernels of NVFP4 weights, one right and four wrong,
 * are run through the plan on a GPU and must each be named rightly. Number formats are decoded and encoded
 * by CUDA's own headers, never by the library under test; before that the library's encoders are held
 * against those headers on 10 million values, which needs no GPU.
 *
 * Exit status: 0 all named rightly, 1 not so, 77 no GPU here.
 */
#include <cuda_bf16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvfp4moe/verify.h>

enum { SKIPPED = 77, THREADS = 256, INTER_MAX = 1024, HIDDEN_MAX = 2048 };

enum fault { RIGHT, IGNORES_LIMIT, GATE_ONLY, LIMIT_NOT_SCALED, HALVES_SWAPPED, FAULTS };

static const nvfp4_verdict deserved[FAULTS] = {
    NVFP4_VERDICT_HONOURS, NVFP4_VERDICT_IGNORES_LIMIT, NVFP4_VERDICT_GATE_ONLY,
    NVFP4_VERDICT_LIMIT_NOT_SCALED, NVFP4_VERDICT_HALVES_SWAPPED
};

/* All that a kernel needs, on the device. */
struct layer {
    int tokens, hidden, inter, top_k, w4a4;
    float limit, alpha, beta, x_global, h_global;
    const float *x;
    const uint8_t *x_codes, *x_scales, *w13, *w13_scales, *w2, *w2_scales;
    const float *w13_global, *w2_global, *expert_weights;
    const int *expert_ids;
    float *out;
};

__device__ static float from_fp4(const uint8_t *codes, size_t i)
{
    __nv_fp4_storage_t code = (__nv_fp4_storage_t)(codes[i / 2] >> (i % 2 * 4) & 15);
    return __half2float(__half(__nv_cvt_fp4_to_halfraw(code, __NV_E2M1)));
}

__device__ static float from_fp8(uint8_t code)
{
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(code, __NV_E4M3)));
}

__device__ static float to_bf16(float x)
{
    return __bfloat162float(__float2bfloat16(x));
}

/* One row of an NVFP4 matrix times a vector, global scale left out. */
__device__ static float dot(const uint8_t *codes, const uint8_t *scales, size_t row, int cols,
                            const float *v)
{
    float sum = 0;
    for (int b = 0; b < cols / 16; b++) {
        float part = 0, scale = from_fp8(scales[row * (size_t)(cols / 16) + (size_t)b]);
        for (int i = b * 16; i < b * 16 + 16; i++)
            part += from_fp4(codes, row * (size_t)cols + (size_t)i) * v[i];
        sum += part * scale;
    }
    return sum;
}

/* gate and up from the raw accumulators; comparisons keep NaN, min and max would not. */
template <int FAULT>
__device__ static float activate(float raw_gate, float raw_up, float dequant, const layer &l)
{
    float limit = l.limit, beta = l.beta;
    if (FAULT == LIMIT_NOT_SCALED) { /* holds the limit against the raw accumulator */
        raw_gate = raw_gate > limit ? limit : raw_gate;
        raw_up = raw_up > limit ? limit : raw_up < -limit ? -limit : raw_up;
    }
    float g = raw_gate * dequant, u = raw_up * dequant;
    if (FAULT == HALVES_SWAPPED) {
        float t = g;
        g = u;
        u = t;
    }
    if (FAULT != IGNORES_LIMIT && FAULT != LIMIT_NOT_SCALED) {
        g = g > limit ? limit : g;
        if (FAULT != GATE_ONLY)
            u = u > limit ? limit : u < -limit ? -limit : u;
    }
    float s = __fdividef(1.0f, 1.0f + __expf(-l.alpha * g));
    return to_bf16(g * s * (u + beta));
}

/* A block of 16 through NVFP4, in place. */
__device__ static void through_nvfp4(float *h, float global)
{
    float amax = 0;
    for (int i = 0; i < 16; i++)
        amax = fmaxf(amax, fabsf(h[i]));
    float scale = from_fp8(__nv_cvt_float_to_fp8(amax / 6 / global, __NV_SATFINITE, __NV_E4M3));
    for (int i = 0; i < 16; i++) {
        float x = scale == 0 ? 0 : h[i] / (scale * global);
        uint8_t code = __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest);
        h[i] = from_fp4(&code, 0) * scale * global;
    }
}

/* One block of threads for each token. */
template <int FAULT> __global__ static void moe(layer l)
{
    __shared__ float x[HIDDEN_MAX], h[INTER_MAX], y[HIDDEN_MAX];
    int token = (int)blockIdx.x;
    for (int k = (int)threadIdx.x; k < l.hidden; k += THREADS) {
        size_t i = (size_t)token * (size_t)l.hidden + (size_t)k;
        x[k] = l.w4a4 ? from_fp4(l.x_codes, i) * from_fp8(l.x_scales[i / 16]) : l.x[i];
        y[k] = 0;
    }
    __syncthreads();
    for (int r = 0; r < l.top_k; r++) {
        size_t e = (size_t)l.expert_ids[token * l.top_k + r];
        size_t rows = 2 * (size_t)l.inter, hidden = (size_t)l.hidden, inter = (size_t)l.inter;
        const uint8_t *w13 = l.w13 + e * rows * hidden / 2;
        const uint8_t *w13_scales = l.w13_scales + e * rows * hidden / 16;
        const uint8_t *w2 = l.w2 + e * hidden * inter / 2;
        const uint8_t *w2_scales = l.w2_scales + e * hidden * inter / 16;
        float dequant = l.w13_global[e] * (l.w4a4 ? l.x_global : 1.0f);
        for (int n = (int)threadIdx.x; n < l.inter; n += THREADS)
            h[n] = activate<FAULT>(dot(w13, w13_scales, (size_t)n, l.hidden, x),
                                   dot(w13, w13_scales, (size_t)(n + l.inter), l.hidden, x),
                                   dequant, l);
        __syncthreads();
        for (int b = (int)threadIdx.x; l.w4a4 && b < l.inter / 16; b += THREADS)
            through_nvfp4(h + b * 16, l.h_global);
        __syncthreads();
        for (int k = (int)threadIdx.x; k < l.hidden; k += THREADS)
            y[k] += l.expert_weights[token * l.top_k + r] *
                    to_bf16(dot(w2, w2_scales, (size_t)k, l.inter, h) * l.w2_global[e]);
        __syncthreads();
    }
    for (int k = (int)threadIdx.x; k < l.hidden; k += THREADS)
        l.out[(size_t)token * (size_t)l.hidden + (size_t)k] = to_bf16(y[k]);
}

static void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

template <typename T> static T *upload(const T *from, size_t count)
{
    T *to = NULL;
    if (from == NULL)
        return NULL;
    check(cudaMalloc((void **)&to, count * sizeof(T)), "cudaMalloc");
    check(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    return to;
}

static layer upload_layer(const nvfp4_verify_run *run)
{
    const nvfp4_moe_problem *p = run->problem;
    const nvfp4_moe_layer *from = run->layer;
    layer l;
    memset(&l, 0, sizeof l);
    l.tokens = (int)run->tokens;
    l.hidden = (int)from->hidden_size;
    l.inter = (int)from->intermediate_size;
    l.top_k = (int)from->top_k;
    l.w4a4 = from->scheme == NVFP4_SCHEME_W4A4;
    l.limit = (float)from->swiglu_limit;
    l.alpha = from->has & NVFP4_HAS_SWIGLU_ALPHA ? (float)from->swiglu_alpha : 1.0f;
    l.beta = from->has & NVFP4_HAS_SWIGLU_BETA ? (float)from->swiglu_beta : 0.0f;
    l.x_global = p->x_global;
    l.h_global = p->h_global;
    size_t t = (size_t)l.tokens, k = (size_t)l.hidden, n = (size_t)l.inter;
    size_t e = (size_t)from->num_experts, routes = t * (size_t)l.top_k;
    l.x = upload(p->x, t * k);
    l.x_codes = upload(run->x_codes, t * k / 2);
    l.x_scales = upload(run->x_scales, t * k / 16);
    l.w13 = upload(p->w13, e * 2 * n * k / 2);
    l.w13_scales = upload(p->w13_scales, e * 2 * n * k / 16);
    l.w2 = upload(p->w2, e * k * n / 2);
    l.w2_scales = upload(p->w2_scales, e * k * n / 16);
    l.w13_global = upload(p->w13_global, e);
    l.w2_global = upload(p->w2_global, e);
    l.expert_ids = upload(p->expert_ids, routes);
    l.expert_weights = upload(p->expert_weights, routes);
    check(cudaMalloc((void **)&l.out, t * k * sizeof(float)), "cudaMalloc");
    return l;
}

static void free_layer(const layer *l)
{
    const void *all[] = { l->x,          l->x_codes,    l->x_scales,  l->w13,        l->w13_scales,
                          l->w2,         l->w2_scales,  l->w13_global, l->w2_global, l->expert_ids,
                          l->expert_weights, l->out };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        check(cudaFree((void *)all[i]), "cudaFree");
}

static void launch(int fault, const layer *l)
{
    dim3 grid((unsigned)l->tokens), block(THREADS);
    switch (fault) {
    case RIGHT:
        moe<RIGHT><<<grid, block>>>(*l);
        break;
    case IGNORES_LIMIT:
        moe<IGNORES_LIMIT><<<grid, block>>>(*l);
        break;
    case GATE_ONLY:
        moe<GATE_ONLY><<<grid, block>>>(*l);
        break;
    case LIMIT_NOT_SCALED:
        moe<LIMIT_NOT_SCALED><<<grid, block>>>(*l);
        break;
    default:
        moe<HALVES_SWAPPED><<<grid, block>>>(*l);
    }
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
}

/* Runs one kernel on the whole plan and has it judged; whether it was named rightly. `show`: print the
 * record of the right one. */
static int verify(const nvfp4_verification *plan, int fault, int show)
{
    enum { RUNS_MAX = 16 };
    float *outputs[RUNS_MAX] = { NULL };
    size_t count = nvfp4_verify_run_count(plan);
    for (size_t r = 0; r < count && r < RUNS_MAX; r++) {
        nvfp4_verify_run run = NVFP4_VERIFY_RUN_INIT;
        if (nvfp4_verify_get_run(plan, r, &run) != NVFP4_OK)
            return 0;
        size_t bytes = (size_t)(run.tokens * run.columns) * sizeof(float);
        layer l = upload_layer(&run);
        outputs[r] = (float *)malloc(bytes);
        launch(fault, &l);
        check(cudaMemcpy(outputs[r], l.out, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
        free_layer(&l);
    }
    nvfp4_verify_result result = NVFP4_VERIFY_RESULT_INIT;
    nvfp4_status status = nvfp4_verify_judge(plan, outputs, count, &result);
    for (size_t r = 0; r < count; r++)
        free(outputs[r]);
    if (status != NVFP4_OK)
        return 0;
    int right = result.verdict == (int32_t)deserved[fault];
    printf("  %-18s judged %-18s confidence %.3f%s\n", nvfp4_verdict_name(deserved[fault]),
           nvfp4_verdict_name((nvfp4_verdict)result.verdict), result.confidence,
           right ? "" : "   WRONG");
    if (fault == RIGHT && show) {
        cudaDeviceProp device;
        check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
        nvfp4_verify_subject subject = NVFP4_VERIFY_SUBJECT_INIT;
        subject.device = device.name;
        subject.kernel = "verify.cu";
        subject.version = NVFP4_VERSION_STRING;
        char record[2048];
        if (nvfp4_verify_record_print(plan, &result, &subject, record, sizeof record, NULL) ==
            NVFP4_OK)
            printf("---\n%s---\n", record);
    }
    return right;
}

static int verify_all(int scheme, double limit, uint64_t seed)
{
    nvfp4_moe_layer moe_layer = NVFP4_MOE_LAYER_INIT;
    nvfp4_verify_claim claim = NVFP4_VERIFY_CLAIM_INIT;
    nvfp4_verification *plan = NULL;
    moe_layer.scheme = scheme;
    moe_layer.has = NVFP4_HAS_SWIGLU_LIMIT;
    moe_layer.swiglu_limit = limit;
    claim.layer = &moe_layer;
    claim.free_params |= NVFP4_HAS_SWIGLU_ALPHA;
    claim.seed = seed;
    if (nvfp4_verify_plan(&claim, &plan) != NVFP4_OK)
        return 0;
    printf("%s, limit %g, seed %u\n", nvfp4_scheme_name((nvfp4_scheme)scheme), limit,
           (unsigned)seed);
    int right = 1;
    for (int fault = RIGHT; fault < FAULTS; fault++)
        right &= verify(plan, fault, seed == 1);
    nvfp4_verification_destroy(plan);
    return right;
}

/* The library's encoders against the ones of CUDA's headers, on the host. */
static int compare_codecs(void)
{
    uint64_t chance = 1;
    for (int i = 0; i < 10000000; i++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        uint32_t bits = (uint32_t)(chance >> 32);
        float x;
        if (i % 2)
            x = ldexpf((float)((int)(bits % 4001) - 2000), (int)(bits >> 16) % 24 - 18);
        else
            memcpy(&x, &bits, sizeof x);
        unsigned e2m1 = __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest);
        unsigned e4m3 = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
        unsigned e2m1_ours = nvfp4_e2m1_encode((double)x), e4m3_ours = nvfp4_e4m3_encode((double)x);
        if (isnan(x)) /* the sign of a NaN is not told */
            e4m3 = e4m3_ours = 0;
        if (e2m1 != e2m1_ours || e4m3 != e4m3_ours) {
            fprintf(stderr, "%a: E2M1 %u, CUDA %u; E4M3 %02x, CUDA %02x\n", (double)x, e2m1_ours,
                    e2m1, e4m3_ours, e4m3);
            return 0;
        }
    }
    for (unsigned code = 0; code < 256; code++) {
        float ours = (float)nvfp4_e4m3_decode((uint8_t)code);
        float cuda = __half2float(__half(__nv_cvt_fp8_to_halfraw((uint8_t)code, __NV_E4M3)));
        if (ours != cuda && !(isnan(ours) && isnan(cuda)))
            return 0;
        float pair = __half2float(__half(__nv_cvt_fp4_to_halfraw((uint8_t)(code & 15), __NV_E2M1)));
        if ((float)nvfp4_e2m1_decode((uint8_t)code) != pair)
            return 0;
    }
    printf("codec: 10000000 values encode as CUDA's headers do\n");
    return 1;
}

int main(void)
{
    int devices = 0, right = 1;
    if (!compare_codecs())
        return 1;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no CUDA device\n");
        return SKIPPED;
    }
    for (uint64_t seed = 1; seed <= 3; seed++) {
        right &= verify_all(NVFP4_SCHEME_W4A4, 10, seed);
        right &= verify_all(NVFP4_SCHEME_W4A16, 7, seed);
    }
    printf(right ? "all named rightly\n" : "NOT all named rightly\n");
    return right ? 0 : 1;
}
