// Help and --print-config of a component, made from its options.
import type { Option } from './options.ts';

/** One line an option: flag, environment, meaning, default. */
export function optionHelp(command: string, about: string, spec: Record<string, Option<unknown>>): string {
  const rows = Object.values(spec).map((option) => {
    const left = option.form ? `--${option.flag} VALUE` : `--${option.flag}`;
    const required = 'fallback' in option ? '' : ' Required.';
    const fallback =
      option.fallback === undefined || option.fallback === '' ? '' : ` Default: ${option.fallback}.`;
    const env = option.env ? ` [${option.env}]` : '';
    return [left, `${option.help}${required}${option.form ? fallback : ''}${env}`] as const;
  });
  rows.push(['--print-config', 'Print the settings in force and exit.'], ['--help', 'Print this and exit.']);
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
  return `${about}\n\nUsage: ${command} [flags]\n\nFlags:\n${lines.join('\n')}\n`;
}

/** The settings in force, one `flag=value` a line. */
export function printedConfig(
  spec: Record<string, Option<unknown>>,
  values: Record<string, unknown>,
): string {
  return Object.entries(spec)
    .map(([name, option]) => `${option.flag}=${String(values[name])}\n`)
    .join('');
}
