# SPDX-License-Identifier: Apache-2.0
# Completion for bash. The tool is asked for its own words, so that none can be forgotten here.

_nvfp4_select_words() { # what may stand for the value of the option $1, under the policy $2, in $3
    local tool=${COMP_WORDS[0]}
    case $1 in
    --policy) "$tool" policy list 2>/dev/null | awk '/^[^ ]/ { print $1 } /also called/ { print $NF }' ;;
    --backend) "$tool" policy show --summary "$2" 2>/dev/null | sed -n 's/.*(--backend \(.*\)).*/\1/p' | sort -u ;;
    --all2all) "$tool" explain --keys 2>/dev/null | awk '/^  all2all / { on = 1; next } /^  [a-z]/ { on = 0 } on' ;;
    --set) "$tool" explain --keys 2>/dev/null | awk '/^[a-z]/ { section = $1 == "at" ? "" : $1 "." } /^  [a-z]/ { print section $1 "=" }' ;;
    --format) [[ $3 == matrix ]] && echo text markdown csv json html || echo text json ;;
    --source) echo auto nvml cuda pci tree ;;
    esac
}

_nvfp4_select_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
}

_nvfp4_select() {
    local tool=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} policy=default i
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$("$tool" --help 2>/dev/null |
            awk '/^commands/ { on = 1; next } /^$/ { on = 0 } on { print $1 }') --help --version" -- "$cur")
        ((${#COMPREPLY[@]})) || _nvfp4_select_files
        return
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == --policy ]] && policy=${COMP_WORDS[i + 1]}
    done
    case $prev in
    --model | --machine) _nvfp4_select_files ;;
    --gpu | --sm | --tp | --dp) ;;
    --policy | --backend | --all2all | --set | --format | --source)
        mapfile -t COMPREPLY < <(compgen -W "$(_nvfp4_select_words "$prev" "$policy" "$command")" -- "$cur")
        [[ $prev == --set ]] && compopt -o nospace 2>/dev/null
        [[ $prev == --policy && ${#COMPREPLY[@]} -eq 0 ]] && _nvfp4_select_files
        ;;
    *)
        if [[ $cur == -* ]]; then
            # A model in the place of a command has the options of explain.
            "$tool" --help 2>/dev/null | grep -q "^  $command " || command=explain
            mapfile -t COMPREPLY < <(compgen -W "$("$tool" "$command" --help 2>/dev/null |
                awk '/^  --/ { print $1 }')" -- "$cur")
        elif [[ $command == policy && COMP_CWORD -eq 2 ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$("$tool" policy --help 2>/dev/null |
                sed -n 's/.*nvfp4-select policy \([a-z]*\).*/\1/p')" -- "$cur")
        elif [[ $command == policy ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$(_nvfp4_select_words --policy)" -- "$cur")
            ((${#COMPREPLY[@]})) || _nvfp4_select_files
        else
            _nvfp4_select_files
        fi
        ;;
    esac
}

complete -F _nvfp4_select nvfp4-select
