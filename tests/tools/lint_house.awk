# lint_house.awk -- check who includes, defines and knows what in the rooms of sort/ and around them
# SPDX-License-Identifier: MIT
#
# usage: awk -f lint_code.awk -f lint_house.awk FILE...   with all sources of the tree
#
# Prints FILE:LINE: what for each finding, and exits 1 if there is one. Written in POSIX awk, as
# lint_rules.awk.
#
# A header at the root of sort/ belongs to the room that defines its functions. sort/X/u32 and other
# folders in a room are part of it. Declarations are told from definitions by their form: at file
# scope, a name before the last parentheses, and then `;` or `{`.

BEGIN {
    # The house from the ground up; rooms on one floor do not know each other.
    floors = split("common | types | check | keys | bin device | split | run | cpu merge |" \
        " ways gpu | pipeline engines | sorter | tags | external wide | width |" \
        " api | cluster | cli data | tests", floor_rooms, "|")
    for (i = 1; i <= floors; i++) {
        rooms = split(floor_rooms[i], names, " ")
        for (j = 1; j <= rooms; j++)
            floor[names[j]] = i
    }
    home["sort/gsort.h"] = "api"
    home["sort/cluster.h"] = "cluster"
    # Folders that may know that a key has 32 bits.
    narrow = "^sort/([a-z]+/u32|device)/"
}

# Report `what`, and `more` that helps to see it.
function found(file, line, what, more)
{
    print file ":" line ": " what more
    findings++
}

# Return the room that a file belongs to, or "".
function room_of(path,    parts, n)
{
    if (path in home)
        return home[path]
    n = split(path, parts, "/")
    if (parts[1] == "sort")
        return n > 2 ? parts[2] : ""
    return n > 1 ? parts[1] : ""
}

# Return the node of the include graph that a file belongs to: X.c and X.h are one.
function node_of(path,    parts, n)
{
    n = split(path, parts, "/")
    if (path in home)
        path = "sort/" home[path] "/" parts[n]
    sub(/\.[a-z]+$/, "", path)
    return path
}

function check_include(line,    target, to)
{
    target = line
    sub(/^[^"]*"/, "", target)
    sub(/".*/, "", target)
    to = room_of(target)
    if (!(to in floor))
        found(FILENAME, FNR, "may not include " target, ", which is in no room")
    else if (room in floor && room != to && floor[to] >= floor[room])
        found(FILENAME, FNR, "may not include " target, ": " to " is not below " room)
    else if (room == "cli" && target ~ /^sort\/.*\//)
        found(FILENAME, FNR, "may not include " target, ": cli includes headers of sort/ itself")
    else if (room == "data" && to !~ /^(data|common)$/)
        found(FILENAME, FNR, "may not include " target, ": data shares no code with a sort")
    to = node_of(target)
    if (to == node || (node, to) in edge_line)
        return
    edge_line[node, to] = FNR
    edge_file[node, to] = FILENAME
    edges[node] = edges[node] " " to
}

# Return the function or variable that a piece of code at file scope declares, or "".
function name_in(text,    depth, i, c)
{
    sub(/ *(=.*)?$/, "", text)
    sub(/(\[[^]]*\])+$/, "", text)
    while (text ~ /[)]$/) {
        depth = 0
        for (i = length(text); i > 0; i--) {
            c = substr(text, i, 1)
            depth += (c == ")") - (c == "(")
            if (depth == 0)
                break
        }
        text = substr(text, 1, i - 1)
        if (text !~ /__attribute__ *$/)
            break
        sub(/ *__attribute__ *$/, "", text)
    }
    # There is a type before the name.
    if (text !~ /[A-Za-z0-9_*] *[ *][A-Za-z_][A-Za-z0-9_]*$/)
        return ""
    match(text, /[A-Za-z_][A-Za-z0-9_]*$/)
    return substr(text, RSTART)
}

# A piece of code at file scope ends with `end`.
function take(text, end,    name)
{
    if (text ~ /(^| )(static|typedef|using)( |$)/ || text ~ /^ *(struct|union|enum) [^ ]+ *$/)
        return
    name = name_in(text)
    if (name == "")
        return
    if (text ~ /^ *extern / || (end == ";" && text ~ /[)] *$/)) {
        if (is_header) {
            declared_line[FILENAME, name] = FNR
            declared[++declarations] = FILENAME SUBSEP name
        }
        return
    }
    defined_in[name] = defined_in[name] " " room
}

