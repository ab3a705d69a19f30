// What the benches use of the WebAssembly API beside wasm/host: memory that begins at a page.
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { readonly initial: number });
    readonly buffer: ArrayBuffer;
  }
}
