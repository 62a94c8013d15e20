#!/usr/bin/env python3
"""Prints what a build spent its time on: the ten most expensive sources and
headers.

  python3 cmake/build_cost.py build [--top 10]

Sources: the wall time of each object's last build, from .ninja_log. Build with
-j1 for times that can be compared, and without a compiler cache
(-DGYRE_CCACHE=). Objects of a unity build hold the sources of a folder.

Headers: where the objects were compiled by clang with
-DCMAKE_CXX_FLAGS=-ftime-trace, the time spent in each, with what it includes,
over all objects. Otherwise the project's headers that most objects read are
preprocessed alone, and ordered by lines times objects.
"""

import argparse
import collections
import json
import os
import re
import shlex
import subprocess
import sys

PREPROCESSED = 40  # headers, at most, so that it takes seconds


def object_times(build):
    """Seconds by object, of its newest entry."""
    times = {}
    with open(os.path.join(build, '.ninja_log')) as log:
        for line in log:
            fields = line.rstrip('\n').split('\t')
            if len(fields) == 5 and fields[3].endswith('.o'):
                times[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    return {name: t for name, t in times.items()
            if os.path.exists(os.path.join(build, name))}


def traced_headers(build, objects):
    """Seconds by header, from the traces beside the objects."""
    seconds = collections.Counter()
    for name in objects:
        trace = os.path.join(build, name[:-2] + '.json')
        if not os.path.exists(trace):
            continue
        with open(trace) as file:
            for event in json.load(file)['traceEvents']:
                if event.get('name') == 'Source':
                    seconds[event['args']['detail']] += event['dur'] / 1e6
    return seconds


def readers(build):
    """How many objects read each header of the project, from ninja's deps."""
    count = collections.Counter()
    deps = subprocess.run(['ninja', '-C', build, '-t', 'deps'], check=True,
                          capture_output=True, text=True).stdout
    for line in deps.splitlines():
        match = re.search(r'^ {4}(?:.*/)?include/gyre/(.+\.h)$', line)
        if match:
            count[match[1]] += 1
    return count


def compile_flags(build):
    """The include folders and definitions of some command of the project."""
    with open(os.path.join(build, 'compile_commands.json')) as file:
        words = shlex.split(json.load(file)[0]['command'])
    compiler = next(w for w in words if re.search(r'(\+\+|cc|clang)[\d.-]*$', w)
                    and 'ccache' not in w)
    keep = [w for w in words if re.match(r'-(I|D|std|m)', w)]
    for flag, value in zip(words, words[1:]):
        if flag == '-isystem':
            keep += [flag, value]
    folder = os.path.join(os.path.abspath(build), 'include')
    return [compiler, '-std=c++20', '-I' + folder] + keep


def preprocessed_headers(build):
    """[(lines * objects, header, lines, objects)], the largest first."""
    flags = compile_flags(build)
    found = []
    for header, objects in readers(build).most_common(PREPROCESSED):
        text = subprocess.run(
            flags + ['-E', '-P', '-x', 'c++', '-'], capture_output=True,
            text=True, input=f'#include "gyre/{header}"\n').stdout
        lines = text.count('\n')
        found.append((lines * objects, header, lines, objects))
    return sorted(found, reverse=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('build', help='the build folder')
    parser.add_argument('--top', type=int, default=10)
    args = parser.parse_args()
    if not os.path.exists(os.path.join(args.build, '.ninja_log')):
        sys.exit(f'error: expected a build folder made with -G Ninja, but '
                 f'there is no {args.build}/.ninja_log')

    times = object_times(args.build)
    print(f'{len(times)} objects, {sum(times.values()):.0f} s in all')
    for name, seconds in sorted(times.items(), key=lambda x: -x[1])[:args.top]:
        print(f'{seconds:8.1f} s  {name}')

    traced = traced_headers(args.build, times)
    if traced:
        print('\nheaders, with what they include, over all objects')
        for header, seconds in traced.most_common(args.top):
            print(f'{seconds:8.1f} s  {header}')
        return
    print('\nheaders: preprocessed lines, objects that read them')
    for _, header, lines, objects in preprocessed_headers(args.build)[:args.top]:
        print(f'{lines:8d} x {objects:4d}  gyre/{header}')


if __name__ == '__main__':
    main()
