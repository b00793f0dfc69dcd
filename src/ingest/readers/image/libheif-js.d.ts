/** The used part of libheif's WebAssembly build, which the types of the package do not cover. */
declare module 'libheif-js/wasm-bundle.js' {
  interface HeifImage {
    get_width(): number;
    get_height(): number;
    /** Fills `data` with RGBA and calls back with it, or with null if the picture cannot be decoded. */
    display(
      target: { readonly data: Uint8ClampedArray; readonly width: number; readonly height: number },
      done: (decoded: object | null) => void,
    ): void;
    free(): void;
  }
  const libheif: {
    readonly HeifDecoder: new () => {
      /** Empty if the file cannot be parsed. */
      decode(bytes: Uint8Array): readonly HeifImage[];
    };
  };
  export default libheif;
}
