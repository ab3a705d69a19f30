// Speeds of USB devices for people, in the units of the specification.

/** Mb/s as `1.5 Mb/s`, `480 Mb/s`, `5 Gb/s`; a speed that is not known (0) as `<unknown>`. */
export function speedText(megabits: number): string {
  if (!(megabits > 0)) return '<unknown>';
  return megabits < 1000 ? `${megabits} Mb/s` : `${megabits / 1000} Gb/s`;
}

/** The name that the specification gives to a speed. */
export function speedName(megabits: number): string {
  if (megabits <= 1.5) return 'low speed';
  if (megabits <= 12) return 'full speed';
  if (megabits <= 480) return 'high speed';
  return megabits <= 5000 ? 'SuperSpeed' : 'SuperSpeed+';
}
