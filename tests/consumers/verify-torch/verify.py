#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A PyTorch engine that has its kernel verified, through .npy files alone.

For each planted fault: `verify plan` writes inputs, this script computes the layer with PyTorch, `verify
judge` names what it computes. Needs PyTorch, no NumPy.

Exit status: 0 all named rightly, 1 not so, 77 no PyTorch or no GPU here.
"""
import argparse
import ast
import json
import os
import struct
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError:
    torch = None

SKIPPED = 77
E2M1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]


def load(folder, name, device):
    """A .npy file as a tensor."""
    types = {"<f4": torch.float32, "<f8": torch.float64, "|u1": torch.uint8, "<i4": torch.int32}
    with open(os.path.join(folder, name), "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00", name
    (length,) = struct.unpack_from("<H", data, 8)
    head = ast.literal_eval(data[10:10 + length].decode("latin1"))
    assert not head["fortran_order"]
    tensor = torch.frombuffer(bytearray(data[10 + length:]), dtype=types[head["descr"]])
    return tensor.reshape(head["shape"]).to(device)


def save(folder, name, tensor):
    """A float32 tensor as a .npy file."""
    tensor = tensor.detach().to("cpu", torch.float32).contiguous()
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': %r, }" % (tuple(tensor.shape),)
    head += " " * (-(10 + len(head) + 1) % 64) + "\n"
    with open(os.path.join(folder, name), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode("latin1"))
        file.write(struct.pack("<%df" % tensor.numel(), *tensor.flatten().tolist()))


def from_fp4(codes):
    """Two E2M1 codes a byte, the low half first."""
    table = torch.tensor(E2M1 + [-x for x in E2M1], device=codes.device)
    pairs = torch.stack([codes & 15, codes >> 4], dim=-1)
    return table[pairs.flatten(-2).long()]


def from_fp8(codes):
    if hasattr(torch, "float8_e4m3fn"):
        return codes.view(torch.float8_e4m3fn).to(torch.float32)
    exponent, mantissa = (codes >> 3 & 15).float(), (codes & 7).float()
    value = torch.where(exponent == 0, mantissa * 2.0 ** -9,
                        (8 + mantissa) * torch.pow(torch.tensor(2.0), exponent - 10))
    return torch.where(codes >= 128, -value, value)


def to_fp8(x):
    """The nearest E4M3 number, saturating."""
    x = x.clamp(max=448.0)
    if hasattr(torch, "float8_e4m3fn"):
        return x.to(torch.float8_e4m3fn).to(torch.float32)
    exponent = torch.floor(torch.log2(x.clamp(min=2.0 ** -6)))
    step = torch.pow(torch.tensor(2.0), exponent - 3)
    return torch.round(x / step) * step


def dequantise(codes, scales):
    """Values without their global scale; scales in linear order."""
    return from_fp4(codes) * from_fp8(scales).repeat_interleave(16, dim=-1)


def through_nvfp4(h, scale):
    """Quantise to NVFP4 with a global multiplier, and back."""
    blocks = h.reshape(-1, 16)
    block_scale = to_fp8(blocks.abs().amax(dim=1, keepdim=True) / 6 / scale)
    unit = torch.where(block_scale == 0, torch.ones_like(block_scale), block_scale * scale)
    v = (blocks.abs() / unit).clamp(max=6.0)
    # torch.round goes to the even number at ties, as the format does.
    q = torch.where(v < 2, torch.round(v * 2) / 2, torch.where(v < 4, torch.round(v), torch.round(v / 2) * 2))
    return (q.clamp(max=6.0) * block_scale * scale * blocks.sign()).reshape(h.shape)


def activation(gate, up, dequant, run, fault):
    """gate and up raw, the activation in bf16 out. torch.clamp keeps NaN."""
    limit, alpha, beta = run["swiglu_limit"], run["swiglu_alpha"], run["swiglu_beta"]
    if fault == "limit_not_scaled":
        gate, up = gate.clamp(max=limit), up.clamp(-limit, limit)
    gate, up = gate * dequant, up * dequant
    if fault == "halves_swapped":
        gate, up = up, gate
    gate, up = gate.bfloat16().float(), up.bfloat16().float()
    if fault == "wrong_limit":
        limit = 7.0
    if fault not in ("ignores_limit", "limit_not_scaled", "up_only", "after_activation"):
        gate = gate.clamp(max=limit)
    if fault not in ("ignores_limit", "limit_not_scaled", "gate_only"):
        up = up.clamp(-limit, limit)
    act = gate * torch.sigmoid(alpha * gate)
    if fault == "after_activation":
        act = act.clamp(max=limit)
    return (act.bfloat16() * (up + beta).bfloat16()).float()


def moe(weights, run, data, claim, fault):
    """The layer for all tokens: gate first, then up; global scales are multipliers."""
    w4a4 = claim["scheme"] == "w4a4"
    inter = claim["intermediate_size"]
    x = dequantise(data["x_codes"], data["x_scales"]) if w4a4 else data["x"]
    out = torch.zeros_like(data["x"])
    for e in range(claim["num_experts"]):
        token, route = torch.where(data["expert_ids"] == e)
        if token.numel() == 0:
            continue
        raw = x[token] @ dequantise(weights["w13"][e], weights["w13_scales"][e]).T
        dequant = weights["w13_global"][e] * (run["x_global"] if w4a4 else 1.0)
        h = activation(raw[:, :inter], raw[:, inter:], dequant, run, fault)
        if w4a4:
            h = through_nvfp4(h, run["h_global"])
        y = h @ dequantise(weights["w2"][e], weights["w2_scales"][e]).T * weights["w2_global"][e]
        y = y.bfloat16().float() * data["expert_weights"][token, route][:, None]
        out.index_add_(0, token, y)
    return out.bfloat16().float()


def run_all(folder, device, fault):
    """Every run of a plan, as an engine would."""
    with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
        plan = json.load(file)
    claim = plan["claim"]
    weights = {k: load(folder, name, device) for k, name in plan.get("weights", {}).items()}
    for run in plan["runs"]:
        data = {k: load(folder, v, device) for k, v in run.items()
                if isinstance(v, str) and k != "out"}
        if claim["level"] == "moe":
            out = moe(weights, run, data, claim, fault)
        else:
            inter = claim["intermediate_size"]
            acc = data["accumulator"]
            out = activation(acc[:, :inter], acc[:, inter:], data["dequant"][:, None], run, fault)
            if claim["scheme"] == "w4a4":
                out = through_nvfp4(out, run["h_global"])
        save(folder, run["out"], out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--verify", required=True, metavar="COMMAND",
                        help="'nvfp4-select verify', or the program that run.sh builds")
    parser.add_argument("--device", default="cuda", help="a PyTorch device (default: cuda)")
    parser.add_argument("--seed", default="1")
    args = parser.parse_args()
    if torch is None:
        print("skipped: no PyTorch")
        return SKIPPED
    if args.device.startswith("cuda") and not torch.cuda.is_available():
        print("skipped: PyTorch sees no GPU")
        return SKIPPED
    torch.backends.cuda.matmul.allow_tf32 = False
    faults = ["honours", "ignores_limit", "gate_only", "up_only", "after_activation", "wrong_limit",
              "limit_not_scaled", "halves_swapped"]
    right = True
    for level in ("activation", "moe"):
        for scheme in ("w4a4", "w4a16"):
            for fault in faults:
                with tempfile.TemporaryDirectory() as folder:
                    command = args.verify.split()
                    subprocess.run(command + ["plan", "--out", folder, "--level", level, "--scheme", scheme,
                                              "--limit", "10", "--halves", "gate_up", "--seed", args.seed],
                                   check=True, stdout=subprocess.DEVNULL)
                    run_all(folder, args.device, fault)
                    judge = subprocess.run(command + ["judge", "--in", folder, "--format", "json"],
                                           stdout=subprocess.PIPE)
                    verdict = json.loads(judge.stdout)["verdict"] if judge.returncode < 2 else "?"
                ok = verdict == fault and judge.returncode == (0 if fault == "honours" else 1)
                print("%-10s %-5s %-18s judged %s%s" % (level, scheme, fault, verdict, "" if ok else "   WRONG"))
                right = right and ok
    print("all named rightly" if right else "NOT all named rightly")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
