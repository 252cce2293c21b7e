#!/usr/bin/env python3
"""Weighs a release: sizes, libraries, and how long `postilla --version` takes beside the smallest Swift program that uses
Foundation. Runs take turns, so both meet the same machine.

    weigh.py BUILD DIST [RUNS]
"""
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HELLO = 'import Foundation\nprint(URL(string: "https://example.com")?.host ?? "", "0.2.0")\n'


def seconds(program, *arguments):
    start = time.perf_counter()
    subprocess.run([program, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def libraries(program):
    return len(re.findall(r"=>", subprocess.check_output(["ldd", program], text=True)))


def exported(program):
    text = subprocess.check_output(["nm", "--dynamic", "--defined-only", program], text=True, stderr=subprocess.DEVNULL)
    return len(text.splitlines())


def report(name, value):
    print("%-58s %s" % (name, value))


def main():
    build, dist = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    with tempfile.TemporaryDirectory() as folder:
        program, hello = folder + "/postilla", folder + "/hello"
        subprocess.run(["strip", "-o", program, str(build / "postilla")], check=True)
        pathlib.Path(folder, "hello.swift").write_text(HELLO)
        subprocess.run(["swiftc", "-O", "-static-stdlib", folder + "/hello.swift", "-o", hello], check=True)
        subprocess.run(["strip", hello], check=True)
        report("program, stripped, MB", "%.1f" % (os.path.getsize(program) / 1e6))
        report("Swift program with Foundation, stripped, MB", "%.1f" % (os.path.getsize(hello) / 1e6))
        for package in sorted(dist.glob("*.deb")):
            report(package.name + ", MB", "%.1f" % (package.stat().st_size / 1e6))
        report("shared libraries loaded at start, program and other", "%d, %d" % (libraries(program), libraries(hello)))
        report("symbols exported", exported(program))
        times = {program: [], hello: []}
        for number in range(runs + 5):
            for each, arguments in ((program, ["--version"]), (hello, [])):
                taken = seconds(each, *arguments)
                # The first ones read the files from disk.
                if number >= 5:
                    times[each].append(taken * 1000)
        ours, theirs = (statistics.median(times[each]) for each in (program, hello))
        report("postilla --version, median of %d, ms" % runs, "%.1f" % ours)
        report("Swift program with Foundation, median of %d, ms" % runs, "%.1f" % theirs)
        report("difference, ms", "%.1f" % (ours - theirs))


main()
