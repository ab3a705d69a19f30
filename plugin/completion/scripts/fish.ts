// Completion for fish 3 and newer.

export const FISH = `# fish completion of kubectl virt. In ~/.config/fish/config.fish:
#   kubectl virt completion fish | source

# $argv[1]: how many words of the line are the program.
function __kubectl_virt
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l reply (kubectl-virt __complete $words[(math $argv[1] + 1)..-1] "$typed" 2>/dev/null)
    or return
    # fish replaces the whole word.
    set -l before (string match -r -- '^--[^=]*=' "$typed")
    if test "$reply[-1]" = ":0"
        set reply (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$typed")) :0
    end
    for line in $reply[1..-2]
        echo -- "$before$line"
    end
end

function __kubectl_virt_typed
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = virt
end

complete -c kubectl-virt -k -f -a '(__kubectl_virt 1)'
complete -c kubectl -k -f -n __kubectl_virt_typed -a '(__kubectl_virt 2)'
`;
