# lint_rules.awk -- check the project's own rules line by line: headers of files, code, words
# SPDX-License-Identifier: MIT
#
# usage: awk -f lint_code.awk -f lint_rules.awk FILE...   with paths relative to the top of the tree
#
# Prints FILE:LINE: what for each finding, and exits 1 if there is one. Written in POSIX awk, since
# a minimal Debian has only mawk. Rules about code see it without comments and with empty strings.

function found(what)
{
    print FILENAME ":" FNR ": " what
    findings++
}

function begin_file(    parts, n)
{
    in_comment = 0
    spdx = 0
    n = split(FILENAME, parts, "/")
    base = parts[n]
    folder = n > 1 ? parts[1] : ""
    is_c = base ~ /\.(c|h|cc|cu|cuh)$/
    is_bats = base ~ /\.bats$/
    is_library = folder == "sort" || folder == "common" || FILENAME ~ /^data\/dist\./
    guard = ""
    if (base ~ /\.(h|cuh)$/) {
        guard = FILENAME == "sort/gsort.h" ? "GSORT_H" : "GS_" toupper(base)
        gsub(/[^A-Z0-9]/, "_", guard)
    }
}

function end_file()
{
    if (name == "")
        return
    if (!spdx)
        print name ":1: no line of its own for SPDX-License-Identifier among the first three"
    if (lines > 500)
        print name ":" lines ": longer than 500 lines: more than one purpose?"
    if (guard != "")
        print name ":1: no include guard " guard
    findings += !spdx + (lines > 500) + (guard != "")
}

# The first line gives name and purpose; in a script it is the second, in a test file a sentence.
function check_opening(line)
{
    if (FNR == 1 && line ~ /^#!/)
        opening = 2
    else if (FNR == 1)
        opening = 1
    if (FNR == opening && is_bats && line !~ /^# [^ ].*[.]$/)
        found("the first line of a test file is a sentence about one behaviour")
    if (FNR == opening && !is_bats && index(line, (is_c ? "/* " : "# ") base " -- ") != 1)
        found("the first line is not \"" (is_c ? "/* " : "# ") base " -- purpose\"")
    if (FNR <= 3 && line ~ /^( [*]|#) SPDX-License-Identifier: MIT$/)
        spdx = 1
}

function check_text(line)
{
    if (index(line, "\t"))
        found("tab")
    if (line ~ /[ \r]$/)
        found("white space at the end of the line")
    if (length(line) > 100)
        found("longer than 100 columns")
    if (line ~ /(^|[^A-Za-z])(TO[D]O|FIX[M]E|XX[X])([^A-Za-z]|$)/)
        found("work left over: do it or leave it out")
}

# Does code contain one of the words (a regex alternation) as a whole word, followed by `after`?
function has_word(code, words, after)
{
    return code ~ ("(^|[^A-Za-z0-9_])(" words ")" after)
}

function check_library(code)
{
    if (has_word(code, "v?f?printf|v?dprintf|f?puts|f?putc|putchar|perror|warnx?|errx?", " *[(]") ||
        has_word(code, "stdout|stderr", "([^A-Za-z0-9_]|$)"))
        found("only cli/ and the tools print")
    if (has_word(code, "_exit|_Exit|exit|quick_exit|abort", " *[(]"))
        found("only cli/ and the tools exit")
}

function check_code(code)
{
    if (code ~ /^[ ]*#[ ]*(if|ifdef|ifndef|elif).*GS_CUDA/)
        found("what is built is chosen by file in the Makefile, not by #if")
    if (guard != "" && code ~ ("^#define " guard "$"))
        guard = ""
}

FNR == 1 {
    end_file()
    begin_file()
    name = FILENAME
}

{
    lines = FNR
    check_opening($0)
    check_text($0)
    if (is_c) {
        code = code_of($0)
        check_code(code)
        if (is_library)
            check_library(code)
    }
}

END {
    end_file()
    exit findings > 0
}
