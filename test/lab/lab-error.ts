// What goes wrong in the lab itself (not in a test): what happened, and what to do about it.

export class LabError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, options?: ErrorOptions) {
    super(hint ? `${message}\nhint: ${hint}` : message, options);
    this.name = 'LabError';
    this.hint = hint;
  }
}
