#!/usr/bin/env python3
"""Prints a header with its plain // comments as Doxygen's, line by line.

Doxygen calls it for every header (docs/api/Doxyfile.in). Comments on
declarations become ///, those behind members ///<, and the one that a header
opens with is the file's. Prose may hold any character; what stands three
columns in behind an empty line is an example.
"""

import re
import sys

FULL = re.compile(r'^(\s*)//( ?)(.*)$')
TRAILING = re.compile(r'^(.*[;,{}\w)])(  +)// (.*)$')
ITEM = re.compile(r'^([-*]|\d+\.) ')
SCOPE = re.compile(r'\b(namespace|class|struct|union|enum|extern)\b')


def escaped(prose):
    """Prose in which no character means anything to Doxygen, but `code`."""
    parts = prose.split('`')
    if len(parts) % 2 == 0:  # a span that goes over the line's end
        parts = [prose.replace('`', "'")]
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r'([\\@#<>&%|*_~"\[\]])', r'\\\1', parts[i])
        # There is no escape for these.
        parts[i] = parts[i].replace(r'\*', '&lowast;').replace(r'\_', '_')
        parts[i] = parts[i].replace(r'\~', '~')
        parts[i] = parts[i].replace(r'\[', '[').replace(r'\]', ']')
    return '`'.join(parts)


class Filter:
    """Knows, from line to line, where in the file it is."""

    def __init__(self):
        self.scopes = []      # for each open brace: does it hold declarations?
        self.trailing = None  # column of a comment behind code, just above
        self.blank = False    # the comment above is an empty line, or code
        self.item = False     # it is of a list
        self.pending = ''     # code since the last ; { or }

    def line(self, text, first):
        comment = FULL.match(text)
        if not comment:
            self.blank = False
            return self.code(text)
        indent, _, prose = comment.groups()
        if self.trailing is not None and abs(len(indent) - self.trailing) <= 1:
            return f'{indent}///< {escaped(prose)}'
        self.trailing = None
        if not all(self.scopes):
            return text  # in the body of a function
        if not prose.strip():
            self.blank = True
            return f'{indent}///'
        if prose.startswith('  ') and not self.item:
            before = '' if self.blank else f'{indent}///\n'
            self.blank = True
            return f'{before}{indent}///    {prose}'
        self.blank = False
        self.item = prose.startswith('  ') or bool(ITEM.match(prose))
        mark = r'\file' + '\n///\n/// ' if first else ''
        warning = re.match(r'WARNING \d+: ', prose)
        if warning:
            mark, prose = r'\warning ', prose[warning.end():]
        return f'{indent}/// {mark}{escaped(prose)}'

    def code(self, text):
        comment = TRAILING.match(text)
        code = comment[1] if comment else text
        self.trailing = None
        declares = all(self.scopes)
        self.follow(code)
        if comment and declares and re.search(r'[;,\w]$', code) and (
                'namespace' not in comment[3]) and not code.startswith('#'):
            self.trailing = len(code) + len(comment[2])
            return f'{code}{comment[2]}///< {escaped(comment[3])}'
        return text

    def follow(self, code):
        """Keeps count of braces outside of texts."""
        if code.startswith('#'):
            return
        code = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'', '""', code)
        for c in code:
            if c == '{':
                body = re.search(r'[()=]', self.pending.split('template')[-1])
                self.scopes.append(
                    bool(SCOPE.search(self.pending)) and not body)
            elif c == '}' and self.scopes:
                self.scopes.pop()
            self.pending = '' if c in '{};' else self.pending + c
        self.pending += ' '


def before_namespace(lines, at):
    """Whether the comment at `at` stands above a namespace: it is not its."""
    after = next((x for x in lines[at:] if not FULL.match(x)), '')
    return bool(FULL.match(lines[at])) and after.startswith('namespace')


def main():
    filtered = Filter()
    with open(sys.argv[1], encoding='utf-8') as file:
        lines = file.read().splitlines()
    for at, text in enumerate(lines):
        print(text if before_namespace(lines, at)
              else filtered.line(text, at == 0))


if __name__ == '__main__':
    main()
