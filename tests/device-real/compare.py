#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Called by compare.sh: compare.py FOLDER [TOOL]. Prints a report; exit 1 if something disagrees."""
import concurrent.futures
import os
import re
import statistics
import subprocess
import sys
import time

FOLDER, TOOL = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else "")

# What the CUDA driver shows: the truth. Prints addresses in CUDA's order, or the code of cuInit.
DRIVER = r"""
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
code = cuda.cuInit(0)
if code:
    print("cuInit", code)
else:
    n = ctypes.c_int()
    cuda.cuDeviceGetCount(ctypes.byref(n))
    for i in range(n.value):
        text = ctypes.create_string_buffer(32)
        cuda.cuDeviceGetPCIBusId(text, 32, i)
        print(text.value.decode())
"""

# What torch makes of it, with capabilities.
TORCH = r"""
import ctypes, torch
n = torch.cuda.device_count()
out = []
if n:
    torch.cuda.init()
    cuda = ctypes.CDLL("libcuda.so.1")
    for i in range(n):
        text = ctypes.create_string_buffer(32)
        cuda.cuDeviceGetPCIBusId(text, 32, i)
        major, minor = torch.cuda.get_device_capability(i)
        out.append("%s sm%d" % (text.value.decode(), major * 10 + minor))
print("\n".join(out))
"""


def run(command, visible=None, order=None, timeout=90):
    environment = dict(os.environ)
    for name, value in (("CUDA_VISIBLE_DEVICES", visible), ("CUDA_DEVICE_ORDER", order)):
        environment.pop(name, None)
        if value is not None:
            environment[name] = value
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)


def address(text):
    parts = re.fullmatch(r"([0-9a-fA-F]+):([0-9a-fA-F]+):([0-9a-fA-F]+)\.([0-9])", text.strip())
    return "%x:%x:%x.%s" % (*(int(p, 16) for p in parts.groups()[:3]), parts.group(4)) if parts else text


def ours(source, visible=None, order=None):
    lines = run([FOLDER + "/list_devices", source], visible, order).stdout.splitlines()
    head = lines[0].split("\t")
    rows = [line.split("\t") for line in lines[1:]]
    keys = ("cuda", "nvml", "sm", "uuid", "pci", "name")
    rows = [dict(zip(keys, row)) for row in rows]
    shown = [r for r in rows if r["cuda"] != "-1"]
    return head, rows, [address(r["pci"]) for r in sorted(shown, key=lambda r: int(r["cuda"]))]


def driver(visible, order=None):
    lines = run([sys.executable, "-c", DRIVER], visible, order).stdout.split("\n")
    lines = [line for line in lines if line]
    if lines and lines[0].startswith("cuInit"):
        return [], lines[0]
    return [address(line) for line in lines], "ok"


def torch(visible):
    result = run([sys.executable, "-c", TORCH], visible)
    if result.returncode != 0:
        return None
    rows = [line.split() for line in result.stdout.splitlines() if line]
    return [(address(row[0]), row[1]) for row in rows]


def values(uuids):
    """CUDA_VISIBLE_DEVICES: those that must hold, then those whose meaning is not on record."""
    first, last = uuids[0], uuids[-1]
    sure = [None, "0", "1", "1,0", first, last, first[:12], last[:8], "", "5", "0,junk,1", "0,0",
            "%s,%s" % (last, first), first + ",junk", first + ",1", "-1", "0,", "1junk", " 1 , 0 "]
    open_ = ["0x1", "010", "01", "+1", "-0", "- 1", "+", " ", ",", "0,,1", "0;1", "1.9", "1e0", "\v1", "\n1",
             "4294967296", "4294967297", "2147483648", "18446744073709551616", "18446744073709551617",
             "-4294967296", "-18446744073709551616", "0,1,0", "0,2,0", "0,junk,0", "1,-1,0", "0," + last,
             " " + first, first + " ", first + "x", "%s, %s" % (first, last), "%s ,%s" % (first, last),
             "GPU", "GPU-", first[:5], first[:6], "%s,%s" % (first, first), "%s,%s" % (first[:12], first),
             "%s,%s,%s" % (first, last, first), first + ",GPU-ffffffff," + last, first + ",", first.upper(),
             first.replace("-", ""), first[4:], "MIG-" + first, "MIG-%s/0/0" % first, first + ",MIG-" + last,
             "GPU-" + first, first[:8] + "zz", first[:5] + "z", first[:13], first[:14], first[:16],
             first[:12] + first[13:], first[:12] + " ", first[:8] + ".", first[:9].upper() + "-",
             "9223372036854775807", "9223372036854775808", "-9223372036854775808", "8589934592", "\"0\"", "'0'", "[0]", "0 1", "cuda:0", "all", "none", "NoDevFiles", "void"]
    return sure, open_


def check_smi(rows):
    try:
        text = run(["nvidia-smi", "-L"]).stdout
    except OSError:
        return "nvidia-smi is not here"
    smi = re.findall(r"^GPU (\d+): (.*) \(UUID: (GPU-[^)]*)\)", text, re.M)
    mine = sorted((int(r["nvml"]), r["name"], r["uuid"]) for r in rows if r["uuid"].startswith("GPU-"))
    return "agrees" if [(int(i), n, u) for i, n, u in smi] == mine else "DIFFERS\n%s\n%s" % (text, mine)


