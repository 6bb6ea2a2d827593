# lint_code.awk -- a source's line as code, for the checks in awk
# SPDX-License-Identifier: MIT

# Return the line as code: without comments, and with empty strings and character constants.
function code_of(line,    out, token, end)
{
    out = ""
    while (line != "") {
        if (in_comment) {
            end = index(line, "*/")
            if (end == 0)
                return out
            in_comment = 0
            line = substr(line, end + 2)
            continue
        }
        if (!match(line, /["']|\/\*|\/\//))
            return out line
        token = substr(line, RSTART, RLENGTH)
        out = out substr(line, 1, RSTART - 1)
        line = substr(line, RSTART)
        if (token == "/*") {
            in_comment = 1
            line = substr(line, 3)
        } else if (token == "//") {
            return out
        } else {
            if (!match(line, token == "\"" ? "^\"([^\"\\\\]|\\\\.)*\"" : "^'([^'\\\\]|\\\\.)*'"))
                return out
            out = out token token
            line = substr(line, RLENGTH + 1)
        }
    }
    return out
}
