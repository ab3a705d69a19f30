// The part of the WebAssembly API that is used here: Node has it, its type package has not.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
    static imports(module: Module): { module: string; name: string; kind: string }[];
  }
  function compile(bytes: Uint8Array<ArrayBuffer>): Promise<Module>;
  function validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}