def parallel(function, items, workers):
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, items))


def compare_values(title, todo, order=None):
    wrong = 0
    truth = parallel(lambda v: driver(v, order), todo, 8)
    mine = parallel(lambda v: {s: ours(s, v, order)[2] for s in ("nvml", "cuda", "pci")}, todo, 8)
    for value, (want, code), have in zip(todo, truth, mine):
        bad = [s for s, got in have.items() if got != want]
        if bad or title == "on record":
            print("  %-46r %s %s%s" % (value, code, len(want),
                                       "".join("  %s SAYS %s, NOT %s" % (s, have[s], want) for s in bad)))
        wrong += bool(bad)
    print("%s: %d of %d agree with the CUDA driver" % (title, len(todo) - wrong, len(todo)))
    return wrong


def compare_torch(todo):
    wrong = 0
    answers = parallel(torch, todo, 4)
    if answers[0] is None:
        print("torch is not here")
        return 0
    for value, answer in zip(todo, answers):
        _, rows, shown = ours("auto", value)
        sms = {address(r["pci"]): "sm" + r["sm"] for r in rows}
        if answer is None or [(a, sms[a]) for a in shown] != answer:
            wrong += 1
            print("  %r: torch %s, auto %s" % (value, answer, shown))
    print("torch: %d of %d agree" % (len(todo) - wrong, len(todo)))
    return wrong


def elapsed(command):
    """Microseconds that the program states, and those of the whole process."""
    start = time.perf_counter()
    result = subprocess.run(command, capture_output=True, text=True)
    whole = (time.perf_counter() - start) * 1e6
    first = result.stdout.split()
    return (float(first[0]) if first and re.fullmatch(r"\d+", first[0]) else whole), whole


def measure():
    programs = {"bare nvml": [FOLDER + "/bare_nvml"], "probe nvml": [FOLDER + "/bench_probe", "nvml"],
                "probe pci": [FOLDER + "/bench_probe", "pci"], "probe auto": [FOLDER + "/bench_probe", "auto"]}
    if TOOL:
        programs["explain --probe"] = [TOOL, "explain", "--probe"]
        programs["devices"] = [TOOL, "devices"]
    inside = {name: [] for name in programs}
    whole = {name: [] for name in programs}
    for turn in range(21):
        for name, command in programs.items():
            a, b = elapsed(command)
            if turn > 0:
                inside[name].append(a)
                whole[name].append(b)
    for name in programs:
        print("  %-16s inside %8.0f us (least %8.0f)   process %8.0f us" % (
            name, statistics.median(inside[name]), min(inside[name]), statistics.median(whole[name])))
    middle = {name: statistics.median(inside[name]) for name in programs}
    ratio = middle["probe nvml"] / middle["bare nvml"]
    print("probe through NVML / bare NVML: %.3f (at most 1.10)" % ratio)
    print("probe through PCI: %.2f ms (at most 2)" % (middle["probe pci"] / 1000))
    wrong = (ratio > 1.10) + (middle["probe pci"] > 2000)
    if TOOL:
        ratio = statistics.median(whole["explain --probe"]) / statistics.median(whole["bare nvml"])
        print("process explain --probe / process bare NVML: %.3f (at most 1.5)" % ratio)
        wrong += ratio > 1.5
    once = elapsed([FOLDER + "/bench_probe", "cuda"])
    print("probe through CUDA, once: %.0f ms" % (once[0] / 1000))
    return wrong


def main():
    wrong = 0
    try:
        print("PCI functions on this host:", len(os.listdir("/sys/bus/pci/devices")))
    except OSError:
        print("no sysfs")
    for source in ("nvml", "cuda", "pci", "auto"):
        head, rows, shown = ours(source)
        print("%-5s %s from %s, %s visible: %s %s" % (source, head[1], head[2], head[3], ", ".join(shown), head[4]))
        for r in rows:
            print("      cuda %s nvml %s sm %s %s %s %s" % (r["cuda"], r["nvml"], r["sm"], r["pci"], r["uuid"], r["name"]))
    _, rows, _ = ours("nvml")
    if not rows:
        print("no NVIDIA device here")
        return 3
    smi = check_smi(rows)
    print("nvidia-smi -L:", smi)
    wrong += smi.startswith("DIFFERS")
    sure, open_ = values([r["uuid"] for r in rows])
    wrong += compare_values("on record", sure)
    compare_values("not on record", open_)
    wrong += compare_values("CUDA_DEVICE_ORDER=PCI_BUS_ID", [None, "1", "1,0"], "PCI_BUS_ID")
    wrong += compare_torch([None, "1", "1,0", rows[-1]["uuid"], rows[0]["uuid"][:12], "", "5", "0,junk,1"])
    wrong += measure()
    print("ALL AGREES" if wrong == 0 else "%d DISAGREE" % wrong)
    return 1 if wrong else 0


sys.exit(main())
