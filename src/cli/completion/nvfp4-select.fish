# SPDX-License-Identifier: Apache-2.0
# Completion for fish. The tool is asked for its own words, so that none can be forgotten here.

function __nvfp4_select_commands
    nvfp4-select --help 2>/dev/null | awk '/^commands/ { on = 1; next } /^$/ { on = 0 } on { name = $1; $1 = ""; sub(/^ /, ""); print name "\t" $0 }'
end

function __nvfp4_select_policies
    nvfp4-select policy list 2>/dev/null | awk '/^[^ ]/ { print $1 } /also called/ { print $NF }'
end

function __nvfp4_select_command # the command, explain where a model stands in its place
    set -l word (commandline -opc)[2]
    if contains -- "$word" (__nvfp4_select_commands | cut -f1)
        echo $word
    else
        echo explain
    end
end

function __nvfp4_select_options
    nvfp4-select (__nvfp4_select_command) --help 2>/dev/null | awk '/^  --/ { name = $1; sub(/^  --[^ ]+( [A-Z=]+)? +/, ""); print name "\t" $0 }'
end

function __nvfp4_select_value
    set -l prev (commandline -opc)[-1]
    set -l policy default
    set -l words (commandline -opc)
    for i in (seq (count $words))
        test $words[$i] = --policy; and set policy $words[(math $i + 1)]
    end
    switch $prev
        case --policy
            __nvfp4_select_policies
        case --backend
            nvfp4-select policy show --summary $policy 2>/dev/null | sed -n 's/.*(--backend \(.*\)).*/\1/p' | sort -u
        case --all2all
            nvfp4-select explain --keys 2>/dev/null | awk '/^  all2all / { on = 1; next } /^  [a-z]/ { on = 0 } on' | tr -s ' ' '\n' | grep .
        case --set
            nvfp4-select explain --keys 2>/dev/null | awk '/^[a-z]/ { section = $1 == "at" ? "" : $1 "." } /^  [a-z]/ { print section $1 "=" }'
        case --format
            printf 'text\njson\n'
            test (__nvfp4_select_command) = matrix; and printf 'markdown\ncsv\nhtml\n'
        case --source
            printf 'auto\nnvml\ncuda\npci\ntree\n'
    end
end

function __nvfp4_select_awaits # a word, not the value of an option
    not string match -qr -- '^--(policy|backend|all2all|set|format|source|gpu|sm|tp|dp|model|machine)$' (commandline -opc)[-1]
end

function __nvfp4_select_in_policy
    set -l words (commandline -opc)
    test "$words[2]" = policy; and __nvfp4_select_awaits
end

complete -c nvfp4-select -n 'test (count (commandline -opc)) -eq 1' -a '(__nvfp4_select_commands)'
complete -c nvfp4-select -n 'string match -q -- "-*" (commandline -ct); and __nvfp4_select_awaits' -a '(__nvfp4_select_options)'
complete -c nvfp4-select -n 'string match -q -- --policy (commandline -opc)[-1]' -a '(__nvfp4_select_policies)'
complete -c nvfp4-select -f -n 'string match -qr -- "^--(backend|all2all|set|format|source)\$" (commandline -opc)[-1]' -a '(__nvfp4_select_value)'
complete -c nvfp4-select -f -n '__nvfp4_select_in_policy; and test (count (commandline -opc)) -eq 2' -a "(nvfp4-select policy --help 2>/dev/null | sed -n 's/.*nvfp4-select policy \\([a-z]*\\).*/\\1/p')"
complete -c nvfp4-select -n '__nvfp4_select_in_policy; and test (count (commandline -opc)) -gt 2' -a '(__nvfp4_select_policies)'
