"""Compiles the examples of the public headers.

usage: header_examples.py COMPILER SOURCE INCLUDE [FLAG...] [--headers FILE...]

An example is a paragraph of a comment, its lines indented by three blanks or
more, of which one ends with `;`: others are formulas, tables and layouts. All
examples become one source, which is parsed with #line, so that an error names
the header and its line. What begins at the margin with a function, a class or
a namespace stands in a namespace of its own; the rest in a function, among the
names of tests/lint/example_context.h.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

INCLUDE = re.compile(r'^#include [<"]gyre/([^>"]+)[>"]', re.M)
LINE = re.compile(r"^\s*//(?:   (.*)|\s*)$")
ENDS_STATEMENT = re.compile(r";\s*(//.*)?$")
TOP_LEVEL = re.compile(
    r"^(struct|class|template|namespace|using namespace|int main"
    r"|(gyre::)?(Var|Status)\s+\w+\()")


def public_headers(source):
    facades = sorted((source / "include/gyre").glob("*.h"))
    rooms = {source / name for facade in facades
             for name in INCLUDE.findall(facade.read_text())}
    return facades + sorted(path for path in rooms if path.exists())


def paragraphs(path):
    """Yields lists of (number, text) of indented lines of comments."""
    block = []
    for number, line in enumerate(path.read_text().splitlines() + [""], 1):
        match = LINE.match(line)
        if match and match.group(1) is not None:
            block.append((number, match.group(1)))
            continue
        if block:
            yield block
        block = []


def examples(path):
    """Yields the paragraphs of code; those in a row are one example."""
    example, last = [], None
    for block in paragraphs(path):
        code = any(ENDS_STATEMENT.search(text) for _, text in block)
        if example and (not code or block[0][0] != last + 2):
            yield example
            example = []
        if code:
            example += block
            last = block[-1][0]
    if example:
        yield example


def split(example):
    """Splits into what stands in a namespace and what in a function."""
    outside, inside, open_block = [], [], False
    for number, text in example:
        if not open_block and TOP_LEVEL.match(text):
            one_line = text.endswith(";") or text.endswith("}")
            open_block = not one_line
            outside.append((number, text))
        elif open_block:
            outside.append((number, text))
            open_block = not re.match(r"^\};?(\s*//.*)?$", text)
        else:
            inside.append((number, text))
    return outside, inside


def emit(path, lines):
    out = []
    for number, text in lines:
        out.append(f'#line {number} "{path}"')
        out.append(re.sub(r"\bint main\(", "int Main(", text))
    return out


def generate(headers):
    out = ['#include "tests/lint/example_context.h"']
    count = 0
    for path in headers:
        for example in examples(path):
            count += 1
            outside, inside = split(example)
            out.append(f"namespace example_{count} {{")
            out.append("using namespace gyre;")
            if path.parent.name == "optim":
                out.append("using namespace gyre::optim;")
            out += emit(path, outside)
            if inside:
                out.append("Status Example() {")
                out += emit(path, inside)
                out += ["return OkStatus();", "}"]
            out.append(f"}}  // example {count}")
    return count, "\n".join(out) + "\n"


def main(arguments):
    compiler, source, include, *rest = arguments
    source = pathlib.Path(source)
    headers = public_headers(source)
    if "--headers" in rest:
        at = rest.index("--headers")
        headers = [pathlib.Path(name) for name in rest[at + 1:]]
        rest = rest[:at]
    count, text = generate(headers)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "examples.cc"
        path.write_text(text)
        result = subprocess.run(
            [compiler, "-std=c++20", "-fsyntax-only", "-w", f"-I{source}",
             f"-I{source}/include", f"-I{include}", *rest, str(path)])
    if result.returncode != 0:
        sys.exit("an example of a public header does not compile")
    if count == 0:
        sys.exit("no example was found: the check reads the wrong files")
    print(f"{count} examples of {len(headers)} headers")


if __name__ == "__main__":
    main(sys.argv[1:])
