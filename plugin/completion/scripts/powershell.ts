// Completion for Windows PowerShell 5 and PowerShell 7.

export const POWERSHELL = `# PowerShell completion of kubectl virt. In the profile:
#   kubectl virt completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName 'kubectl-virt' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    if ($wordToComplete -eq '') {
        # Before 7.3 an empty argument gets lost on its way to a program.
        $words += if ($PSVersionTable.PSVersion -lt [version]'7.3.0') { '""' } else { '' }
    }
    $before = if ($wordToComplete -match '^--[^=]*=') { $Matches[0] } else { '' }
    $reply = @(& kubectl-virt __complete @words 2>$null)
    $reply | Select-Object -SkipLast 1 | ForEach-Object {
        $value, $about = $_ -split "\`t", 2
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new("$before$value", $value, 'ParameterValue', $about)
    }
}
`;
