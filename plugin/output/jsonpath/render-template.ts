// A template with the values of an object in it: what `-o jsonpath=` prints.
import { safeJson } from '../safe-text.ts';
import { evaluate } from './evaluate.ts';
import { goJson, goText } from './go-text.ts';
import type { Part, Template } from './template.ts';

/** `show` makes a text of the object fit for where it goes; what the template itself says is printed as it is. */
export function renderTemplate(template: Template, object: unknown, show: (text: string) => string): string {
  return template.map((part) => renderPart(part, object, show)).join('');
}

function renderPart(part: Part, object: unknown, show: (text: string) => string): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'range':
      return evaluate(part.path, object)
        .map((value) => renderTemplate(part.body, value, show))
        .join('');
    case 'path':
      return isText(part.path)
        ? evaluate(part.path, object).join('')
        : evaluate(part.path, object)
            .map((value) => valueText(value, show))
            .join(' ');
  }
}

/** `{"\n"}`: a person who writes an escape wants it. */
function isText(path: Extract<Part, { kind: 'path' }>['path']): boolean {
  const last = path.at(-1);
  return last?.kind === 'literal' && typeof last.value === 'string';
}

function valueText(value: unknown, show: (text: string) => string): string {
  if (value === null || value === undefined) return 'null';
  return typeof value === 'object' ? safeJson(goJson(value)) : show(goText(value));
}
