// The values of -o for verbs that print API objects.

export const OBJECT_FORMATS: readonly string[] = [
  'json',
  'yaml',
  'name',
  'jsonpath=TEMPLATE',
  'jsonpath-file=FILE',
  'custom-columns=HEADER:PATH,...',
  'custom-columns-file=FILE',
];
