// Completion for bash 3.2 and newer; needs no bash-completion package.

export const BASH = `# bash completion of kubectl virt. In ~/.bashrc, behind that of kubectl itself:
#   source <(kubectl virt completion bash)

# $1: how many words of the line are the program.
__kubectl_virt() {
    # Split anew, because bash takes = and : for ends of words.
    local line=\${COMP_LINE:0:COMP_POINT} tab=$'\\t' words typed reply directive value about candidate
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    typed=\${words[\${#words[@]} - 1]}
    COMPREPLY=()
    reply=$(kubectl-virt __complete "\${words[@]:$1}" 2>/dev/null) || return
    directive=\${reply##*:}
    if ((directive == 0)); then
        compopt -o default 2>/dev/null
        return
    fi
    compopt +o default 2>/dev/null
    ((directive & 2)) && compopt -o nospace 2>/dev/null
    reply=\${reply%:*}
    while IFS=$tab read -r value about; do
        [[ -z $value ]] && continue
        # bash puts in only what stands behind the last colon.
        [[ $typed == *:* && $COMP_WORDBREAKS == *:* ]] && value=\${value#"\${typed%"\${typed##*:}"}"}
        COMPREPLY+=("$value$tab$about")
    done <<<"$reply"
    # Descriptions only in a list that is shown, never in a word that is put in.
    local shown=yes
    ((\${#COMPREPLY[@]} == 1 || COMP_TYPE == 37 || COMP_TYPE == 42)) && shown=
    for candidate in "\${!COMPREPLY[@]}"; do
        value=\${COMPREPLY[candidate]%%$tab*} about=\${COMPREPLY[candidate]#*$tab}
        [[ $shown && $about ]] && value="$value  ($about)"
        COMPREPLY[candidate]=$value
    done
}

__kubectl_virt_plugin() { __kubectl_virt 1; }
complete -F __kubectl_virt_plugin kubectl-virt

if declare -F __start_kubectl >/dev/null; then
    __kubectl_virt_or_kubectl() {
        if [[ \${COMP_WORDS[1]} == virt ]] && ((COMP_CWORD > 1)); then __kubectl_virt 2; else __start_kubectl "$@"; fi
    }
    complete -o default -F __kubectl_virt_or_kubectl kubectl
fi
`;
