// Completion for zsh with compinit.

export const ZSH = `#compdef kubectl-virt
# zsh completion of kubectl virt. In ~/.zshrc, behind compinit and the completion of kubectl itself:
#   source <(kubectl virt completion zsh)

_kubectl-virt() {
    local -a reply described options
    local line value about directive
    reply=("\${(@f)$(kubectl-virt __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    directive=\${reply[-1]#:}
    [[ $words[CURRENT] == --*=* ]] && compset -P '*='
    if [[ $directive == 0 ]]; then
        _files
        return
    fi
    for line in "\${(@)reply[1,-2]}"; do
        value=\${line%%$'\\t'*} about=\${\${line#$value}#$'\\t'}
        # In what _describe takes, a colon ends the value.
        described+=("\${value//:/\\\\:}\${about:+:$about}")
    done
    ((directive & 2)) && options=(-S '')
    _describe 'kubectl virt' described $options
}
compdef _kubectl-virt kubectl-virt

if (( $+functions[_kubectl] )); then
    _kubectl-virt-or-kubectl() {
        if [[ $words[2] == virt ]] && (( CURRENT > 2 )); then
            shift words
            (( CURRENT-- ))
            _kubectl-virt
        else
            _kubectl "$@"
        fi
    }
    compdef _kubectl-virt-or-kubectl kubectl
fi
`;