# Follow code to the file scope's pieces, which may go over several lines.
function follow(code,    c)
{
    if (code ~ /^}/)
        depth = 0
    while (match(code, /[{};]/)) {
        c = substr(code, RSTART, 1)
        if (depth == 0)
            text = text substr(code, 1, RSTART - 1)
        code = substr(code, RSTART + 1)
        if (c == "}") {
            depth -= depth > 0
            text = ""
        } else if (depth > 0) {
            depth += c == "{"
        } else if (text ~ /^ *(namespace|extern "")[^(]*$/) {
            text = "" # what is in these braces is still at file scope
        } else {
            take(text, c)
            depth += c == "{"
            text = ""
        }
    }
    if (depth == 0)
        text = text code " "
}

# What only some rooms may know.
function check_knowledge(code)
{
    if (room == "pipeline" && code ~ /(^|[^A-Za-z0-9_])gs_stages_[cg]pu/)
        found(FILENAME, FNR, "the pipeline does not ask which table of stages it was given", "")
    if (FILENAME !~ /^sort\// || FILENAME ~ narrow)
        return
    if (vectors_in != FILENAME && \
        code ~ /(^|[^A-Za-z0-9_])(_mm(256|512)?_|__m(128|256|512)|__mmask)|<[a-z]*intrin\.h>/) {
        found(FILENAME, FNR, "code for vectors of 32-bit keys is in u32/", "")
        vectors_in = FILENAME # one finding is enough
    }
    if (room != "keys" && code ~ /__builtin_c[lt]z/)
        found(FILENAME, FNR, "bits of a key are counted by functions of sort/keys/", "")
}

# Report a shortest circle of includes through a node, if there is one.
function find_circle(start,    queue, first, last, from, to, list, n, i, path, step)
{
    for (step in previous)
        delete previous[step]
    queue[1] = start
    last = 1
    for (first = 1; first <= last; first++) {
        from = queue[first]
        n = split(edges[from], list, " ")
        for (i = 1; i <= n; i++) {
            to = list[i]
            if (to in previous)
                continue
            previous[to] = from
            queue[++last] = to
            if (to != start)
                continue
            path = start
            do {
                step = to
                to = previous[to]
                path = to " > " path
            } while (to != start)
            found(edge_file[start, step], edge_line[start, step], "is in a circle of includes", \
                ": " path)
            return
        }
    }
}

FNR == 1 {
    node = node_of(FILENAME)
    room = room_of(FILENAME)
    nodes[node]
    is_header = FILENAME ~ /^(sort|common)\/.*\.(h|cuh)$/
    in_comment = depth = continued = 0
    text = ""
    if (!(room in floor))
        found(FILENAME, 1, "is in no room", "")
}

/^ *# *include *"/ {
    check_include($0)
}

{
    code = code_of($0)
    check_knowledge(code)
    if (!continued && code !~ /^ *#/)
        follow(code)
    else
        continued = code ~ /\\$/
}

END {
    for (i = 1; i <= declarations; i++) {
        split(declared[i], parts, SUBSEP)
        room = room_of(parts[1])
        if (index(defined_in[parts[2]] " ", " " room " ") == 0)
            found(parts[1], declared_line[parts[1], parts[2]], "declares " parts[2] \
                ", which is defined " (defined_in[parts[2]] == "" ? "nowhere" : \
                "in" defined_in[parts[2]]), "")
    }
    for (node in nodes)
        find_circle(node)
    exit findings > 0
}
