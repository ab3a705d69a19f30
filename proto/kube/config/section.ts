// One mapping of a kubeconfig with typed access to its fields; errors name the field, never its value.
import { TypedError } from '../../api/typed-error.ts';

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Absent and null fields read as empty, as Go's decoder does. Every method throws BAD_KUBECONFIG for a value of
 * another kind: kubectl refuses a number where text belongs too, so `token: 123` is an error and not "123".
 */
export class Section {
  /** For messages: `user "admin" of /home/x/.kube/config`. */
  readonly where: string;
  readonly #values: Record<string, unknown>;

  constructor(value: unknown, where: string) {
    if (value !== undefined && value !== null && !isMapping(value)) {
      throw new TypedError(
        'BAD_KUBECONFIG',
        `${where} is ${kindOf(value)}, not a mapping`,
        'correct the file',
      );
    }
    this.where = where;
    this.#values = isMapping(value) ? value : {};
  }

  has(key: string): boolean {
    return (this.#values[key] ?? undefined) !== undefined;
  }

  raw(key: string): unknown {
    return this.#values[key];
  }

  text(key: string): string {
    const value = this.#values[key] ?? '';
    if (typeof value === 'string') return value;
    throw this.#wrong(key, 'text', value, 'put the value in quotes');
  }

  flag(key: string): boolean {
    const value = this.#values[key] ?? false;
    if (typeof value === 'boolean') return value;
    throw this.#wrong(key, 'true or false', value, 'write true or false without quotes');
  }

  texts(key: string): string[] {
    return this.#list(key).map((value) => {
      if (typeof value === 'string') return value;
      throw this.#wrong(key, 'a list of texts', value, 'put every element in quotes');
    });
  }

  /** Text of a base64 field. */
  decoded(key: string): string {
    const value = this.text(key).replace(/[\r\n]/g, '');
    if (value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value)) {
      return Buffer.from(value, 'base64').toString();
    }
    throw new TypedError(
      'BAD_KUBECONFIG',
      `${key} of ${this.where} is not base64`,
      `name a file in ${key.replace(/-data$/, '')} instead, or encode it with \`base64 -w0\``,
    );
  }

  section(key: string, where = `${key} of ${this.where}`): Section {
    return new Section(this.#values[key], where);
  }

  sections(key: string): Section[] {
    return this.#list(key).map((value, i) => new Section(value, `${key}[${i}] of ${this.where}`));
  }

  keys(): string[] {
    return Object.keys(this.#values);
  }

  #list(key: string): unknown[] {
    const value = this.#values[key] ?? [];
    if (Array.isArray(value)) return value;
    throw this.#wrong(key, 'a list', value, 'correct the file');
  }

  #wrong(key: string, expected: string, value: unknown, hint: string): TypedError {
    return new TypedError(
      'BAD_KUBECONFIG',
      `${key} of ${this.where} must be ${expected}, not ${kindOf(value)}`,
      hint,
    );
  }
}
