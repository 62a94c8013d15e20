"""cmake/build_cost.py on a build folder made by hand: what it adds up and how
it orders. No packages are needed."""

import json
import os
import subprocess
import sys
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      '../../cmake/build_cost.py')


def write(folder, name, text):
    with open(os.path.join(folder, name), 'w') as file:
        file.write(text)


def trace(seconds_by_header):
    return json.dumps({'traceEvents': [
        {'name': 'Source', 'dur': int(1e6 * seconds), 'args': {'detail': name}}
        for name, seconds in seconds_by_header.items()]})


def run(folder):
    return subprocess.run([sys.executable, SCRIPT, folder, '--top', '2'],
                          capture_output=True, text=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        missing = run(folder)
        assert missing.returncode == 1, missing
        assert 'expected a build folder' in missing.stderr, missing.stderr

        # a.o was built twice; gone.o is no more; lib.a is no object.
        write(folder, '.ninja_log',
              '# ninja log v5\n'
              '0\t9000\t1\ta.o\th\n'
              '0\t1000\t1\tgone.o\th\n'
              '100\t2600\t1\tb.o\th\n'
              '0\t500\t1\tc.o\th\n'
              '3000\t4000\t1\ta.o\th\n'
              '0\t7000\t1\tlib.a\th\n')
        for name in ('a.o', 'b.o', 'c.o'):
            write(folder, name, '')
        write(folder, 'a.json', trace({'/x/slow.h': 1.5, '/x/quick.h': 0.1}))
        write(folder, 'b.json', trace({'/x/slow.h': 1.0, '/x/other.h': 2.0}))
        done = run(folder)
        assert done.returncode == 0, done
        assert done.stdout.split('\n') == [
            '3 objects, 4 s in all',
            '     2.5 s  b.o',
            '     1.0 s  a.o',
            '',
            'headers, with what they include, over all objects',
            '     2.5 s  /x/slow.h',
            '     2.0 s  /x/other.h',
            ''], done.stdout


if __name__ == '__main__':
    main()
