#!/usr/bin/env python3
"""CUDA C++ to what include/cuda_runtime.h understands. translate.py IN OUT"""
import re, sys

# Functions with inline PTX: their bodies here. Add a rule for each new one.
BODIES = {
    'add_one': ('(void)size; emu_yield(0); uint32_t was = 0; if (x < size) { was = *s_counter; *s_counter = was + 1; } return was;'),
    'max_inside': 'return x < size ? max(a, b) : a;',
}

def blank(text):
    return re.sub(r'[^\n]', ' ', text)

def strip_comments(s):
    out = []
    for m in re.finditer(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|[^/"\']+|.', s, re.S):
        t = m.group(0)
        out.append(blank(t) if t.startswith('//') or t.startswith('/*') else t)
    return ''.join(out)

def closing(s, i, a, b):
    depth = 0
    while True:
        if s[i] == a: depth += 1
        elif s[i] == b:
            depth -= 1
            if depth == 0: return i
        i += 1

def split_commas(s):
    parts, depth, last = [], 0, 0
    for i, c in enumerate(s):
        if c in '([{<': depth += 1
        elif c in ')]}>': depth -= 1
        elif c == ',' and depth == 0:
            parts.append(s[last:i]); last = i + 1
    parts.append(s[last:])
    return [p.strip() for p in parts]

def bodies(s):
    for name, body in BODIES.items():
        m = re.search(r'\b' + name + r'\(([^()]|\([^()]*\))*\)\s*\{', s)
        while m:
            begin = m.end() - 1
            end = closing(s, begin, '{', '}')
            old = s[begin:end + 1]
            if 'asm' in old:
                s = s[:begin] + '{ ' + body + ' }' + '\n' * old.count('\n') + s[end + 1:]
            m = re.compile(r'\b' + name + r'\(([^()]|\([^()]*\))*\)\s*\{').search(s, end)
    m = re.search(r'\basm\b', s)
    if m:
        line = s.count('\n', 0, m.start()) + 1
        sys.exit('translate.py: %s:%d: inline PTX without a rule in BODIES' % (sys.argv[1], line))
    return s

def shared(s):
    s = re.sub(r'extern\s+__shared__\s+(?:__align__\(\d+\)\s+|alignas\(\d+\)\s+)?([^;\[]+?)\s*\b(\w+)\s*\[\s*\]\s*;',
               r'\1 *\2 = (\1 *)emu_dynamic_shared();', s)
    def declare(m):
        text = m.group(1)
        text = re.sub(r'^\s*(__align__\(\d+\)|alignas\(\d+\))', '', text).strip()
        parts = split_commas(text)
        first = re.match(r'^(.*?)\b(\w+)\s*((?:\[[^\]]*\]\s*)*)$', parts[0], re.S)
        kind = first.group(1).strip()
        out = ''
        for p in [parts[0][first.start(2):]] + parts[1:]:
            q = re.match(r'^(\w+)\s*(.*)$', p, re.S)
            name, dims = q.group(1), q.group(2).strip()
            out += ('using %s_emu = %s%s; static const size_t %s_off = emu_shared_offset(sizeof(%s_emu)); '
                    '%s_emu &%s = *(%s_emu *)emu_shared_base(%s_off); ') % ((name, kind, dims) + (name,) * 6 + (name,))[:9] \
                if False else ('using {n}_emu = {k}{d}; static const size_t {n}_off = emu_shared_offset(sizeof({n}_emu)); '
                    '{n}_emu &{n} = *({n}_emu *)emu_shared_base({n}_off); ').format(n=name, k=kind, d=dims)
        return out + '\n' * m.group(0).count('\n')
    return re.sub(r'(?:\bstatic\s+)?__shared__\s+([^;]+);', declare, s)

def launches(s):
    while True:
        i = s.find('<<<')
        if i < 0: return s
        # the kernel: an identifier, perhaps with template arguments
        j = i
        while s[j - 1].isspace(): j -= 1
        if s[j - 1] == '>':
            depth = 0
            while True:
                j -= 1
                if s[j] == '>': depth += 1
                elif s[j] == '<':
                    depth -= 1
                    if depth == 0: break
        while s[j - 1].isspace(): j -= 1
        while s[j - 1].isalnum() or s[j - 1] in '_:': j -= 1
        kernel = ' '.join(s[j:i].split())
        k = s.index('>>>', i)
        config = split_commas(s[i + 3:k])
        config += ['0'] * (4 - len(config))
        o = s.index('(', k)
        c = closing(s, o, '(', ')')
        args = s[o + 1:c]
        s = s[:j] + 'emu_launch("%s", %s, %s, %s, %s, %s%s)' % (
            kernel, config[0], config[1], config[2], config[3], kernel, ', ' + args if args.strip() else '') \
            + '\n' * s[i:k].count('\n') + s[c + 1:]

source = strip_comments(open(sys.argv[1]).read())
source = launches(shared(bodies(source)))
open(sys.argv[2], 'w').write('#line 1 "%s"\n' % sys.argv[1] + source)
